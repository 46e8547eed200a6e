import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { makeProgress } from '../../../src/cli/progress.ts';
import { validateCommand, validateHelp } from '../../../src/cli/validate.ts';

let folder: string;
const path = (name: string): string => join(folder, name);
const GOOD = '{"resourceType":"Patient","active":true}';
const BAD = '{"resourceType":"Patient","gender":"x"}';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'validate-'));
  writeFileSync(path('good.json'), GOOD);
  writeFileSync(path('bad.json'), BAD);
  writeFileSync(path('broken.json'), '{"resourceType":"Patient",}');
  writeFileSync(path('lines.ndjson'), `${GOOD}\n\n${BAD}\r\n${GOOD}`);
  writeFileSync(path('lines.txt'), `${GOOD}\n${BAD}\n`);
  writeFileSync(path('pretty.json'), JSON.stringify(JSON.parse(GOOD), null, 2));
  writeFileSync(
    path('height.json'),
    '{"resourceType":"Observation","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8302-2"}]}}',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], input = ''): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err]: [string[], string[]] = [[], []];
  stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  const code = await validateCommand(args, { stdin: Readable.from([Buffer.from(input)]), stdout, stderr });
  return { code, out: out.join(''), err: err.join('') };
}

describe('the exit code', () => {
  test.each([
    [['good.json', 'pretty.json'], 0],
    [['good.json', 'bad.json'], 1],
    [['broken.json'], 1],
    [['bad.json', 'missing.json'], 2],
    [['lines.ndjson'], 1],
    [['lines.txt'], 1],
  ])('of %j is %i', async (files, code) => {
    expect((await run(files.map(path))).code).toBe(code);
  });

  test('is 2 for wrong arguments, which are explained', async () => {
    for (const args of [[], ['--what'], ['--profile', 'x', 'y']]) {
      const { code, out, err } = await run(args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('--help');
    }
  });
});

test('the report names file, place, rule and what to do', async () => {
  const { out } = await run([path('bad.json'), path('lines.ndjson'), path('missing.json')]);
  expect(out.replaceAll(folder, '')).toBe(`/bad.json is invalid
  error Patient.gender [binding-required]
    "x" is not a code of the required value set administrative-gender: male, female, other, unknown.
/lines.ndjson:3 is invalid
  error Patient.gender [binding-required]
    "x" is not a code of the required value set administrative-gender: male, female, other, unknown.
/missing.json does not exist
2 valid, 2 invalid, 1 could not be read
`);
});

test('--json is one object a line', async () => {
  const { out, code } = await run(['--json', path('lines.ndjson'), path('broken.json'), path('missing.json')]);
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(code).toBe(2);
  expect(rows.map((row) => [row['line'], row['valid'], row['error']])).toEqual([
    [1, true, undefined],
    [3, false, undefined],
    [4, true, undefined],
    [undefined, false, undefined],
    [undefined, undefined, 'does not exist'],
  ]);
});

test('- is standard input, JSON or NDJSON', async () => {
  expect((await run(['-'], GOOD)).code).toBe(0);
  expect((await run(['-'], BAD)).code).toBe(1);
  expect((await run(['-'], `${GOOD}\n${GOOD}\n`)).out).toBe('2 valid, 0 invalid, 0 could not be read\n');
});

test('profiles are asked for by name', async () => {
  expect((await run([path('height.json')])).code).toBe(0);
  const { code, out } = await run(['--profile', 'vital-signs', '--profile', 'us-core-lab', path('height.json')]);
  expect(code).toBe(1);
  expect(out).toContain('[vs-subject]');
});

test('help describes every option', async () => {
  const { code, out } = await run(['--help']);
  expect([code, out]).toEqual([0, validateHelp]);
  for (const option of ['--json', '--profile', '--warnings']) expect(out).toContain(option);
});

test('a bar appears for a person, and only when the work is long', () => {
  const shown = (isTTY: boolean, elapsedMs: number): string => {
    const to = Object.assign(new PassThrough(), { isTTY });
    let now = 0;
    const progress = makeProgress(to, 4, () => now);
    now = elapsedMs;
    progress.fileDone();
    progress.step({ file: 'x', line: 1, bytes: Buffer.alloc(0) });
    progress.clear();
    return (to.read() as Buffer | null)?.toString() ?? '';
  };
  expect(shown(true, 5_000)).toContain('[######..................] 1/4 files');
  expect(shown(true, 500)).toBe('');
  expect(shown(false, 5_000)).toBe('');
});

describe('guides', () => {
  const BASICS = join(import.meta.dirname, '../../fixtures/guides/basics');
  const PROFILE = 'http://example.org/fhir/basics/StructureDefinition/patient-cardinality';

  test('are checked by, and what they ask for and is not checked is told', async () => {
    const { code, out, err } = await run(['--guide', BASICS, '--profile', PROFILE, path('good.json')]);
    expect(code).toBe(1);
    expect(out).toContain(`[profile-min] of ${PROFILE}`);
    expect(err).toMatch(/^\d+ things that the guides ask for are not checked; --not-checked lists them\.\n$/);
    const listed = await run(['--guide', BASICS, '--not-checked', path('good.json')]);
    expect([listed.code, listed.err]).toEqual([0, expect.stringContaining('ValueSet/not-expandable')]);
  });

  test('are listed with what must be supported', async () => {
    const { code, out } = await run(['--guide', BASICS, '--list-profiles', '--json']);
    const found = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { url: string; type: string; mustSupport: string[] });
    expect(code).toBe(0);
    expect(found.find(({ url }) => url === PROFILE)).toMatchObject({ type: 'Patient', mustSupport: expect.any(Array) });
  });

  test('that are none, and profiles that they lack, are refused', async () => {
    const none = await run(['--guide', path('good.json'), path('good.json')]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('(archive-not-gzip)')]);
    const lacking = await run(['--guide', BASICS, '--profile', 'urn:nobody:has', path('good.json')]);
    expect([lacking.code, lacking.err]).toEqual([
      2,
      'urn:nobody:has: No guide that was given defines it. (profile-unknown)\n',
    ]);
  });
});
