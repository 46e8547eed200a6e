/*
 * What a gateway sends to a collector, judged by others: the protobuf definitions of OpenTelemetry (PyPI's
 * opentelemetry-proto, unknown fields refused), and the OTLP receiver of the OpenTelemetry Collector (built from Go
 * modules whose digests tools/otlp/receiver/go.sum has). Each says NOT RUN where what it needs is missing.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { eventually } from '../test/support/eventually.ts';
import { sqlitePlace } from '../test/support/new-store.ts';
import { startOtlpSink, type Taken } from '../test/support/otlp-sink.ts';
import { aClinicalReady, aLabResult } from '../test/support/payloads/index.ts';
import { startRig } from '../test/flow/delivery/rig.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'chartgate-otlp-'));
const here = (name: string): string => new URL(`otlp/${name}`, import.meta.url).pathname;

const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const problems: string[] = [];
const bad = (line: string): void => {
  problems.push(line);
  tell(`BAD: ${line}`);
};

/** Deliveries that arrive, are refused, wait and fail, and requests that are refused. */
async function recordTraffic(): Promise<readonly Taken[]> {
  const sink = await startOtlpSink();
  const rig = await startRig(sqlitePlace, {
    settings: { CHARTGATE_OTLP_URL: sink.url, CHARTGATE_OTLP_METRICS_SECONDS: '1' },
  });
  await rig.enrol('ada');
  await rig.deliver(aClinicalReady({ userId: 'ada', observations: 3 }));
  await rig.deliver(aLabResult({ userId: 'ada' }));
  await rig.deliver(aClinicalReady({ userId: 'nobody', observations: 1 }));
  await fetch(rig.url('/fhir/Observation/1'), {
    headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  });
  await fetch(rig.url('/nowhere'));
  await eventually(sink.metrics, (all) => all.some(({ name }) => name === 'chartgate_ehr_attempt_seconds'));
  await rig.stop();
  await sink.stop();
  return sink.taken;
}

interface Counted {
  readonly spans: number;
  readonly points: number;
}

/** A Python that has the definitions; null where there is none. */
async function findPython(): Promise<string | null> {
  const hasThem = (python: string) => run(python, ['-c', 'import opentelemetry.proto']).then(() => python);
  const own = join(folder, 'venv');
  return hasThem('python3').catch(async () => {
    try {
      await run('python3', ['-m', 'venv', own]);
      await run(join(own, 'bin', 'pip'), ['install', '--quiet', 'opentelemetry-proto']);
      return await hasThem(join(own, 'bin', 'python'));
    } catch {
      return null;
    }
  });
}

async function judgeByDefinitions(files: readonly string[], sent: Counted): Promise<void> {
  const python = await findPython();
  if (python === null) {
    tell('NOT RUN: opentelemetry-proto needs python3 with venv, and PyPI.');
    return;
  }
  try {
    const { stdout } = await run(python, [here('parse.py'), ...files]);
    const found = JSON.parse(stdout) as Counted;
    if (found.spans !== sent.spans) bad(`the definitions found ${found.spans} spans of ${sent.spans}`);
    else tell(`good: opentelemetry-proto parsed ${found.spans} spans and ${found.points} data points, none unknown`);
  } catch (thrown) {
    bad(`opentelemetry-proto: ${(thrown as { stderr?: string }).stderr ?? String(thrown)}`);
  }
}

/** The receiver, built; null where it cannot be. */
async function buildReceiver(): Promise<string | null> {
  const program = join(folder, 'receiver');
  return run('go', ['build', '-mod=readonly', '-o', program, '.'], { cwd: here('receiver') }).then(
    () => program,
    () => null,
  );
}

async function judgeByReceiver(taken: readonly Taken[], sent: Counted): Promise<void> {
  const program = process.env['OTLP_RECEIVER'] ?? (await buildReceiver());
  if (program === null) {
    tell("NOT RUN: the collector's receiver needs go and its module proxy, or OTLP_RECEIVER with the built program.");
    return;
  }
  const probe = await startOtlpSink();
  const { host, port } = new URL(probe.url);
  await probe.stop();
  const receiver = spawn(program, [host], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  receiver.stdout.on('data', (part: Buffer) => (printed += part.toString()));
  try {
    await eventually(
      () => printed.startsWith('ready'),
      (isReady) => isReady,
    );
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    for (const { path, text } of taken) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: gzipSync(text) });
      if (answer.status !== 200) bad(`${path} was answered with ${answer.status}: ${await answer.text()}`);
      else await answer.arrayBuffer();
    }
    const spans = (text: string): string[] => [...text.matchAll(/"spanId":"([0-9a-f]{16})"/g)].map(([, id = '']) => id);
    const lines = await eventually(
      () => printed.split('\n').filter((line) => /^(?:traces|metrics) /.test(line)),
      (all) => all.length >= taken.length,
    );
    const found = spans(lines.filter((line) => line.startsWith('traces ')).join('\n')).sort();
    const wanted = spans(taken.map(({ text }) => text).join('\n')).sort();
    if (lines.length !== taken.length || JSON.stringify(found) !== JSON.stringify(wanted))
      bad(`the receiver has ${lines.length} of ${taken.length} requests and ${found.length} of ${sent.spans} spans`);
    else tell(`good: the collector's OTLP receiver took ${lines.length} requests with ${found.length} spans`);
  } finally {
    const ended = once(receiver, 'exit');
    receiver.kill('SIGINT');
    await ended;
  }
}

try {
  const taken = await recordTraffic();
  const kindOf = (path: string): 'traces' | 'metrics' => (path.endsWith('/traces') ? 'traces' : 'metrics');
  const files = taken.map(({ path, text }, n) => {
    const file = join(folder, `${kindOf(path)}-${n}.json`);
    writeFileSync(file, text);
    return file;
  });
  const count = (name: string): number => taken.reduce((sum, { text }) => sum + text.split(`"${name}":`).length - 1, 0);
  const sent = { spans: count('spanId'), points: count('timeUnixNano') };
  tell(`${taken.length} requests with ${sent.spans} spans and ${sent.points} data points were recorded`);
  await judgeByDefinitions(files, sent);
  await judgeByReceiver(taken, sent);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(problems.length > 0 ? 1 : 0);
