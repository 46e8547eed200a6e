/*
 * `npm test`: every check, each of which is also an npm script of its own, beside the tests. `npm run test:long`
 * (`--long`) is the same with the long form of the long tests. With other arguments, only the tests that they name.
 * The last line says how many tests passed, so that a run without any cannot look like a good one.
 */
import { spawn } from 'node:child_process';
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

async function test(only: readonly string[], isLong: boolean): Promise<{ readonly isGood: boolean; end(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-check-'));
  const report = join(folder, 'report.json');
  const { code, seconds } = await run(
    'tests',
    [...JEST, '--json', `--outputFile=${report}`, '--testLocationInResults', ...only],
    { ...process.env, TEST_LENGTH: isLong ? 'long' : 'short' },
  );
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<
    string,
    number
  >;
  rmSync(folder, { recursive: true, force: true });
  return {
    isGood: code === 0,
    end() {
      console.log(`tests took ${seconds} s`);
      console.log(
        `tests: ${numPassedTests ?? 0} passed, ${numFailedTests ?? 0} failed, ${numPendingTests ?? 0} skipped`,
      );
    },
  };
}

const given = process.argv.slice(2);
const only = given.filter((one) => one !== '--long');
const [tested, isClean] = await Promise.all([
  test(only, given.includes('--long')),
  only.length === 0 ? check() : Promise.resolve(true),
]);
tested.end();
process.exit(isClean && tested.isGood ? 0 : 1);
