/*
 * `npm run test:real-ehr`: what must hold at a real EHR. Starts a HAPI of its own, or uses the server that EHR_TEST_URL
 * names; runs the suite of jest.real-ehr.config.js; prints a table of what was run and what held.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../src/kernel/index.ts';
import { foreignEhr, openDirect } from '../test/support/foreign-ehr.ts';
import { startHapi, type Hapi } from './hapi/start-hapi.ts';
import { drawTable, readRows, type Report, type Row } from './real-ehr-table.ts';

const HELP = `Usage: npm run test:real-ehr -- [WHAT…]

Runs what must hold at a real EHR: the contract, the delivery flow, what apps read, a simulated population. Without an
argument everything; otherwise the files of test/real-ehr that WHAT names (versions, edits, read, …), or options of
jest.

By default a HAPI is started for it (npm run ehr:hapi -- --help). EHR_TEST_URL names another FHIR server instead, to
which patients and records of its own are added; its credentials are given as to serve: CHARTGATE_EHR_AUTH,
CHARTGATE_EHR_USERNAME, …, CHARTGATE_DIALECT.
`;

const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '--config',
  'jest.real-ehr.config.js',
];

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());

/** In a group of its own, of which nothing is left afterwards: the suite starts gateways. */
function runJest(url: string, args: readonly string[], report: string, figures: string): Promise<number> {
  const child: ChildProcess = spawn(
    process.execPath,
    [...JEST, '--json', `--outputFile=${report}`, '--verbose', ...args],
    {
      // The report goes to the file; what jest says to a person is on its stderr.
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, EHR_TEST_URL: url, REAL_EHR_FIGURES: figures },
      detached: true,
    },
  );
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nobody is left in it.
    }
  };
  stopping.signal.addEventListener('abort', endGroup, { once: true });
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('exit', (code) => {
      endGroup();
      resolve(code ?? 1);
    });
  });
}

/** What the server calls itself, asked with its credentials. */
async function nameOf(url: string): Promise<string> {
  const ehr = foreignEhr({ ...process.env, EHR_TEST_URL: url });
  const direct = ehr === null ? null : openDirect(ehr);
  try {
    const [text = '{}'] = (await direct?.pages('metadata', [])) ?? [];
    const { software } = JSON.parse(text) as { software?: { name?: string; version?: string } };
    return `${software?.name ?? 'a FHIR server'} ${software?.version ?? ''}`.trim();
  } catch {
    // The suite says why.
    return 'a FHIR server';
  } finally {
    await direct?.close();
  }
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const began = performance.now();
  const named = process.env['EHR_TEST_URL'] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-real-ehr-'));
  const [report, figures] = [join(folder, 'report.json'), join(folder, 'figures.jsonl')];
  let hapi: Hapi | null = null;
  try {
    if (named === '') {
      hapi = await startHapi({
        port: 0,
        database: 'memory',
        say: (line) => console.log(line),
        signal: stopping.signal,
      });
      console.log(`HAPI is ready after ${hapi.seconds} s: ${hapi.url}`);
    }
    const url = hapi?.url ?? named;
    const server = await nameOf(url);
    const code = await runJest(url, args, report, figures);
    if (stopping.signal.aborted) return 1;
    const rows: readonly Row[] = existsSync(report)
      ? readRows(
          JSON.parse(readFileSync(report, 'utf8')) as Report,
          existsSync(figures) ? readFileSync(figures, 'utf8') : '',
        )
      : [];
    const passed = rows.filter(({ held }) => held === 'yes').length;
    const failed = rows.filter(({ held }) => held === 'NO').length;
    console.log(`\n${server}, ${Math.round((performance.now() - began) / 1000)} s in all\n`);
    console.log(drawTable(rows));
    // A file that could not be loaded has no rows of its own.
    if (code !== 0 && failed === 0) console.log('The run itself failed: see above.');
    console.log(`${passed} passed, ${failed} failed`);
    return code === 0 && failed === 0 && passed > 0 ? 0 : 1;
  } catch (thrown) {
    if (stopping.signal.aborted) return 1;
    if (!(thrown instanceof StartError)) throw thrown;
    console.error(thrown.message);
    return 1;
  } finally {
    await hapi?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
