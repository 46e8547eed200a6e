import { expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { buildGranularEvents } from '../../../sandbox/summaries/index.ts';
import { loadTemplates, makeRunTemplate, type Template } from '../../../src/templates/index.ts';
import { REFUSALS } from '../../../src/templates/refusal.ts';
import { envelopeOf, type Json } from '../../support/payloads/index.ts';
import { quoted, tableRows } from '../../support/source-files.ts';

const folder = (name: string): string => new URL(`../../../mappings/${name}`, import.meta.url).pathname;
const EXAMPLES = loadTemplates([folder('custom-examples')]);
const validator = loadValidator();
const run = makeRunTemplate({ timeMs: 20_000 });
const runExample = (dataStructure: string, payload: unknown) => run(EXAMPLES.get(dataStructure) as Template, payload);

test('of the site nothing is active by default, and of the gateway what reads the laboratory JSON', () => {
  expect(loadTemplates([folder('custom')]).size).toBe(0);
  expect([...loadTemplates([folder('templates'), folder('custom')])].map(([name, { row }]) => [name, row])).toEqual([
    ['lab_result', 'templates/service-lab-json.json'],
  ]);
});

const AT = [Date.parse('2026-11-14T09:00:00Z'), Date.parse('2026-11-14T12:30:00Z')] as const;
/** As the sandbox sends them from a phone. */
const glucoseEvents = (values: readonly number[]): Json => {
  const [payload] = buildGranularEvents({
    about: { clientUuid: 'client-1', userId: 'user-1' },
    day: { dataSource: 'IosHealth', zone: 'Europe/Vienna' },
    samples: values.map((value, i) => ({ kind: 'blood_glucose', at: AT[i], values: [value] })),
    isTimeZone: true,
    device: null,
  } as never);
  return payload as unknown as Json;
};

test('a glucose event of the sandbox becomes an Observation for each reading, and its key does not depend on the values', async () => {
  const payload = glucoseEvents([101, 143]);
  const mapped = await runExample('body_blood_glucose_event', payload);
  if (!mapped.ok) throw new Error(mapped.fault.at);
  expect(mapped.value.resources).toMatchObject([
    {
      effectiveDateTime: '2026-11-14T10:00:00+01:00',
      valueQuantity: { value: 101, code: 'mg/dL' },
      device: { display: 'IosHealth' },
    },
    { effectiveDateTime: '2026-11-14T13:30:00+01:00', valueQuantity: { value: 143, code: 'mg/dL' } },
  ]);
  for (const one of mapped.value.resources)
    expect(
      validator
        .validate({ ...one, subject: { reference: 'Patient/p1' } })
        .filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
  const other = await runExample('body_blood_glucose_event', glucoseEvents([102, 144]));
  expect(other.ok && other.value.key).toBe(mapped.value.key);
});

test('events of another form are refused, not lost', async () => {
  const events = [{ metadata: { datetime_string: '2026-11-14T10:00:00+01:00' }, glucose_float: 5.6 }];
  const other = {
    ...envelopeOf('body_blood_glucose_event', 2, {}),
    body_health: { events: { body_blood_glucose_event: events } },
  };
  expect(await runExample('body_blood_glucose_event', other)).toMatchObject({
    ok: false,
    fault: { code: 'template.failed' },
  });
});

/** As the README of microsoft/iomt-fhir shows them, with an envelope around them. */
const readings = (...readings: readonly Json[]): Json => ({
  ...envelopeOf('device_vitals', 1, { userId: 'patient1' }),
  readings: readings.map((one) => ({ ...one, deviceid: 'device1', measurementdatetime: '2023-10-09T19:18:23+00:00' })),
});

test('readings of devices become what docs/migrate-from-iomt-fhir.md says, and their key does not depend on the values', async () => {
  const mapped = await runExample('device_vitals', readings({ heartrate: 65 }, { systolic: 120, diastolic: 80 }));
  if (!mapped.ok) throw new Error(mapped.fault.at);
  expect(mapped.value.resources).toMatchObject([
    {
      code: { coding: [{ code: '8867-4' }] },
      effectiveDateTime: '2023-10-09T19:18:23+00:00',
      device: { display: 'device1' },
      valueQuantity: { value: 65, code: '/min' },
    },
    {
      code: { coding: [{ code: '85354-9' }] },
      component: [
        { code: { coding: [{ code: '8480-6' }] }, valueQuantity: { value: 120, code: 'mm[Hg]' } },
        { code: { coding: [{ code: '8462-4' }] }, valueQuantity: { value: 80, code: 'mm[Hg]' } },
      ],
    },
  ]);
  for (const one of mapped.value.resources)
    expect(
      validator
        .validate({ ...one, subject: { reference: 'Patient/p1' } })
        .filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
  const other = await runExample('device_vitals', readings({ heartrate: 66 }, { systolic: 121, diastolic: 81 }));
  expect(other.ok && other.value.key).toBe(mapped.value.key);
});

test.each([
  ['text in the place of a number', 'template.failed', [{ heartrate: '65' }]],
  ['half a blood pressure', 'template.failed', [{ systolic: 120 }]],
  ['a reading of another kind beside a good one', 'template.failed', [{ heartrate: 65 }, { steps: 10 }]],
  ['no reading', 'template.output', []],
])('readings of devices with %s are refused, not lost', async (_, code, given) => {
  expect(await runExample('device_vitals', readings(...given))).toMatchObject({ ok: false, fault: { code } });
});

test('the page for authors lists every error code of ours', () => {
  const rows = tableRows('mappings/custom/README.md', '| code | meaning').map(([code = '', meaning]) => [
    quoted(code)[0],
    meaning,
  ]);
  expect(rows).toEqual(expect.arrayContaining(Object.entries(REFUSALS)));
});
