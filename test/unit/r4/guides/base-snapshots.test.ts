import { describe, expect, test } from '@jest/globals';
import type { ElementDefinition } from '@medplum/fhirtypes';
import { baseSnapshotOf } from '../../../../src/r4/guides/base-snapshots.ts';
import { medplumStructures } from './published-guides.ts';

const published = [...medplumStructures('profiles-types.json'), ...medplumStructures('profiles-resources.json')].filter(
  ({ derivation, kind }) => derivation !== 'constraint' && kind !== 'logical',
);

const unversioned = (address = ''): string => address.replace(/\|.*$/, '');

/** What the table keeps of an element, in one line; Age and its like have their elements from Quantity. */
function lineOf({ path, min, max, base, type = [], contentReference, binding }: ElementDefinition): string {
  const types = type.map(({ code, profile = [], targetProfile = [] }) => {
    const targets = code === 'Reference' && !targetProfile.some((one) => /\/Resource$/.test(one)) ? targetProfile : [];
    return `${code}<${profile.join()}>(${targets.join()})`;
  });
  const bound = binding?.strength === 'required' ? unversioned(binding.valueSet) : '';
  const origin = base?.path.replace(/^(?:Age|Count|Distance|Duration)\./, 'Quantity.') ?? '';
  return `${path} ${min}..${max} ${origin} ${types.join('|')} ${contentReference ?? ''} ${bound}`.replace(OPEN, '');
}

/** Types in which Medplum's files are not R4: they have elements of Medplum's own, or of later releases. */
const NOT_R4 = new Set([
  'SubscriptionStatus',
  'Meta',
  'Binary',
  'Reference',
  'AuditEvent',
  'DetectedIssue',
  'DeviceDefinition',
  'EvidenceVariable',
  'HealthcareService',
  'MeasureReport',
  'ObservationDefinition',
  'ResearchStudy',
  'Bundle',
]);

/** The one required binding that names a set which nobody may list here. */
const OPEN = 'http://loinc.org/vs/LL379-9';

describe('the snapshot of a type, made from the table', () => {
  const names = published.map(({ type }) => type).filter((type) => !NOT_R4.has(type));

  test('exists for every type of R4', () => {
    expect(names.length).toBeGreaterThan(190);
    expect(names.filter((name) => baseSnapshotOf(name) === undefined)).toEqual([]);
  });

  test('has the elements, cardinality, types, targets and required bindings that HL7 publishes', () => {
    const differences = published
      .filter(({ type, kind }) => !NOT_R4.has(type) && kind !== 'primitive-type')
      .flatMap(({ type, snapshot }) => {
        const ours = new Set(baseSnapshotOf(type)?.snapshot?.element.map(lineOf));
        const theirs = new Set(snapshot?.element.map(lineOf));
        return [
          ...[...theirs].filter((line) => !ours.has(line)).map((line) => `theirs ${line}`),
          ...[...ours].filter((line) => !theirs.has(line)).map((line) => `ours   ${line}`),
        ];
      });
    expect(differences).toEqual([]);
  });

  test('of a primitive has an id, extensions and a value', () => {
    const linesOf = (name: string): unknown =>
      baseSnapshotOf(name)?.snapshot?.element.map(({ path, min, max, type }) => [path, min, max, type?.[0]?.code]);
    expect(linesOf('date')).toEqual([
      ['date', 0, '*', undefined],
      ['date.id', 0, '1', 'http://hl7.org/fhirpath/System.String'],
      ['date.extension', 0, '*', 'Extension'],
      ['date.value', 0, '1', 'http://hl7.org/fhirpath/System.Date'],
    ]);
  });

  test('names R4 as the source of its invariants', () => {
    const observation = baseSnapshotOf('Observation')?.snapshot?.element[0];
    expect(observation?.constraint?.map(({ key, source }) => [key, source])).toEqual([
      ['obs-6', 'http://hl7.org/fhir/StructureDefinition/Observation'],
      ['obs-7', 'http://hl7.org/fhir/StructureDefinition/Observation'],
    ]);
  });

  test('is a quantity without comparator for SimpleQuantity, and nothing for what is no type', () => {
    const simple = baseSnapshotOf('SimpleQuantity')?.snapshot?.element;
    expect(simple?.find(({ path }) => path === 'Quantity.comparator')?.max).toBe('0');
    for (const name of ['Observation.component', 'NoType', '__proto__', 'constructor'])
      expect(baseSnapshotOf(name)).toBeUndefined();
  });
});
