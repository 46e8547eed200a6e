import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { DEMO_PATIENTS, seedEhr, startEhr, type DemoEhr } from '../../../sandbox/ehr/index.ts';
import { startExporting, type Exporting } from '../../support/export/start-exporting.ts';
import { startNarrowEhr } from '../../support/narrow-ehr.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

/** A filter by what the EHR does not search by holds all the same. */
const [{ id: ID, mrn: MRN }] = DEMO_PATIENTS as unknown as [{ id: string; mrn: string }];
let place: Place;
let ehr: DemoEhr;
let narrow: Awaited<ReturnType<typeof startNarrowEhr>>;
let at: Exporting;

beforeAll(async () => {
  place = await sqlitePlace();
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  seedEhr(ehr);
  for (const [id, code] of [
    ['narrow-1', 'x'],
    ['narrow-2', 'y'],
  ] as const)
    ehr.put({
      resourceType: 'Observation',
      id,
      status: 'amended',
      code: { coding: [{ system: 'urn:codes', code }] },
      subject: { reference: `Patient/${ID}` },
    });
  narrow = await startNarrowEhr({ Observation: ['combo-code'] });
  at = await startExporting(place, { ehr, settings: { CHARTGATE_EHR_URL: narrow.before(ehr.url) } });
  await at.link(MRN);
});
afterAll(async () => {
  await at.stop();
  await narrow.stop();
  await ehr.stop();
  await place.remove();
});

test.each([
  ['combo-code=x', ['narrow-1']],
  ['status=amended&combo-code=y', ['narrow-2']],
  ['status=amended&combo-code=z', []],
])('_typeFilter=Observation?%s', async (query, expected) => {
  const token = await (await at.backend()).token();
  const filter = encodeURIComponent(`Observation?${query}`);
  const status = await at.start(token, `/fhir/Patient/$export?_type=Observation&_typeFilter=${filter}`);
  const lines = await at.lines(token, await at.finished(token, status));
  expect((lines['Observation'] ?? []).map(({ id }) => id)).toEqual(expected);
});
