/*
 * `npm run test:mutate`: plants small wrong changes in the modules that decide (tools/mutate/modules.ts), one at a
 * time, in a copy of the checkout, and runs the unit tests of that module. What no test notices is told with its place.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { choose, findMutants, plant, type Mutant } from './mutate/find-mutants.ts';
import { MODULES, type MutatedModule } from './mutate/modules.ts';

const HELP = `Usage: npm run test:mutate -- [--only MODULE]… [--count N] [--seed N] [--timeout SECONDS] [--at-least SHARE] [--json]

  --only MODULE     a part of the path of a module, such as forward/decide-changes; several may be given
  --count N         how many mutants are planted, chosen by the seed (default 120; 0: all)
  --seed N          (default 1)
  --timeout S       how long the tests of one mutant may take; one that makes them hang is found (default 60)
  --at-least SHARE  exit 1 where fewer are found (default 0.85)
  --json            one line of JSON for each mutant, and one for the whole

Exit code: 0 enough were found · 1 too few, or the tests fail without any mutant · 2 wrong arguments
`;

const COPIED = [
  'src',
  'sandbox',
  'test',
  'mappings',
  'openapi',
  'docs',
  'package.json',
  'package-lock.json',
  'tools',
  'README.md',
  'tsconfig.json',
];

interface Planted {
  readonly module: MutatedModule;
  readonly mutant: Mutant;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '60' },
    'at-least': { type: 'string', default: '0.85' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [count, seed, seconds, atLeast] = [values.count, values.seed, values.timeout, values['at-least']].map(Number) as [
  number,
  number,
  number,
  number,
];
const modules = MODULES.filter(
  ({ file }) => values.only.length === 0 || values.only.some((part) => file.includes(part)),
);
if (values.help || modules.length === 0 || [count, seed, seconds, atLeast].some((n) => !(n >= 0))) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'chartgate-mutate-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let running: ReturnType<typeof spawn> | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    running?.kill('SIGKILL');
    process.exit(130);
  });

for (const name of COPIED)
  if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
writeFileSync(
  join(folder, 'jest.config.js'),
  `export default ${JSON.stringify({
    testEnvironment: 'node',
    extensionsToTreatAsEsm: ['.ts'],
    transform: { '\\.ts$': './tools/strip-types.js' },
    testMatch: ['<rootDir>/test/**/*.test.ts'],
    testTimeout: seconds * 1_000,
    cacheDirectory: join(folder, '.jest'),
  })};`,
);

/** Whether the tests pass as the copy is now. What hangs does not. */
function pass(tests: readonly string[]): Promise<boolean> {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  return new Promise((done) => {
    const child = spawn(process.execPath, [...jest, '-i', '--bail', '--silent', ...tests], {
      cwd: folder,
      stdio: 'ignore',
    });
    running = child;
    const late = setTimeout(() => child.kill('SIGKILL'), seconds * 1_000);
    child.on('close', (code) => {
      clearTimeout(late);
      running = null;
      done(code === 0);
    });
  });
}

const say = (text: string): void => void process.stderr.write(text);
const textOf = ({ file }: MutatedModule): string => readFileSync(join(root, file), 'utf8');
const all = modules.flatMap((module) => findMutants(textOf(module)).map((mutant): Planted => ({ module, mutant })));
const chosen = count === 0 ? all : choose(all, count, seed);

for (const module of new Set(chosen.map((one) => one.module)))
  if (!(await pass(module.tests))) {
    say(`The tests of ${module.file} fail, or are not there, without any mutant.\n`);
    process.exit(1);
  }

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const placeOf = ({ module, mutant }: Planted): string =>
  `${module.file}:${mutant.line}  ${oneLine(mutant.was)}  ->  ${oneLine(mutant.now)}`;

const survivors: Planted[] = [];
for (const [i, one] of chosen.entries()) {
  const { module, mutant } = one;
  const file = join(folder, module.file);
  writeFileSync(file, plant(textOf(module), mutant));
  const isFound = !(await pass(module.tests));
  writeFileSync(file, textOf(module));
  if (!isFound) survivors.push(one);
  if (!isFound && !values.json) process.stdout.write(`${placeOf(one)}\n`);
  if (values.json)
    process.stdout.write(
      `${JSON.stringify({ file: module.file, line: mutant.line, was: mutant.was, now: mutant.now, found: isFound })}\n`,
    );
  say(`\r${i + 1}/${chosen.length} planted, ${survivors.length} not found `);
}
say('\n');

const found = chosen.length - survivors.length;
const share = chosen.length === 0 ? 0 : found / chosen.length;
if (values.json)
  process.stdout.write(`${JSON.stringify({ planted: chosen.length, of: all.length, found, share, seed })}\n`);
else
  process.stdout.write(
    `${found} of ${chosen.length} found (${(share * 100).toFixed(1)} %), of ${all.length} that could be planted; seed ${seed}\n`,
  );
process.exit(share >= atLeast ? 0 : 1);
