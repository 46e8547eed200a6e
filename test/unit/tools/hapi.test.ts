import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { checkTools, majorOf } from '../../../tools/hapi/check-tools.ts';
import { checkPort, jdbcUrlOf } from '../../../tools/hapi/start-hapi.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

const JAVA = 'openjdk version "17.0.15" 2025-04-15\n';
const JAVAC = 'javac 17.0.15\n';

test.each([
  [JAVA, 17],
  ['openjdk version "21" 2023-09-19', 21],
  ['java version "1.8.0_392"', 8],
  [JAVAC, 17],
  ['javac 1.8.0_392', 8],
  ['something else', null],
])('the major version of %j is %p', (said, major) => {
  expect(majorOf(said)).toBe(major);
});

describe('what stands in the way of a HAPI', () => {
  /** Programs by name and what they say; the others are not there. */
  const machine = (programs: Readonly<Record<string, string>>) => (program: string) =>
    Promise.resolve({ code: program in programs ? 0 : null, text: programs[program] ?? '' });

  test('nothing, where Java and Maven are there', async () => {
    expect(await checkTools(machine({ java: JAVA, javac: JAVAC, mvn: 'Apache Maven' }))).toBeNull();
  });

  test('what is missing is named, with the way to get it', async () => {
    const said = await checkTools(machine({ java: JAVA }));
    expect(said).toContain('Not found: javac, mvn.');
    expect(said).toContain('apt-get install');
  });

  test('a Java that is too old is named as what it is', async () => {
    const said = await checkTools(machine({ java: 'openjdk version "11.0.2"', javac: JAVAC, mvn: '' }));
    expect(said).toContain('needs Java 17 or later; java is Java 11');
  });

  test('a port that is taken', async () => {
    const server = createServer();
    stopAfterTest(() => server.close());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    await expect(checkPort(port)).rejects.toThrow(`Port ${port} is taken`);
    await new Promise((done) => server.close(done));
    await expect(checkPort(port)).resolves.toBeUndefined();
  });
});

test('the data are forgotten unless a file is named', () => {
  expect(jdbcUrlOf('memory')).toMatch(/^jdbc:h2:mem:/);
  expect(jdbcUrlOf('data/ehr')).toBe(`jdbc:h2:file:${resolve('data/ehr')};TRACE_LEVEL_FILE=0`);
});

describe('npm run ehr:hapi', () => {
  function run(...args: readonly string[]): Promise<{ code: number | null; out: string; error: string }> {
    // No PATH, so that neither Java nor Maven is found.
    const child = spawn(process.execPath, ['tools/hapi.ts', ...args], {
      env: { PATH: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, error] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    child.stderr.on('data', (part: Buffer) => (error += part.toString()));
    return new Promise((done) => child.on('close', (code) => done({ code, out, error })));
  }

  test('--help tells its options, and ends well', async () => {
    const { code, out } = await run('--help');
    expect([code, ['--port', '--database'].every((one) => out.includes(one))]).toEqual([0, true]);
  });

  test('without Java and Maven it says what it needs, and ends otherwise', async () => {
    const { code, out, error } = await run();
    expect([code, out, error.split('\n').length]).toEqual([1, '', 2]);
    expect(error).toContain('Not found: java, javac, mvn.');
  });

  test.each([
    ['--port', 'many'],
    ['--port', '70000'],
    ['--database', ''],
    ['--prot', '1'],
  ])('%s %s is refused with the help', async (...args) => {
    const { code, error } = await run(...args);
    expect([code, error.includes('Usage:')]).toEqual([2, true]);
  });
});
