import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { searchParamsOf } from '../../../src/r4/index.ts';
import { paramsOf, RESOURCE_TYPES } from '../../ehr/search-params.ts';
import { startEhr, type DemoEhr } from '../../index.ts';
import { askAt, idsOf, query, sorted, type Ask, type Fhir } from './support.ts';

let ehr: DemoEhr;
const ask: Ask = (...args) => askAt(ehr.url)(...args);
const ids = async (path: string): Promise<string[]> => {
  const { status, body, text } = await ask('GET', path, { headers: { prefer: 'handling=strict' } });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return sorted(idsOf(body));
};

const US_CORE = 'http://hl7.org/fhir/us/core/StructureDefinition';
const LOINC = 'http://loinc.org';
const coded = (code: string, system = 'urn:example:codes') => ({ coding: [{ system, code }] });
const to = (reference: string) => ({ reference });
const mm = (value: number) => ({ value, unit: 'mmHg', system: 'http://unitsofmeasure.org', code: 'mm[Hg]' });

const RESOURCES: readonly Fhir[] = [
  {
    resourceType: 'Patient',
    id: 'ada',
    identifier: [{ system: 'urn:example:mrn', value: 'A1' }],
    name: [{ family: 'Lindqvist', given: ['Ada'] }],
    extension: [
      {
        url: `${US_CORE}/us-core-race`,
        extension: [{ url: 'ombCategory', valueCoding: { system: 'urn:oid:2.16.840.1.113883.6.238', code: '2106-3' } }],
      },
      { url: `${US_CORE}/us-core-ethnicity`, extension: [{ url: 'ombCategory', valueCoding: { code: '2186-5' } }] },
    ],
    address: [{ line: ['1 Harbour Road'], city: 'Springfield', state: 'MA', postalCode: '01101' }],
    telecom: [
      { system: 'phone', value: '555-0101' },
      { system: 'email', value: 'ada@example.org' },
    ],
    communication: [{ language: coded('en') }],
    deceasedDateTime: '2026-03-01',
  },
  { resourceType: 'Patient', id: 'bob', name: [{ family: 'Castellan' }], deceasedBoolean: false },
  { resourceType: 'Practitioner', id: 'okafor', name: [{ family: 'Okafor' }] },
  { resourceType: 'Organization', id: 'clinic', name: 'Clinic', address: [{ city: 'Salem' }] },
  {
    resourceType: 'Location',
    id: 'ward',
    name: 'Ward 1',
    position: { latitude: 48.2, longitude: 11.6 },
    address: { city: 'Springfield' },
  },
  {
    resourceType: 'Encounter',
    id: 'stay',
    status: 'finished',
    subject: to('Patient/ada'),
    location: [{ location: to('Location/ward') }],
    hospitalization: { dischargeDisposition: coded('home') },
    period: { start: '2026-10-17T00:00:00Z', end: '2026-10-19T12:00:00Z' },
    length: { value: 3, unit: 'd' },
    serviceProvider: to('Organization/clinic'),
  },
  {
    resourceType: 'Encounter',
    id: 'open',
    status: 'in-progress',
    subject: to('Patient/bob'),
    period: { start: '2026-10-17' },
  },
  {
    resourceType: 'Condition',
    id: 'problem',
    subject: to('Patient/ada'),
    encounter: to('Encounter/stay'),
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/condition-assertedDate', valueDateTime: '2026-10-17' }],
    onsetPeriod: { start: '2026-01', end: '2026-02' },
    abatementString: 'in spring',
    recordedDate: '2026-10-18',
  },
  {
    resourceType: 'CareTeam',
    id: 'team',
    subject: to('Patient/ada'),
    participant: [{ role: [coded('pcp')], member: to('Practitioner/okafor') }],
  },
  {
    resourceType: 'Goal',
    id: 'goal',
    subject: to('Patient/ada'),
    description: { ...coded('walk'), text: 'Walk more' },
    target: [{ dueDate: '2026-12-31' }],
  },
  { resourceType: 'ServiceRequest', id: 'order', subject: to('Patient/ada'), category: [coded('lab')] },
  { resourceType: 'Coverage', id: 'cover', beneficiary: to('Patient/ada'), payor: [to('Organization/clinic')] },
  {
    resourceType: 'MedicationDispense',
    id: 'dispense',
    subject: to('Patient/ada'),
    type: coded('FF'),
    medicationCodeableConcept: coded('tablet'),
    whenHandedOver: '2026-10-19T12:00:00Z',
  },
  {
    resourceType: 'MedicationRequest',
    id: 'prescription',
    subject: to('Patient/ada'),
    dosageInstruction: [{ timing: { event: ['2026-10-20T08:00:00Z'] } }],
  },
  { resourceType: 'Endpoint', id: 'endpoint', name: 'Direct', connectionType: { code: 'direct-project' } },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'answers',
    subject: to('Patient/ada'),
    questionnaire: 'http://example.org/Questionnaire/q|1',
  },
  {
    resourceType: 'Observation',
    id: 'pressure',
    subject: to('Patient/ada'),
    code: { ...coded('85354-9', LOINC), text: 'Blood pressure' },
    component: [
      { code: coded('8480-6', LOINC), valueQuantity: mm(128) },
      { code: coded('8462-4', LOINC), valueQuantity: mm(79) },
    ],
  },
  {
    resourceType: 'Observation',
    id: 'weight',
    subject: { ...to('Patient/bob'), identifier: { system: 'urn:example:mrn', value: 'B2' } },
    code: coded('29463-7', LOINC),
    valueQuantity: { value: 66.4, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
    effectiveTiming: { repeat: { boundsPeriod: { start: '2026-10-01', end: '2026-10-31' } } },
  },
];

beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  for (const resource of RESOURCES)
    await ask('PUT', `${resource.resourceType}/${String(resource.id)}`, { body: resource });
});

afterAll(() => ehr.stop());

test('every parameter that R4 defines for a type that is kept is known, with its type', () => {
  const unknown = RESOURCE_TYPES.flatMap((type) =>
    [...searchParamsOf(type)]
      .filter(([name, { kind }]) => paramsOf(type)?.get(name)?.kind !== kind)
      .map(([name, { kind }]) => `${type}.${name} (${kind})`),
  );
  expect(unknown).toEqual([]);
});

describe('parameters of R4 and of US Core', () => {
  test.each([
    ['Patient?race=2106-3', ['ada']],
    ['Patient?race=urn:oid:2.16.840.1.113883.6.238|2106-3', ['ada']],
    ['Patient?ethnicity=2186-5', ['ada']],
    ['Patient?ethnicity=2106-3', []],
    ['Patient?address=1 harbour', ['ada']],
    ['Patient?address:contains=harbour', ['ada']],
    ['Patient?address=spring', ['ada']],
    ['Patient?address-state=MA', ['ada']],
    ['Patient?email=ada@example.org', ['ada']],
    ['Patient?email=555-0101', []],
    ['Patient?phone=555-0101', ['ada']],
    ['Patient?language=en', ['ada']],
    ['Patient?deceased=true', ['ada']],
    ['Patient?deceased=false', ['bob']],
    ['Patient?death-date=2026-03', ['ada']],
    ['Organization?address=salem', ['clinic']],
    ['Location?address-city=Springfield', ['ward']],
    ['Location?near=48.1|11.5|20|km', ['ward']],
    ['Location?near=48.1|11.5|2|km', []],
    ['Encounter?location=Location/ward', ['stay']],
    ['Encounter?discharge-disposition=home', ['stay']],
    ['Encounter?length=gt2||d', ['stay']],
    ['Condition?asserted-date=2026-10-17', ['problem']],
    ['Condition?onset-date=ge2026-01', ['problem']],
    ['Condition?recorded-date=gt2026-10-18', []],
    ['Condition?abatement-string=in', ['problem']],
    ['CareTeam?role=pcp', ['team']],
    ['Goal?description=walk', ['goal']],
    ['Goal?description:text=more', ['goal']],
    ['Goal?target-date=le2026-12-31', ['goal']],
    ['ServiceRequest?category=lab', ['order']],
    ['Coverage?patient=ada', ['cover']],
    ['Coverage?payor=Organization/clinic', ['cover']],
    ['MedicationDispense?patient=ada&type=FF', ['dispense']],
    ['MedicationDispense?code=tablet', ['dispense']],
    ['MedicationDispense?whenhandedover=2026-10-19', ['dispense']],
    ['MedicationRequest?date=2026-10-20', ['prescription']],
    ['Endpoint?connection-type=direct-project', ['endpoint']],
    ['QuestionnaireResponse?questionnaire=http://example.org/Questionnaire/q', ['answers']],
    ['QuestionnaireResponse?questionnaire=http://example.org/Questionnaire/q|1', ['answers']],
    ['QuestionnaireResponse?questionnaire=http://example.org/Questionnaire/q|2', []],
    ['Observation?subject:identifier=urn:example:mrn|B2', ['weight']],
    ['Observation?code:text=pressure', ['pressure']],
    ['Observation?date=2026-10', ['weight']],
  ])('%s', async (path, expected) => {
    const [type = '', pairs = ''] = path.split('?');
    const given = pairs.split('&').map((one) => one.split('=') as [string, string]);
    expect(await ids(`${type}?${query(...given)}`)).toEqual(expected);
  });
});

// https://hl7.org/fhir/R4/search.html#quantity: a number without a prefix means what rounds to it.
describe('quantities', () => {
  test.each([
    ['66.4', ['weight']],
    ['66', ['weight']],
    ['66.40', ['weight']],
    ['66.5', []],
    ['gt66', ['weight']],
    ['lt66', []],
    ['ne70', ['weight']],
    ['ap70', ['weight']],
    ['66.4|http://unitsofmeasure.org|kg', ['weight']],
    ['66.4||kg', ['weight']],
    ['66.4|http://unitsofmeasure.org|g', []],
  ])('value-quantity=%s', async (value, expected) => {
    expect(await ids(`Observation?${query(['value-quantity', value])}`)).toEqual(expected);
  });

  test.each([
    ['component-code-value-quantity', `${LOINC}|8480-6$gt120`, ['pressure']],
    ['component-code-value-quantity', `${LOINC}|8462-4$gt120`, []],
    ['combo-code-value-quantity', '29463-7$66.4', ['weight']],
    ['code-value-quantity', '8480-6$128', []],
  ])('%s=%s', async (name, value, expected) => {
    expect(await ids(`Observation?${query([name, value])}`)).toEqual(expected);
  });

  test.each(['value-quantity=heavy', 'component-code-value-quantity=8480-6'])('%s is refused', async (pairs) => {
    expect((await ask('GET', `Observation?${pairs}`)).status).toBe(400);
  });
});

// R4, 3.1.1.4.8: `le` is "below, or inside the search's own range", and so for `ge`.
describe('a Period is compared by the letter', () => {
  test.each([
    ['le2026-10-17T00:00:00Z', []],
    ['le2026-10-17T00:00:00', []],
    ['le2026-10-17T00:00:01Z', ['open', 'stay']],
    ['le2026-10-17', []],
    ['le2026-10-18', ['open', 'stay']],
    ['lt2026-10-17', []],
    ['ge2026-10-19T12:00:00Z', ['open']],
    ['ge2026-10-19T11:59:59Z', ['open', 'stay']],
    ['ge2026-10-19', ['open']],
    ['ge2026-10', ['open', 'stay']],
    ['2026-10', ['stay']],
    ['ne2026-10', ['open']],
    ['sa2026-10-16', ['open', 'stay']],
    ['eb2026-10-20', ['stay']],
    ['ap2026-10-18', ['open', 'stay']],
  ])('Encounter?date=%s', async (value, expected) => {
    expect(await ids(`Encounter?date=${value}`)).toEqual(expected);
  });
});

describe('chains', () => {
  test.each([
    ['Observation?patient.identifier=urn:example:mrn|A1', ['pressure']],
    ['Observation?patient:Patient.family=lind', ['pressure']],
    ['Observation?subject:Patient.family=cast', ['weight']],
    ['Observation?subject.family=nobody', []],
    ['Condition?encounter.service-provider.name=clinic', ['problem']],
    ['CareTeam?participant:Practitioner.name=okafor', ['team']],
    ['CareTeam?participant.name=okafor', ['team']],
    ['Patient?_has:Observation:patient:code=29463-7', ['bob']],
    ['Patient?_has:Condition:patient:encounter.location=Location/ward', ['ada']],
  ])('%s', async (path, expected) => {
    const [type = '', pair = ''] = path.split('?');
    expect(await ids(`${type}?${query(pair.split('=') as [string, string])}`)).toEqual(expected);
  });

  test('a chain of which no type knows the end is no parameter, and one with a wrong value is refused', async () => {
    const strict = { headers: { prefer: 'handling=strict' } };
    const statuses = await Promise.all(
      [
        'Observation?patient.shoe-size=4',
        'Observation?code.name=x',
        'Observation?patient.birthdate=never',
        'Patient?_has:Observation:shoe:code=x',
      ].map(async (path) => (await ask('GET', path, strict)).status),
    );
    expect(statuses).toEqual([400, 400, 400, 400]);
  });
});

test('a parameter that was never searched by finds what was written before and after', async () => {
  const role = { resourceType: 'PractitionerRole', practitioner: to('Practitioner/okafor') };
  await ask('PUT', 'PractitionerRole/r1', { body: { ...role, id: 'r1' } });
  const before = await ids('PractitionerRole?practitioner=okafor');
  await ask('PUT', 'PractitionerRole/r2', { body: { ...role, id: 'r2' } });
  await ask('PUT', 'PractitionerRole/r1', { body: { ...role, id: 'r1', practitioner: to('Practitioner/other') } });
  expect([before, await ids('PractitionerRole?practitioner=okafor')]).toEqual([['r1'], ['r2']]);
});
