import { execFileSync } from 'node:child_process';
import { parseLossless, loadValidator } from '../src/r4/index.ts';
import { scanBytes } from '../src/r4/json/scan-bytes.ts';
import { aClinicalBundle } from '../test/support/clinical-bundle.ts';
import { makeMedplumOracle } from '../test/support/medplum-oracle.ts';
import { median, type Figure } from './figure.ts';
import { figure, heldMb } from './validate-figure.ts';
import { race, ROUNDS } from './race.ts';
import { runProfiles } from './validate-profiles.ts';

/** How long a new process takes to load the validator and judge one resource, the generated code being there. */
function startMs(): number {
  const door = new URL('../src/r4/load-validator.ts', import.meta.url).href;
  const script = `const { loadValidator } = await import(${JSON.stringify(door)});
    const since = performance.now();
    loadValidator().isValid({ resourceType: 'Patient' });
    process.stdout.write(String(performance.now() - since));`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

/** The longest time for which the event loop was not served while `work` ran. */
async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isRunning = true;
  const tick = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  longest = Math.max(longest, performance.now() - last);
  isRunning = false;
  return longest;
}

export async function* run(): AsyncGenerator<Figure> {
  const validator = loadValidator();
  const medplum = makeMedplumOracle();
  const bundle = aClinicalBundle();
  const text = JSON.stringify(bundle);
  const bytes = Buffer.from(text);
  const what = `${text.length} bytes, 16 entries, median of ${ROUNDS} interleaved rounds`;
  if (!validator.isValid(bundle) || !medplum(bundle)) throw new Error('The bundle of the bench must be valid.');

  // Fresh objects, as they come from the parser: the same object again and again would flatter both.
  const copies = Array.from({ length: 64 }, () => JSON.parse(text) as unknown);
  let turn = 0;
  const next = (): unknown => copies[turn++ & 63];
  const [object = NaN, onText = NaN, theirs = NaN] = race([
    () => validator.isValid(next()),
    () => scanBytes(bytes).keys > 0 && validator.isValid(next()),
    () => medplum(next()),
  ]);
  yield figure(
    'object-vs-medplum',
    object,
    theirs,
    'us per bundle',
    `isValid against @medplum/core validateResource; ${what}`,
  );
  yield figure(
    'text-vs-medplum',
    onText,
    theirs,
    'us per bundle',
    `isValid and the checks on the raw text (keys, depth, digits), parsing not counted; ${what}`,
  );

  const odd = Buffer.from(text.replaceAll(/"value":(\d+)(?:\.\d+)?/g, '"value":$1.10'));
  const [all = NaN, parse = NaN, kept = NaN, parseOdd = NaN, parseOnly = NaN] = race([
    () => validator.checkText(bytes),
    () => JSON.parse(text) as unknown,
    () => validator.checkText(odd),
    () => JSON.parse(odd.toString()) as unknown,
    () => parseLossless(bytes),
  ]);
  yield figure(
    'all-vs-json-parse',
    all,
    parse,
    'us per bundle',
    `lossless parse of bytes and every check against JSON.parse of the string alone; ${what}`,
  );
  yield figure(
    'all-vs-json-parse-kept-digits',
    kept,
    parseOdd,
    'us per bundle',
    `the same, with every value written as n.10; ${what}`,
  );
  yield figure('lossless-vs-json-parse', parseOnly, parse, 'us per bundle', `parseLossless alone; ${what}`);

  const large = aClinicalBundle(5_000);
  const [perBundle = NaN, perLarge = NaN] = race([() => validator.isValid(next()), () => validator.isValid(large)]);
  yield figure(
    'large-bundle-per-resource',
    perLarge / 5_001,
    perBundle / 16,
    'us per resource',
    'Bundle of 5,001 entries against one of 16: 1 means the same cost per resource',
  );

  const runs = 200_000;
  for (let i = 0; i < 2_000; i++) validator.isValid(next());
  const before = heldMb();
  for (let i = 0; i < runs; i++) validator.isValid(next());
  yield figure(
    'memory-flat',
    heldMb(),
    before,
    'MB of heap',
    `held after and before ${runs * 16} validations of resources (${runs} bundles)`,
  );

  yield figure(
    'start',
    median(Array.from({ length: ROUNDS }, startMs)),
    150,
    'ms',
    'loadValidator and one resource in a new process; the limit is 150',
  );

  const items = Array.from({ length: 60_000 }, (_, i) => ({
    linkId: `q${i}`,
    text: `Question ${i} about something long enough`,
    type: 'string',
  }));
  const shapes = {
    'longest-block': aClinicalBundle(7_700),
    'longest-block-nested': {
      resourceType: 'Questionnaire',
      status: 'draft',
      item: [{ linkId: 'g', type: 'group', item: items }],
    },
  };
  for (const [title, resource] of Object.entries(shapes)) {
    const huge = Buffer.from(JSON.stringify(resource));
    await validator.checkElsewhere(huge);
    const blocks: number[] = [];
    for (let i = 0; i < ROUNDS; i++) blocks.push(await longestBlockMs(() => validator.checkElsewhere(huge)));
    const size = (huge.length / 1e6).toFixed(1);
    yield figure(
      title,
      median(blocks),
      50,
      'ms',
      `event loop during checkElsewhere of ${size} MB; the limit is 50; worst of ${ROUNDS}: ${Math.max(...blocks).toFixed(0)}`,
    );
  }
  yield* runProfiles();
}

if (import.meta.main) {
  for await (const found of run()) console.log(JSON.stringify(found));
}
