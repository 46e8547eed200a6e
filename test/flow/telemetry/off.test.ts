import { afterEach, describe, expect, test } from '@jest/globals';
import { Session } from 'node:inspector/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlitePlace } from '../../support/new-store.ts';
import { startOtlpSink } from '../../support/otlp-sink.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { portOf, runProcess, serveSettings, type Running } from '../../support/run-process.ts';
import { startRig } from '../delivery/rig.ts';
import { startIssuer } from './issuer.ts';

const PUBLIC = 'https://gateway.example';

/** Files of ours that V8 has loaded by now, as their addresses. */
async function loadedFiles(): Promise<string[]> {
  const session = new Session();
  session.connect();
  const files: string[] = [];
  session.on('Debugger.scriptParsed', ({ params }) => void files.push(params.url));
  await session.post('Debugger.enable');
  session.disconnect();
  return files.filter((file) => file.includes('/src/'));
}
const isTelemetry = (file: string): boolean => file.includes('/src/telemetry/');

/** Where steps are told of, by file and, in files that do other things too, by function. */
const WATCHING = /\/(?:watch-(?:attempt|judging|request|exchange|check)|decide-watched|template-of)\.ts$/;
const WATCHED = new Set(['judgeWatched', 'finishWatched', 'watched']);

describe('without an address', () => {
  test('nothing of the module is loaded, and every place where a step could be told of is passed by', async () => {
    // Other tests of this process may have loaded it for themselves.
    const before = (await loadedFiles()).filter(isTelemetry).length;
    const issuer = await startIssuer(() => `${PUBLIC}/fhir`);
    const rig = await startRig(sqlitePlace, { settings: { ...issuer.settings, CHARTGATE_PUBLIC_URL: PUBLIC } });
    const session = new Session();
    session.connect();
    try {
      const reference = await rig.enrol('ada');
      issuer.add('token', { scope: 'patient/*.rs', patient: reference.slice('Patient/'.length), sub: 'u1' });
      const headers = { authorization: 'Bearer token' };
      // Counts how often each function was called from here on.
      await session.post('Profiler.enable');
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      await rig.deliver(aClinicalReady({ userId: 'ada', observations: 2 }));
      const statuses = [];
      for (const path of [reference, `Observation?subject=${reference}`, `Observation?subject=Patient/nobody`])
        statuses.push((await fetch(rig.url(`/fhir/${path}`), { headers })).status);
      expect(statuses).toEqual([200, 200, 403]);
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const calls = result.flatMap(({ url, functions }) =>
        functions
          .filter(({ functionName: name, ranges: [all] }) => name !== '' && all !== undefined && all.count > 0)
          .filter(({ functionName }) => WATCHING.test(url) || (url.includes('/src/') && WATCHED.has(functionName)))
          .map(({ functionName, ranges: [all] }) => `${functionName} ${all?.count ?? 0}`),
      );
      // These two are on the way of every read, and look whether there is anything to tell. They allocate nothing.
      expect(calls.sort()).toEqual(['decideWatched 3', 'watchPass 1']);
      const sending = result.find(({ url }) => url.endsWith('/forward/carry-out.ts'));
      expect(sending?.functions.some(({ functionName }) => functionName === 'carryOut')).toBe(true);
    } finally {
      session.disconnect();
      await rig.stop();
      await issuer.stop();
    }
    const loaded = await loadedFiles();
    expect(loaded.some((file) => file.endsWith('/gateway/telemetry.ts'))).toBe(true);
    expect(loaded.filter(isTelemetry).length).toBeLessThanOrEqual(before);
  });
});

describe('with one', () => {
  test('it is loaded', async () => {
    const sink = await startOtlpSink();
    const rig = await startRig(sqlitePlace, { settings: { CHARTGATE_OTLP_URL: sink.url } });
    try {
      expect((await loadedFiles()).filter(isTelemetry).length).toBeGreaterThan(4);
    } finally {
      await rig.stop();
      await sink.stop();
    }
  });
});

describe('a process', () => {
  let folder: string | undefined;
  let running: Running | undefined;
  afterEach(async () => {
    running?.signal('SIGKILL');
    await running?.ended;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  const start = (settings: Record<string, string>): Running => {
    folder = mkdtempSync(join(tmpdir(), 'chartgate-telemetry-'));
    return runProcess(['serve'], {
      ...serveSettings(`sqlite:${join(folder, 'chartgate.db')}?filesystem=any`),
      CHARTGATE_DRAIN_SECONDS: '0',
      ...settings,
    });
  };

  test('tells a collector what is left when it is asked to stop', async () => {
    const sink = await startOtlpSink();
    running = start({ CHARTGATE_OTLP_URL: sink.url });
    const port = await portOf(running);
    await fetch(`http://127.0.0.1:${port}/nowhere`);
    running.signal('SIGTERM');
    const { code } = await running.ended;
    expect(code).toBe(0);
    expect(sink.spans().map(({ name }) => name)).toContain('GET');
    expect(sink.metrics().length).toBeGreaterThan(20);
    await sink.stop();
  });

  test('prints lines for people where it is asked to, without colours where no terminal is', async () => {
    running = start({ CHARTGATE_LOG_FORMAT: 'pretty' });
    const line = await running.saw('process.started');
    expect(line).toMatch(
      /^\d{4}-\S+Z INFO {2}process\.started instance=ins_\w+ component=gateway port=\d+ version=\S+$/,
    );
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });
});
