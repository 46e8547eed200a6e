/*
 * `npm test`: every check, each of which is also an npm script of its own, beside the tests. `npm run test:long`
 * (`--long`) is the same with the long form of the long tests. With other arguments, only the tests that they name.
 * `--again`, for machines that others use too: up to three test files that failed are run once more, by themselves and
 * with the same seed. What passes then is told as UNSTABLE: it is a defect of the test or of us, but no reason to hold
 * everything else back.
 * The last line says how many tests passed, so that a run without any cannot look like a good one.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
/** What a check found out about files that have not changed since. */
const KEPT = 'node_modules/.cache/chartgate-check';
const TSC = ['node_modules/typescript/bin/tsc', '--noEmit', '--incremental', '--tsBuildInfoFile'];

/** One after the other: they fill the time in which tests wait, and leave them both cores. */
const CHECKS: readonly (readonly [string, readonly string[]])[] = [
  ['typecheck', [...TSC, `${KEPT}/all.tsbuildinfo`]],
  ['typecheck of the build', [...TSC, `${KEPT}/build.tsbuildinfo`, '-p', 'tsconfig.build.json']],
  ['typecheck of the console', [...TSC, `${KEPT}/console.tsbuildinfo`, '-p', 'console']],
  ['typecheck of the sample app', [...TSC, `${KEPT}/app.tsbuildinfo`, '-p', 'sandbox/clinician-app/web']],
  [
    'format',
    [
      'node_modules/prettier/bin/prettier.cjs',
      '--check',
      '.',
      '--cache',
      '--cache-strategy=content',
      `--cache-location=${KEPT}/prettier`,
    ],
  ],
  ['lint', ['tools/lint.ts']],
];

interface Ran {
  readonly name: string;
  readonly code: number;
  readonly said: string;
  readonly seconds: number;
}

function run(name: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ran> {
  const from = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    if (name !== 'tests' && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        said += part.toString();
        if (name === 'tests') process.stdout.write(part);
      });
    child.on('close', (code) =>
      resolve({ name, code: code ?? 1, said, seconds: Math.round((performance.now() - from) / 100) / 10 }),
    );
  });
}

async function check(): Promise<boolean> {
  let isGood = true;
  for (const [name, args] of CHECKS) {
    const { code, said, seconds } = await run(name, args);
    console.log(`${name}: ${code === 0 ? 'clean' : 'FAILED'} (${seconds} s)`);
    if (code !== 0) console.log(said);
    isGood &&= code === 0;
  }
  return isGood;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}
interface Tested {
  readonly code: number;
  readonly failedFiles: readonly string[];
  readonly counts: string;
}

async function test(only: readonly string[], env: NodeJS.ProcessEnv): Promise<Tested> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-check-'));
  const report = join(folder, 'report.json');
  const { code, seconds } = await run(
    'tests',
    [...JEST, '--json', `--outputFile=${report}`, '--testLocationInResults', ...only],
    env,
  );
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  ) as Report;
  rmSync(folder, { recursive: true, force: true });
  return {
    code,
    failedFiles: testResults.filter(({ status }) => status !== 'passed').map(({ name }) => name),
    counts:
      `tests took ${seconds} s\n` +
      `tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`,
  };
}

/** How many files of a run may be unstable before it is no longer the machine's fault. */
const UNSTABLE_MAX = 3;

async function areOnlyUnstable(files: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  if (files.length === 0 || files.length > UNSTABLE_MAX) return false;
  console.log(`once more, by themselves: ${files.join(', ')}`);
  const { code } = await test(['--runInBand', '--runTestsByPath', ...files], env);
  if (code === 0) for (const file of files) console.log(`UNSTABLE: ${file} failed, and passed by itself`);
  return code === 0;
}

const OPTIONS = ['--long', '--again'];
const given = process.argv.slice(2);
const only = given.filter((one) => !OPTIONS.includes(one));
const seed = process.env['TEST_SEED'] ?? String(randomInt(0x7fffffff));
const env = { ...process.env, TEST_LENGTH: given.includes('--long') ? 'long' : 'short', TEST_SEED: seed };
console.log(`tests: the ${env.TEST_LENGTH} form; properties draw from TEST_SEED=${seed}`);
const [tested, isClean] = await Promise.all([test(only, env), only.length === 0 ? check() : Promise.resolve(true)]);
const isTested = tested.code === 0 || (given.includes('--again') && (await areOnlyUnstable(tested.failedFiles, env)));
console.log(tested.counts);
process.exit(isClean && isTested ? 0 : 1);
