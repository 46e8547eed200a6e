/*
 * `npm test`: every check, each of which is also an npm script of its own. With arguments, only the tests that they
 * name. The last line says how many tests passed, so that a run without any cannot look like a good one.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

function run(
  name: string,
  args: readonly string[],
): Promise<{ name: string; code: number; said: string; seconds: number }> {
  const from = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
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

const only = process.argv.slice(2);
let isGood = true;

if (only.length === 0) {
  const checks = await Promise.all([
    run('format', ['node_modules/prettier/bin/prettier.cjs', '--check', '.']),
    run('lint', ['node_modules/eslint/bin/eslint.js', '.']),
    run('typecheck', ['node_modules/typescript/bin/tsc', '--noEmit']),
    run('typecheck of the build', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.build.json']),
    run('typecheck of the sample app', [
      'node_modules/typescript/bin/tsc',
      '--noEmit',
      '-p',
      'sandbox/clinician-app/web',
    ]),
  ]);
  for (const { name, code, said, seconds } of checks) {
    console.log(`${name}: ${code === 0 ? 'clean' : 'FAILED'} (${seconds} s)`);
    if (code !== 0) console.log(said);
    isGood &&= code === 0;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'chartgate-check-'));
const report = join(folder, 'report.json');
const tests = await run('tests', [...JEST, '--json', `--outputFile=${report}`, '--testLocationInResults', ...only]);
isGood &&= tests.code === 0;
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<
  string,
  number
>;
rmSync(folder, { recursive: true, force: true });
console.log(`tests took ${tests.seconds} s`);
console.log(`tests: ${numPassedTests ?? 0} passed, ${numFailedTests ?? 0} failed, ${numPendingTests ?? 0} skipped`);
process.exit(isGood ? 0 : 1);
