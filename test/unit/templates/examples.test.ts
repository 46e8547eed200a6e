import { expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { loadTemplates, makeRunTemplate, type Mapped, type Template } from '../../../src/templates/index.ts';
import { REFUSALS } from '../../../src/templates/refusal.ts';
import { lossless } from '../../support/a-template.ts';
import { aServiceLabResult, envelopeOf } from '../../support/payloads/index.ts';
import { quoted, tableRows } from '../../support/source-files.ts';

const folder = (name: string): string => new URL(`../../../mappings/${name}`, import.meta.url).pathname;
const EXAMPLES = loadTemplates(folder('custom-examples'));
const validator = loadValidator();
const run = makeRunTemplate({ timeMs: 20_000 });

async function mapped(dataStructure: string, payload: unknown): Promise<Mapped> {
  const result = await run(EXAMPLES.get(dataStructure) as Template, payload);
  if (!result.ok) throw new Error(result.fault.code);
  const wrong = result.value.resources.map((one) =>
    validator.validate({ ...one, subject: { reference: 'Patient/p1' } }).filter(({ severity }) => severity === 'error'),
  );
  expect(wrong.flat()).toEqual([]);
  return result.value;
}

test('nothing is active by default', () => {
  expect(loadTemplates(folder('custom')).size).toBe(0);
});

test("the service's laboratory JSON becomes a report and its Observations", async () => {
  const payload = lossless(JSON.stringify(aServiceLabResult({ glucose: lossless('92.50') })));
  const { key, resources } = await mapped('lab_result', payload);
  expect(key).toBe('d0c00000-0000-4000-8000-000000000001');
  expect(JSON.stringify(resources)).toBe(
    JSON.stringify([
      {
        resourceType: 'DiagnosticReport',
        id: 'report',
        status: 'final',
        code: { text: 'Laboratory report' },
        effectiveDateTime: '2026-11-10T08:15:00+01:00',
        result: [{ reference: 'Observation/biomarker-glucose' }],
      },
      {
        resourceType: 'Observation',
        id: 'biomarker-glucose',
        status: 'final',
        code: { text: 'Glucose' },
        valueQuantity: { value: lossless('92.50'), unit: 'mg/dL' },
      },
    ]),
  );
});

test('a glucose event becomes an Observation, and its key does not depend on the value', async () => {
  const payload = (value: number): unknown => ({
    ...envelopeOf('body_blood_glucose_event', 2, {}),
    body_health: {
      events: {
        blood_glucose_event: [
          {
            metadata: { datetime_string: '2026-11-14T10:00:00+01:00' },
            blood_glucose: { blood_glucose_mg_per_dL_float: value },
          },
        ],
      },
    },
  });
  const { key, resources } = await mapped('body_blood_glucose_event', payload(101));
  expect(resources).toMatchObject([
    { resourceType: 'Observation', effectiveDateTime: '2026-11-14T10:00:00+01:00', valueQuantity: { value: 101, code: 'mg/dL' } },
  ]);
  expect((await mapped('body_blood_glucose_event', payload(102))).key).toBe(key);
});

test('the page for authors lists every error code of ours', () => {
  const rows = tableRows('mappings/custom/README.md', '| code | meaning').map(([code = '', meaning]) => [
    quoted(code)[0],
    meaning,
  ]);
  expect(rows).toEqual(expect.arrayContaining(Object.entries(REFUSALS)));
});
