import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { standardMappings } from '../../support/standard-mappings.ts';
import { aClinicalReady, withAt, type Json } from '../../support/payloads/index.ts';
import { makeLedger, settingOf, translateText } from '../../support/translate-steps.ts';

const setting = settingOf(standardMappings(), { unmapped: 'leave-out' });
const ENTRIES = 'clinical_ready.clinical_ready_data.entry';

const device = (model: string) => ({
  device_type_string: 'scale',
  manufacturer_string: 'Example Devices',
  medical_grade_bool: null,
  model_string: model,
  source_type_string: 'wearable',
});

/** What one version of a document says of the weight; null where it says nothing. */
interface Version {
  readonly weight: number | null;
  readonly models: readonly string[];
  readonly providers: readonly string[];
}

const aVersion: fc.Arbitrary<Version> = fc.record({
  weight: fc.option(fc.constantFrom(70, 70.5, 71.25), { nil: null, freq: 6 }),
  models: fc.subarray(['Scale 1', 'Scale 2']),
  providers: fc.subarray(['scale_app', 'ring_wearable'], { minLength: 1 }),
});

function payloadOf({ weight, models, providers }: Version, documentVersion: number): Json {
  const whole = aClinicalReady({
    userId: 'user-0001',
    observations: 4,
    documentVersion,
    values: weight === null ? {} : { weight },
  });
  const entries = ENTRIES.split('.').reduce<unknown>((part, name) => (part as Json)[name], whole) as Json[];
  const kept = weight === null ? entries.filter((one) => !JSON.stringify(one).includes('"code":"weight"')) : entries;
  const said = withAt(withAt(whole, ENTRIES, kept), 'clinical_ready.metadata.sources_of_data_array', providers);
  return { ...said, device_source_data_array: models.map(device) };
}

interface Shown {
  readonly status: string;
  readonly value: number;
}

/**
 * As a clinician would have it: final until it says something else, then amended for good; withdrawn while nobody says
 * it.
 */
function model(before: Shown | null, { weight }: Version): Shown | null {
  if (weight === null) return before === null ? null : { ...before, status: 'entered-in-error' };
  if (before === null) return { status: 'final', value: weight };
  const isChanged = before.status !== 'final' || before.value !== weight;
  return { status: isChanged ? 'amended' : 'final', value: weight };
}

test('`amended` is said of what says something else, and of nothing else, whatever else changes from version to version', () => {
  fc.assert(
    fc.property(fc.array(aVersion, { minLength: 1, maxLength: 7 }), (versions) => {
      const step = makeLedger();
      let shown: Shown | null = null;
      let wanted: Shown | null = null;
      versions.forEach((version, i) => {
        const translation = translateText(JSON.stringify(payloadOf(version, i + 1)), setting);
        const { changes } = step(translation, setting, i + 1);
        for (const { resource } of changes) {
          if (!JSON.stringify(resource['code'] ?? null).includes('"29463-7"')) continue;
          const changed = changes.find((one) => one.resource === resource)?.change;
          const { value } = resource['valueQuantity'] as { value: number };
          if (changed !== 'keep') shown = { status: String(resource['status']), value };
        }
        wanted = model(wanted, version);
        expect(shown).toEqual(wanted);
      });
    }),
    { numRuns: 300 },
  );
});
