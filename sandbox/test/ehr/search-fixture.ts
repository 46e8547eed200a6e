import { startEhr, type DemoEhr } from '../../index.ts';
import { LOINC, MRN, aPatient, anObservation, askAt, idsOf, sorted, type Ask, type Fhir } from './support.ts';

const SPECIAL = ['a,b', 'a|b', 'a$b', 'a\\b', 'a', 'b', 'a\\,b'];

const patients: Fhir[] = [
  aPatient('A1', {
    id: 'p1',
    gender: 'female',
    birthDate: '1980-05-17',
    name: [{ family: 'Müller', given: ['Ána', 'Maria'] }],
  }),
  aPatient('A2', {
    id: 'p2',
    identifier: [
      { system: MRN, value: 'A2' },
      { system: 'urn:example:other', value: 'A1' },
    ],
    gender: 'male',
    birthDate: '1990-01-01',
    name: [{ use: 'official', family: 'Mullerson', given: ['Bob'] }],
  }),
  {
    resourceType: 'Patient',
    id: 'p3',
    identifier: [{ value: 'A1' }],
    name: [{ family: 'van Mull', given: ['Anabel'], prefix: ['Dr'] }],
  },
  ...SPECIAL.map((value, i) => aPatient(value, { id: `s${i}`, gender: 'other', name: [{ text: `Special ${i}` }] })),
];

const EFFECTIVE: Readonly<Record<string, Record<string, unknown>>> = {
  instant: { effectiveInstant: '2024-03-12T00:00:00.000Z' },
  second: { effectiveDateTime: '2024-03-10T10:00:00Z' },
  day: { effectiveDateTime: '2024-03-10' },
  month: { effectiveDateTime: '2024-03' },
  period: { effectivePeriod: { start: '2024-03-10T09:00:00Z', end: '2024-03-10T11:00:00Z' } },
  since: { effectivePeriod: { start: '2024-03-01' } },
  until: { effectivePeriod: { end: '2024-02-15' } },
  offset: { effectiveDateTime: '2024-03-11T00:30:00+02:00' },
  never: {},
};

const coded = (system: string | undefined, code: string) => ({
  code: { coding: [{ ...(system === undefined ? {} : { system }), code }] },
});

const VITAL = { category: [{ coding: [{ system: 'urn:example:category', code: 'vital-signs' }] }] };

const observations = (base: string): Fhir[] => [
  ...Object.entries(EFFECTIVE).map(([id, effective]) =>
    anObservation(id, { id, ...effective, ...coded('urn:example:dates', 'when') }),
  ),
  anObservation('o1', {
    id: 'o1',
    ...VITAL,
    subject: { reference: 'Patient/p1' },
    performer: [{ reference: 'Patient/p1' }],
  }),
  anObservation('o2', {
    id: 'o2',
    ...VITAL,
    subject: { reference: `${base}/Patient/p1` },
    status: 'amended',
    ...coded(LOINC, '29463-7'),
  }),
  anObservation('o3', {
    id: 'o3',
    subject: { reference: 'Patient/p2' },
    status: 'preliminary',
    ...coded('urn:example:local', '8867-4'),
  }),
  anObservation('o4', { id: 'o4', subject: { reference: 'Group/p1' }, ...coded(undefined, '8867-4') }),
  anObservation('o5', { id: 'o5', subject: { reference: 'Patient/p11' }, ...coded('urn:example:local', 'other') }),
];

const others: Fhir[] = [
  { resourceType: 'Group', id: 'p1', type: 'person', actual: true },
  {
    resourceType: 'Provenance',
    id: 'v1',
    target: [{ reference: 'Observation/o1' }, { reference: 'Observation/o3' }],
    recorded: '2024-03-10T10:00:00Z',
    agent: [{ who: { reference: 'Device/w1' } }],
  },
  {
    resourceType: 'Device',
    id: 'w1',
    identifier: [{ system: MRN, value: 'W1' }],
    patient: { reference: 'Patient/p1' },
    status: 'active',
  },
  {
    resourceType: 'DiagnosticReport',
    id: 'r1',
    identifier: [{ system: MRN, value: 'R1' }],
    status: 'final',
    category: [{ coding: [{ system: 'urn:example:category', code: 'LAB' }] }],
    code: { coding: [{ system: LOINC, code: '58410-2' }] },
    subject: { reference: 'Patient/p1' },
    effectiveDateTime: '2024-03-10',
    result: [{ reference: 'Observation/o1' }, { reference: 'Observation/o2' }],
  },
  {
    resourceType: 'Condition',
    id: 'c1',
    code: { coding: [{ system: 'http://snomed.info/sct', code: '38341003' }] },
    subject: { reference: 'Patient/p2' },
  },
  {
    resourceType: 'Encounter',
    id: 'e1',
    status: 'finished',
    class: { code: 'AMB' },
    subject: { reference: 'Patient/p1' },
    period: { start: '2024-03-10T09:00:00Z', end: '2024-03-10T09:30:00Z' },
  },
];

export type SearchFixture = {
  readonly ehr: DemoEhr;
  readonly ask: Ask;
  /** The ids that the search `path` matches, in the order of their names. */
  ids(path: string): Promise<string[]>;
};

/**
 * A server with people and observations that differ in one thing each; every resource is one minute younger than the
 * one before it.
 */
export async function startSearchFixture(): Promise<SearchFixture> {
  let now = Date.parse('2024-06-01T00:00:00Z');
  const ehr = await startEhr({
    host: '127.0.0.1',
    port: 0,
    clock: { now: () => new Date(now), monotonicMs: () => now },
  });
  const ask = askAt(ehr.url);
  for (const resource of [...patients, ...observations(ehr.url), ...others]) {
    const put = await ask('PUT', `${resource.resourceType}/${String(resource.id)}`, { body: resource });
    if (put.status !== 201) throw new Error(`the fixture could not be written: ${put.text}`);
    now += 60_000;
  }
  const ids = async (path: string): Promise<string[]> => {
    const found = await ask('GET', path);
    if (found.status !== 200) throw new Error(`${path} answered ${found.status}: ${found.text}`);
    return sorted(idsOf(found.body));
  };
  return { ehr, ask, ids };
}
