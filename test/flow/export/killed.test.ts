import { afterEach, expect, test } from '@jest/globals';
import { startEhr, type DemoEhr } from '../../../sandbox/ehr/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import { eventually } from '../../support/eventually.ts';
import { exportSettings, freePort, makeAsker, placeUrl, type Asker } from '../../support/export/start-exporting.ts';
import { PLACES, type Place } from '../../support/new-store.ts';
import { runProcess, serveSettings, type Running } from '../../support/run-process.ts';
import { DEMO_MRN_SYSTEM } from '../../../sandbox/ehr/index.ts';

const PATIENTS = 12;
const OBSERVATIONS = 30;

let place: Place;
let ehr: DemoEhr;
let settings: Record<string, string>;
let running: Running;
let at: Asker;
async function serve(makePlace: () => Promise<Place>): Promise<void> {
  place = await makePlace();
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (let n = 1; n <= PATIENTS; n += 1) {
    ehr.put({ resourceType: 'Patient', id: `k${n}`, identifier: [{ system: DEMO_MRN_SYSTEM, value: `K${n}` }] });
    for (let i = 0; i < OBSERVATIONS; i += 1)
      ehr.put({
        resourceType: 'Observation',
        id: `k${n}-${i}`,
        status: 'final',
        code: { text: 'x' },
        subject: { reference: `Patient/k${n}` },
      });
  }
  const port = await freePort();
  settings = { ...serveSettings(placeUrl(place)), ...exportSettings(ehr.url, port) };
  running = runProcess(['serve'], settings);
  await running.saw('process.started');
  at = makeAsker(`http://127.0.0.1:${port}`);
  for (let n = 1; n <= PATIENTS; n += 1) await at.link(`K${n}`);
}
afterEach(async () => {
  running.signal('SIGTERM');
  await running.ended;
  await ehr.stop();
  await place.remove();
});

test.each(PLACES)(
  'kill -9 in the middle of an export on %s: it goes on, and every resource is there once',
  async (_engine, makePlace) => {
    await serve(makePlace);
    const backend = await at.backend('system/Patient.rs system/Observation.rs');
    ehr.board.setRules([{ delayMs: 200 }]);
    const token = await backend.token();
    const status = await at.start(token, '/fhir/Patient/$export');
    const id = status.split('/').at(-1) ?? '';
    const done = async (): Promise<number> =>
      (JSON.parse((await at.admin('GET', `/exports/${id}`)).text) as { patients: { done: number } }).patients.done;
    for (const least of [2, 6]) {
      const reached = await eventually(done, (count) => count >= least, 60_000);
      expect(reached).toBeLessThan(PATIENTS);
      running.signal('SIGKILL');
      await running.ended;
      running = runProcess(['serve'], settings);
      await running.saw('process.started');
    }
    ehr.board.setRules([]);
    const lines = await at.lines(token, await at.finished(token, status, 100_000));
    const names = Object.entries(lines).flatMap(([type, all]) => all.map((one) => `${type}/${one.id}`));
    expect([names.length, new Set(names).size]).toEqual([PATIENTS * (1 + OBSERVATIONS), PATIENTS * (1 + OBSERVATIONS)]);
  },
  240_000,
);
