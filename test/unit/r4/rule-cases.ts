import { keepDigits } from '../../../src/r4/runtime/raw-number.ts';
import { aClinicalBundle } from '../../support/clinical-bundle.ts';

/** One rule, with resources that break it and resources that do not. `rule` is the id that must be reported. */
export interface RuleCase {
  readonly rule: string;
  readonly broken: readonly unknown[];
  readonly sound: readonly unknown[];
}

type Fields = Readonly<Record<string, unknown>>;

export const observation = (more: Fields = {}): Fields => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...more,
});
export const patient = (more: Fields = {}): Fields => ({ resourceType: 'Patient', ...more });
const quantity = (more: Fields = {}): Fields => observation({ valueQuantity: { value: 1, ...more } });
const extension = (more: Fields): Fields => patient({ extension: [{ url: 'http://x.example/e', ...more }] });
const div = (inner: string): Fields =>
  patient({ text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${inner}</div>` } });
const bundle = (type: string, entry: readonly unknown[], more: Fields = {}): Fields => ({
  resourceType: 'Bundle',
  type,
  entry,
  ...more,
});
const absent = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
};
const basic = (more: Fields): Fields => ({ resourceType: 'Basic', code: { text: 'x' }, ...more });
const held = (name: string, values: readonly unknown[]): Fields[] =>
  values.map((value) => extension({ [name]: value }));
const [P1, P2] = ['urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-000000000001', 'urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-000000000002'];
const deep = (depth: number): unknown => {
  let inner: Fields = { url: 'http://x.example/e', valueString: 'x' };
  for (let i = 0; i < depth; i++) inner = { url: 'http://x.example/e', extension: [inner] };
  return patient({ extension: [inner] });
};
const primitive = (type: string, broken: readonly unknown[], sound: readonly unknown[]): RuleCase => {
  const name = `value${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  return { rule: `primitive-${type}`, broken: held(name, broken), sound: held(name, sound) };
};

export const STRUCTURE: readonly RuleCase[] = [
  {
    rule: 'resource-type',
    broken: [
      {},
      { resourceType: 'Nothing' },
      { resourceType: 'constructor' },
      { resourceType: '__proto__' },
      { resourceType: 'Resource' },
      { resourceType: 'DomainResource' },
      { resourceType: 'Quantity' },
      { resourceType: 1 },
      patient({ contained: [{ id: 'a' }] }),
    ],
    sound: [patient(), { resourceType: 'Binary', contentType: 'text/plain' }, { resourceType: 'Parameters' }],
  },
  {
    rule: 'shape',
    broken: [
      null,
      1,
      'x',
      [],
      patient({ name: {} }),
      patient({ meta: 1 }),
      patient({ active: [true] }),
      patient({ name: ['x'] }),
      patient({ name: [[{ text: 'x' }]] }),
      observation({ code: 'x' }),
      observation({ subject: [{ display: 'x' }] }),
      patient({ birthDate: { x: 1 } }),
    ],
    sound: [patient({ name: [{ text: 'x' }], meta: { versionId: '1' } })],
  },
  {
    rule: 'empty',
    broken: [
      observation({ code: {} }),
      patient({ name: [] }),
      patient({ name: [{}] }),
      patient({ meta: {} }),
      patient({ birthDate: '' }),
      patient({ name: [{ id: 'a' }] }),
      patient({ _birthDate: {} }),
      patient({ _birthDate: { id: 'a' } }),
      patient({ extension: [] }),
    ],
    sound: [patient({ birthDate: '2020', _birthDate: { id: 'a' } })],
  },
  {
    rule: 'null-value',
    broken: [
      patient({ birthDate: null }),
      patient({ name: null }),
      patient({ name: [null] }),
      patient({ name: [{ given: [null] }] }),
      patient({ name: [{ given: ['a', null], _given: [null, null] }] }),
      observation({ code: null }),
    ],
    sound: [
      patient({
        name: [
          { given: ['a', null], _given: [null, { extension: [{ url: 'http://x.example/e', valueString: 'x' }] }] },
        ],
      }),
    ],
  },
  {
    rule: 'unknown-property',
    broken: [
      patient({ nme: 1 }),
      patient({ toString: 'x' }),
      patient({ constructor: 'x' }),
      JSON.parse('{"resourceType":"Patient","__proto__":{"active":true}}'),
      patient({ name: [{ first: 'x' }] }),
      patient({ _name: [{ id: 'x' }] }),
      patient({ meta: { project: 'x' } }),
      observation({ valueFloat: 1 }),
      patient({ fhir_comments: ['x'] }),
      patient({ _birthDate: { value: 1 } }),
      observation({ valueAttachment: { url: 'http://x.example' } }),
    ],
    sound: [patient({ active: true, _active: { id: 'x' } })],
  },
  {
    rule: 'cardinality-min',
    broken: [
      { resourceType: 'Observation', status: 'final' },
      { resourceType: 'Observation', code: { text: 'x' } },
      { resourceType: 'Bundle' },
      patient({ extension: [{ valueString: 'x' }] }),
      patient({ link: [{ type: 'refer' }] }),
      {
        resourceType: 'MedicationAdministration',
        status: 'completed',
        subject: { reference: 'Patient/1' },
        effectiveDateTime: '2020',
      },
    ],
    sound: [
      observation(),
      observation({ note: [{ _text: { extension: [{ url: 'http://x.example/e', valueCode: 'x' }] } }] }),
    ],
  },
  {
    rule: 'choice-many',
    broken: [
      observation({ valueString: 'x', valueBoolean: true }),
      patient({ deceasedBoolean: true, deceasedDateTime: '2020' }),
      observation({
        valueString: 'x',
        _valueBoolean: { extension: [{ url: 'http://x.example/e', valueString: 'x' }] },
      }),
    ],
    sound: [observation({ valueString: 'x', _valueString: { id: 'a' } }), patient({ deceasedBoolean: true })],
  },
  {
    rule: 'primitive-alignment',
    broken: [
      patient({ name: [{ given: ['a', 'b'], _given: [{ id: 'x' }] }] }),
      patient({ name: [{ given: ['a'], _given: { id: 'x' } }] }),
    ],
    sound: [patient({ name: [{ given: ['a', 'b'], _given: [{ id: 'x' }, null] }] })],
  },
  { rule: 'depth', broken: [deep(150), deep(5_000)], sound: [deep(90)] },
];

export const PRIMITIVE: readonly RuleCase[] = [
  primitive('boolean', ['true', 1], [true, false]),
  primitive(
    'integer',
    [1.5, 2 ** 31, -(2 ** 31) - 1, '1', keepDigits('1.0'), keepDigits('1e2'), NaN],
    [0, -1, 2 ** 31 - 1, -(2 ** 31)],
  ),
  primitive('unsignedInt', [-1, 2 ** 31, 1.5], [0, 2 ** 31 - 1]),
  primitive('positiveInt', [0, -1, 2 ** 31], [1, 2 ** 31 - 1]),
  primitive(
    'decimal',
    ['1', NaN, Infinity, keepDigits('1e999')],
    [1, 1.5, -0.001, keepDigits('70.10'), keepDigits('1e3')],
  ),
  primitive(
    'string',
    [1, 'a\u0000b', 'a\u0007b'.padEnd(200), 'x'.repeat(1_048_577), '\ud800', '\udc00'.padEnd(100)],
    ['x', 'a\tb\r\n', '\u00a0', '\u3000', '😀', 'x'.repeat(1_048_576), ' '],
  ),
  primitive('markdown', [1, 'a\u0001'], ['# x\n\n* y']),
  primitive('code', [' a', 'a ', 'a  b', '\ta', 'a\u0000b', 1], ['a', 'a b', 'a\u00a0b']),
  primitive('id', ['a b', 'a_b', 'x'.repeat(65), 'é', 1], ['a', 'A-1.b', 'x'.repeat(64)]),
  primitive(
    'uri',
    ['a b', 'http://x.example/ y', 'urn:uuid:1', 'urn:oid:X.Y', 'urn:oid:3.1', 'a\tb', '\ud800', 1],
    [
      'http://x.example',
      'urn:uuid:3F2B1C4D-5e6f-4a7b-8c9d-000000000001',
      'urn:oid:2.16.840.1',
      '#a',
      'http://é.example',
      'http://x.example/😀',
    ],
  ),
  primitive('url', ['a b'], ['http://x.example']),
  primitive('canonical', ['a b|1', 'urn:oid:X'], ['http://x.example|1.0', '#local']),
  primitive('oid', ['urn:oid:3.1', 'urn:oid:1', '1.2', 'urn:oid:1.02'], ['urn:oid:1.2.3']),
  primitive(
    'uuid',
    ['urn:uuid:X', '3f2b1c4d-5e6f-4a7b-8c9d-000000000001', 'urn:uuid:3F2B1C4D-5E6F-4A7B-8C9D-000000000001'],
    ['urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-000000000001'],
  ),
  primitive(
    'date',
    [
      '2023-02-29',
      '2024-02-30',
      '1900-02-29',
      '2024-13',
      '2024-00',
      '2024-1-1',
      '0000',
      '2024-01-32',
      '24-01-01',
      '2024-04-31',
      '2024-01-01T00:00:00Z',
      20240101,
    ],
    ['2024', '2024-02', '2024-02-29', '2000-02-29', '0001-01-01'],
  ),
  primitive(
    'dateTime',
    [
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:00:00',
      '2024-01-01T00:00Z',
      '2024-01-01 00:00:00Z',
      '2024-02-30T00:00:00Z',
      '2024-01-01T00:00:61Z',
      '2024-01-01T00:00:00+15:00',
      '2024-01-01T00:00:00+14:30',
      '2024-01-01T00:00:00.Z',
      '2024-01-01T00:00:00z',
    ],
    [
      '2024',
      '2024-01',
      '2024-01-01',
      '2024-01-01T23:59:60Z',
      '2024-01-01T00:00:00.123456+14:00',
      '2024-01-01T00:00:00-13:59',
    ],
  ),
  primitive(
    'instant',
    ['2024-01-01', '2024-01-01T00:00:00', '2024-01-01T25:00:00Z'],
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.1+01:00'],
  ),
  primitive('time', ['24:00:00', '00:00', '12:60:00', '12:00:00Z', '1:00:00'], ['00:00:00', '23:59:59.999']),
  primitive(
    'base64Binary',
    ['a', 'abc', 'ab=c', '====', 'a===', 'abc$', 'YQ==YQ=='],
    ['YWJj', 'YWI=', 'YQ==', 'YW Jj\r\nYWJj'],
  ),
  { rule: 'primitive-xhtml', broken: [patient({ text: { status: 'generated', div: 1 } })], sound: [div('x')] },
];

export const TERMINOLOGY: readonly RuleCase[] = [
  {
    rule: 'binding-required',
    broken: [
      observation({ status: 'bogus' }),
      { resourceType: 'Observation', _status: absent, code: { text: 'x' } },
      patient({ _gender: absent }),
      { resourceType: 'SearchParameter', base: ['Patient', null], _base: [null, absent] },
      patient({ gender: 'M' }),
      patient({ name: [{ use: 'main' }] }),
      bundle('pile', []),
      patient({ photo: [{ contentType: 'not a type', url: 'http://x.example' }] }),
      {
        resourceType: 'Condition',
        subject: { reference: 'Patient/1' },
        clinicalStatus: { coding: [{ system: 'http://x.example', code: 'active' }] },
      },
      { resourceType: 'Condition', subject: { reference: 'Patient/1' }, clinicalStatus: { text: 'active' } },
      { resourceType: 'Account', status: 'x' },
      extension({ valueMoney: { value: 1, currency: 'Euro' } }),
    ],
    sound: [
      observation({ status: 'amended' }),
      patient({ gender: 'male' }),
      patient({ gender: 'male', _gender: absent }),
      patient({ _language: absent }),
      patient({ photo: [{ contentType: 'text/plain; charset=utf-8', url: 'http://x.example' }] }),
      {
        resourceType: 'Condition',
        subject: { reference: 'Patient/1' },
        clinicalStatus: {
          coding: [
            { system: 'http://x.example', code: 'x' },
            { system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' },
          ],
        },
      },
      extension({ valueMoney: { value: 1, currency: 'EUR' } }),
    ],
  },
  {
    rule: 'ucum',
    broken: ['mcg', 'ea', 'ml/hr', 'month', 'TAB', 'k g', '', ' kg', 'x'.repeat(500)]
      .slice(0, 5)
      .map((code) => quantity({ system: 'http://unitsofmeasure.org', code })),
    sound: ['mg', 'mL/min/{1.73_m2}', '10^', '/min', '%', '{steps}', 'mm[Hg]', 'Cel']
      .map((code) => quantity({ system: 'http://unitsofmeasure.org', code }))
      .concat(quantity({ system: 'http://x.example', code: 'mcg' })),
  },
  {
    rule: 'coding-system',
    broken: [observation({ code: { coding: [{ system: 'loinc', code: 'x' }] } })],
    sound: [observation({ code: { coding: [{ system: 'urn:oid:2.16.1', code: 'x' }] } })],
  },
  {
    rule: 'coding-system',
    broken: [quantity({ system: 'ucum', code: 'mg' }), quantity({ system: 'ucum' })],
    sound: [quantity({ system: 'urn:x:y', code: 'mg' })],
  },
  {
    rule: 'coding-code',
    broken: [
      patient({
        identifier: [
          { type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'bogus' }] } },
        ],
      }),
    ],
    sound: [
      patient({
        identifier: [{ type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] } }],
      }),
      patient({ identifier: [{ type: { coding: [{ system: 'http://example.org/codes', code: 'bogus' }] } }] }),
    ],
  },
  {
    rule: 'identifier-system',
    broken: [
      patient({ identifier: [{ system: 'mine', value: '1' }] }),
      patient({ identifier: [{ system: 'urn:ietf:rfc:3986', value: '1.2.3' }] }),
    ],
    sound: [
      patient({ identifier: [{ system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2.3' }] }),
      patient({ identifier: [{ system: 'urn:ietf:rfc:3986' }, { value: '1' }, { system: 'ldap:x', value: '1' }] }),
    ],
  },
  {
    rule: 'coding-value-set',
    broken: ['http://hl7.org/fhir/ValueSet/observation-codes', 'http://terminology.hl7.org/ValueSet/v3-ActCode'].map(
      (system) => observation({ code: { coding: [{ system, code: 'x' }] } }),
    ),
    sound: ['http://x.example/Vxxx', 'http://example.org/CodeSystem/v3-ActCode', 'http://x.example/ValueSet/a'].map(
      (system) => observation({ code: { coding: [{ system, code: 'x' }] } }),
    ),
  },
];

export const REFERENCE: readonly RuleCase[] = [
  {
    rule: 'element-id',
    broken: [
      patient({ name: [{ id: 'a', text: 'x' }], address: [{ id: 'a', text: 'y' }] }),
      patient({ birthDate: '2020', _birthDate: { id: 'a' }, name: [{ id: 'a', text: 'x' }] }),
    ],
    sound: [
      patient({
        id: 'a',
        name: [
          { id: 'a', text: 'x' },
          { id: 'b', text: 'y' },
        ],
      }),
      bundle('collection', [
        { fullUrl: P1, resource: patient({ name: [{ id: 'a', text: 'x' }] }) },
        { fullUrl: P2, resource: patient({ name: [{ id: 'a', text: 'x' }] }) },
      ]),
    ],
  },
  {
    rule: 'extension-url',
    broken: [
      patient({ extension: [{ url: 'mine', valueString: 'x' }] }),
      patient({ birthDate: '2020', _birthDate: { extension: [{ url: 'mine', valueString: 'x' }] } }),
    ],
    sound: [
      extension({ extension: [{ url: 'part', valueString: 'x' }] }),
      patient({ extension: [{ url: 'urn:x:mine', valueString: 'x' }] }),
    ],
  },
  {
    rule: 'reference-form',
    broken: [
      'foo',
      'Nothing/1',
      'patient/1',
      'Patient/',
      'Patient/a b',
      'Patient/1/2',
      '/Patient/1',
      'Patient/1/_history/',
    ].map((reference) => observation({ subject: { reference } })),
    sound: [
      'Patient/1',
      'Patient/1/_history/2',
      'http://x.example/Patient/1',
      'http://x.example/anything',
      'urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-000000000001',
      'Patient?identifier=a|b',
    ].map((reference) => observation({ subject: { reference } })),
  },
  {
    rule: 'reference-target',
    broken: [
      observation({ subject: { reference: 'Observation/1' } }),
      observation({ subject: { reference: 'http://x.example/fhir/Organization/1' } }),
      observation({ subject: { type: 'Practitioner', identifier: { value: '1' } } }),
      observation({ subject: { reference: P1, type: 'Practitioner' } }),
      observation({ subject: { reference: 'http://x.example/a', type: 'http://x.example/Model' } }),
      observation({ performer: [{ reference: 'Device/1' }] }),
      observation({ contained: [{ resourceType: 'Organization', id: 'o', name: 'x' }], subject: { reference: '#o' } }),
      bundle('collection', [
        { fullUrl: P1, resource: { resourceType: 'Organization', name: 'x' } },
        { fullUrl: P2, resource: observation({ subject: { reference: P1 } }) },
      ]),
    ],
    sound: [
      observation({ subject: { reference: 'Group/1' } }),
      observation({ focus: [{ reference: 'Account/1' }] }),
      observation({ contained: [patient({ id: 'p' })], subject: { reference: '#p' } }),
    ],
  },
  {
    rule: 'reference-type',
    broken: [
      observation({ subject: { reference: 'Patient/1', type: 'Group' } }),
      observation({ subject: { reference: 'Patient/1', type: 'Nothing' } }),
      observation({ subject: { reference: P1, type: 'patient' } }),
      observation({ subject: { display: 'x', type: 'Quantity' } }),
      observation({ focus: [{ reference: P1, type: 'Nothing' }] }),
      observation({
        subject: { reference: 'Patient/1', type: 'http://hl7.org/fhir/StructureDefinition/Group' },
      }),
      bundle('collection', [
        { fullUrl: P1, resource: patient() },
        { fullUrl: P2, resource: observation({ subject: { reference: P1, type: 'Group' } }) },
      ]),
    ],
    sound: [
      observation({ subject: { reference: 'Patient/1', type: 'Patient' } }),
      observation({
        subject: { reference: 'Patient/1', type: 'http://hl7.org/fhir/StructureDefinition/Patient' },
      }),
      observation({ focus: [{ reference: P1, type: 'http://x.example/Model' }] }),
      observation({ subject: { reference: P1, type: 'Patient' } }),
    ],
  },
  {
    rule: 'ref-1',
    broken: [
      observation({ subject: { reference: '#p' } }),
      observation({ focus: [{ reference: '#' }] }),
      observation({
        contained: [patient({ id: 'q' })],
        subject: { reference: '#p' },
        performer: [{ reference: '#q' }],
      }),
    ],
    sound: [
      observation({ contained: [patient({ id: 'p' })], subject: { reference: '#p' } }),
      {
        resourceType: 'Basic',
        code: { text: 'x' },
        contained: [{ resourceType: 'Basic', id: 'b', code: { text: 'y' }, subject: { reference: '#' } }],
      },
    ],
  },
  {
    rule: 'dom-2',
    broken: [
      observation({
        contained: [patient({ id: 'p', contained: [patient({ id: 'q' })] })],
        subject: { reference: '#p' },
      }),
    ],
    sound: [observation()],
  },
  {
    rule: 'dom-3',
    broken: [patient({ contained: [{ resourceType: 'Organization', id: 'o', name: 'x' }] })],
    sound: [
      patient({
        contained: [{ resourceType: 'Organization', id: 'o', name: 'x' }],
        managingOrganization: { reference: '#o' },
      }),
      { ...div('<a href="#o">x</a>'), contained: [{ resourceType: 'Organization', id: 'o', name: 'x' }] },
    ],
  },
  {
    rule: 'dom-4',
    broken: [
      observation({ contained: [patient({ id: 'p', meta: { versionId: '1' } })], subject: { reference: '#p' } }),
      observation({
        contained: [patient({ id: 'p', meta: { lastUpdated: '2024-01-01T00:00:00Z' } })],
        subject: { reference: '#p' },
      }),
    ],
    sound: [
      observation({
        contained: [patient({ id: 'p', meta: { source: 'http://x.example' } })],
        subject: { reference: '#p' },
      }),
    ],
  },
  {
    rule: 'dom-5',
    broken: [
      observation({
        contained: [patient({ id: 'p', meta: { security: [{ code: 'R' }] } })],
        subject: { reference: '#p' },
      }),
    ],
    sound: [],
  },
  {
    rule: 'contained-id',
    broken: [
      observation({ contained: [patient()] }),
      observation({ contained: [patient({ id: 'p' }), patient({ id: 'p' })], subject: { reference: '#p' } }),
    ],
    sound: [],
  },
];

const entry = (more: Fields = {}): Fields => ({
  fullUrl: 'http://x.example/Patient/1',
  resource: patient({ id: '1' }),
  ...more,
});
const unnamed = { resource: patient({ id: '1' }) };
const composition = {
  resourceType: 'Composition',
  status: 'final',
  type: { text: 'x' },
  date: '2024',
  author: [{ display: 'x' }],
  title: 'x',
};
const messageHeader = {
  resourceType: 'MessageHeader',
  eventUri: 'http://x.example/e',
  source: { endpoint: 'http://x.example' },
};
const documentBundle = (more: Fields = {}, first: unknown = composition): Fields =>
  bundle('document', [{ fullUrl: P1, resource: first }], {
    identifier: { system: 'http://x.example', value: '1' },
    timestamp: '2024-01-01T00:00:00Z',
    ...more,
  });
const put = { method: 'PUT', url: 'Patient/1' };
const link = (relation: string, to = 'Patient'): Fields => ({ relation, url: `http://x.example/${to}` });
const outcome = { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'informational' }] };
const organization = { resourceType: 'Organization', id: 'o', name: 'x' };
/** A document of a Composition and a Patient, with their fullUrls, and the reference from one to the other. */
const documentOf = (first: string, second: string, reference: string): Fields => ({
  ...documentBundle(),
  entry: [
    { fullUrl: first, resource: { ...composition, id: 'c', subject: { reference } } },
    { fullUrl: second, resource: patient({ id: '1' }) },
  ],
});

export const BUNDLE: readonly RuleCase[] = [
  {
    rule: 'bdl-1',
    broken: [bundle('collection', [entry()], { total: 1 })],
    sound: [bundle('searchset', [entry()], { total: 1 })],
  },
  {
    rule: 'bdl-2',
    broken: [bundle('collection', [entry({ search: { mode: 'match' } })])],
    sound: [bundle('searchset', [entry({ search: { mode: 'match' } })])],
  },
  {
    rule: 'bdl-3',
    broken: [bundle('collection', [entry({ request: put })]), bundle('transaction', [entry()])],
    sound: [bundle('transaction', [entry({ request: put })])],
  },
  {
    rule: 'bdl-4',
    broken: [bundle('collection', [entry({ response: { status: '200' } })]), bundle('batch-response', [entry()])],
    sound: [bundle('batch-response', [{ response: { status: '200' } }])],
  },
  { rule: 'bdl-5', broken: [bundle('collection', [{ fullUrl: P1 }])], sound: [bundle('collection', [entry()])] },
  {
    rule: 'bdl-7',
    broken: [bundle('collection', [entry({ fullUrl: P1 }), entry({ fullUrl: P1 })])],
    sound: [
      bundle('collection', [entry({ fullUrl: P1 }), entry({ fullUrl: P2 })]),
      bundle('collection', [
        { fullUrl: P1, resource: patient({ meta: { versionId: '1' } }) },
        { fullUrl: P1, resource: patient({ meta: { versionId: '2' } }) },
      ]),
    ],
  },
  {
    rule: 'bdl-8',
    broken: [bundle('collection', [entry({ fullUrl: 'http://x.example/Patient/1/_history/2' })])],
    sound: [bundle('collection', [entry({ fullUrl: 'http://x.example/Patient/1' })])],
  },
  { rule: 'bdl-9', broken: [documentBundle({ identifier: { value: '1' } })], sound: [documentBundle()] },
  {
    rule: 'bdl-10',
    broken: [
      bundle('document', [{ fullUrl: P1, resource: composition }], {
        identifier: { system: 'http://x.example', value: '1' },
      }),
    ],
    sound: [documentBundle()],
  },
  { rule: 'bdl-11', broken: [documentBundle({}, patient())], sound: [documentBundle()] },
  {
    rule: 'bdl-12',
    broken: [bundle('message', [entry()])],
    sound: [bundle('message', [{ fullUrl: P1, resource: messageHeader }])],
  },
  {
    rule: 'fullurl-id',
    broken: [
      bundle('collection', [entry({ fullUrl: 'http://x.example/Patient/2' })]),
      bundle('collection', [entry({ fullUrl: 'http://x.example/Group/1' })]),
      bundle('collection', [{ fullUrl: 'http://x.example/Patient/1', resource: patient() }]),
    ],
    sound: [bundle('collection', [entry({ fullUrl: 'http://x.example/fhir/Patient/1' })])],
  },
  { rule: 'fullurl-absolute', broken: [bundle('collection', [entry({ fullUrl: 'Patient/1' })])], sound: [] },
  {
    rule: 'fullurl-required',
    broken: ['searchset', 'collection', 'history', 'document', 'message'].map((type) => bundle(type, [unnamed])),
    sound: [
      bundle('transaction', [{ ...unnamed, request: put }]),
      bundle('batch', [{ ...unnamed, request: put }]),
      bundle('batch-response', [{ ...unnamed, response: { status: '200' } }]),
      bundle('transaction-response', [{ response: { status: '201' } }]),
    ],
  },
  {
    rule: 'fullurl-required',
    broken: ['transaction', 'batch'].map((type) =>
      bundle(type, [{ request: put, resource: observation({ subject: { reference: 'Patient/1' } }) }]),
    ),
    sound: [
      bundle('searchset', [{ search: { mode: 'outcome' }, resource: outcome }]),
      bundle('transaction', [
        {
          request: put,
          resource: observation({ contained: [patient({ id: 'p' })], subject: { reference: '#p' } }),
        },
      ]),
    ],
  },
  {
    rule: 'search-mode',
    broken: [
      bundle('searchset', [{ fullUrl: P1, search: { mode: 'match' }, resource: patient() }]),
      bundle('searchset', [{ fullUrl: P1, search: { mode: 'include' }, resource: patient() }]),
      bundle('searchset', [entry({ search: { mode: 'outcome' } })]),
      bundle('searchset', [entry({ search: { mode: 'match' } })], { link: [link('self', 'Observation?code=1')] }),
      bundle('searchset', [entry({ search: { mode: 'match' } })], { link: [link('self', '?_type=Group,Device')] }),
    ],
    sound: [
      bundle('searchset', [entry({ search: { mode: 'match' } })], { link: [link('self', 'Patient?name=x')] }),
      bundle('searchset', [entry({ search: { mode: 'match' } })], { link: [link('self', '?_type=Group,Patient')] }),
      bundle('searchset', [entry({ search: { mode: 'match' } })], { link: [link('self', 'other')] }),
      bundle('searchset', [entry({ search: { mode: 'include' } })], { link: [link('self', 'Observation?code=1')] }),
      bundle('searchset', [{ fullUrl: P1, resource: patient() }]),
    ],
  },
  {
    rule: 'document-reach',
    broken: [
      {
        ...documentOf(P1, P2, P2),
        entry: [
          { fullUrl: P1, resource: composition },
          { fullUrl: P2, resource: patient() },
        ],
      },
    ],
    sound: [
      documentOf(P1, P2, P2),
      {
        ...documentBundle(),
        entry: [
          { fullUrl: P1, resource: composition },
          { fullUrl: P2, resource: observation({ focus: [{ reference: P1 }] }) },
        ],
      },
    ],
  },
  {
    rule: 'bundle-link',
    broken: [
      bundle('searchset', [entry()], { link: [link('self'), link('self')] }),
      bundle('history', [entry({ request: put, response: { status: '200' } })], { link: [link('next'), link('next')] }),
      bundle('collection', [entry()], { link: [link('self'), link('self')] }),
      bundle('collection', [entry()], { link: [link('next')] }),
      bundle('transaction', [entry({ request: put })], { link: [link('first')] }),
    ],
    sound: [
      bundle('searchset', [entry()], { link: [link('self'), link('next'), link('previous')] }),
      bundle('searchset', [entry()], { link: [link('related'), link('related')] }),
      bundle('collection', [entry()], { link: [link('self'), link('related')] }),
    ],
  },
  {
    rule: 'bundle-unresolved',
    broken: [
      documentBundle({}, { ...composition, subject: { reference: P2 } }),
      documentBundle({}, { ...composition, subject: { reference: 'Patient/1' } }),
      documentBundle({}, { ...composition, author: [{ reference: 'http://x.example/Practitioner/1' }] }),
      documentBundle({}, { ...composition, attester: [{ mode: 'legal', party: { reference: P2 } }] }),
      documentBundle({}, { ...composition, section: [{ title: 'x', section: [{ entry: [{ reference: P2 }] }] }] }),
      bundle('message', [{ fullUrl: P1, resource: { ...messageHeader, focus: [{ reference: P2 }] } }]),
    ],
    sound: [
      aClinicalBundle(),
      documentOf('http://x.example/fhir/Composition/c', 'http://x.example/fhir/Patient/1', 'Patient/1'),
      documentOf('http://x.example/Composition/c', 'http://x.example/Patient/1', 'http://x.example/Patient/1'),
      documentOf(P1, P2, P2),
      documentBundle(
        {},
        { ...composition, section: [{ title: 'x', entry: [{ reference: '#o' }] }], contained: [organization] },
      ),
      ...['collection', 'searchset'].map((type) =>
        bundle(type, [{ fullUrl: P2, resource: observation({ subject: { reference: P1 } }) }]),
      ),
      bundle('transaction', [{ fullUrl: P2, request: put, resource: observation({ subject: { reference: P1 } }) }]),
      observation({ subject: { reference: P1 } }),
    ],
  },
];

/** The example of FIPS 180: the bytes of "abc". */
const SHA_1_OF_ABC = 'qZk+NkcGgWq6PiVxeFDCbJzQ2J0=';

export const NARRATIVE: readonly RuleCase[] = [
  {
    rule: 'txt-1',
    broken: [
      ...[
        '<script>x</script>',
        '<p onclick="x">x</p>',
        '<iframe src="x">x</iframe>',
        '<a href="javascript:x">x</a>',
        '<a href=" java\tscript:x">x</a>',
        '<a href="&#106;avascript:x">x</a>',
        '<form>x</form>',
        '<p>x',
        'x</p>',
        '<p>x & y</p>',
        '<p>x&nbsp;y</p>',
        '<p><div>x</div></p>',
        '<p><b><ul><li>x</li></ul></b></p>',
        '<p>x<p>y</p></p>',
        '<a href="#x">x<a href="#y">y</a></a>',
        '<ul>x</ul>',
        '<ol><p>x</p></ol>',
        '<table>x</table>',
        '<table><td>x</td></table>',
        '<table><tr>x</tr></table>',
        '<td>x</td>',
        '<li>x</li>',
        '<dl>x</dl>',
        '<br>x</br>',
        '<p>&nothing;</p>',
        '<p title="&eacute;">x</p>',
        '<p>&#99999999;</p>',
        '<b><i>x</b></i>',
        '<p class=x>x</p>',
        '<p style="width: expression(1)">x</p>',
        '<object>x</object>',
        '<img src="data:text/html,x"/>',
        '<p a="1">x</p>',
        '<P>x</P>',
        '<p class="a" class="b">x</p>',
        '<!-- x',
        '<?php x ?>',
        '<![CDATA[x]]>',
        '<link href="x"/>',
        '<base href="x"/>',
        '<input/>',
        '<svg>x</svg>',
        '<style>p {}</style>x',
        '<ins>x</ins>',
        '<ol type="a"><li>x</li></ol>',
        '<table bgcolor="red"><tr><td>x</td></tr></table>',
        `${'<b>'.repeat(300)}x${'</b>'.repeat(300)}`,
      ].map(div),
      patient({ text: { status: 'generated', div: '<div>x</div>' } }),
      patient({ text: { status: 'generated', div: 'x' } }),
      patient({ text: { status: 'generated', div: '<p xmlns="http://www.w3.org/1999/xhtml">x</p>' } }),
      patient({ text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div><div>y</div>' } }),
    ],
    sound: [
      'x',
      '<p>x &amp; &lt; &gt; &quot; &apos; &#160; &#xa0;</p>',
      '<b>x</b><br/><hr/>',
      '<table border="1"><tr><td colspan="2">x</td></tr></table>',
      '<a href="http://x.example?a=1&amp;b=2">x</a>',
      '<a href="#x">x</a><b id="x">y</b>',
      '<img src="data:image/png;base64,AA==" alt="x"/>',
      '<!-- x -->y',
      '<p xml:space="preserve" xml:lang="en">x</p>',
      '<span style="color: red" title="a &gt; b">x</span>',
      '<ul>\n <li>x</li>\n <!-- y --> </ul>',
      '<ol><li><p>x</p><ul><li>y</li></ul></li></ol>',
      '<table><caption>c</caption><col/><thead><tr><th>x</th></tr></thead><tbody><tr><td><p>x</p></td></tr></tbody></table>',
      '<dl><dt>x</dt><dd><p>y</p></dd></dl>',
      '<p><b>x<i>y</i></b><br/><img src="a.png" alt="x"/></p><div><p>x</p></div>',
      '<map name="m"><area alt="x"/></map>x',
    ].map(div),
  },
  {
    rule: 'txt-2',
    broken: ['', '  \n ', '<p> </p>', '<p>&#160;</p>', '<br/>'].map(div),
    sound: ['<img src="a" alt="x"/>', 'x'].map(div),
  },
  {
    rule: 'narrative-link',
    broken: ['<a href="#a">x</a>', '<img src="#a" alt="x"/>', '<a name="b" href="#a">x</a>'].map(div),
    sound: [
      ...['<a href="#a">x</a><a name="a">y</a>', '<p id="a">x</p><a href=\'#a\'>y</a>', '<a href="#">x</a>'].map(div),
      { ...div('<a href="#n">x</a>'), name: [{ id: 'n', text: 'x' }] },
      bundle('collection', [{ fullUrl: P1, resource: div('<a href="#other">x</a>') }]),
    ],
  },
  {
    rule: 'attachment-size',
    broken: [patient({ photo: [{ contentType: 'text/plain', data: 'YWJj', size: 4 }] })],
    sound: [
      patient({ photo: [{ contentType: 'text/plain', data: 'YWJj', size: 3 }] }),
      patient({ photo: [{ contentType: 'text/plain', url: 'http://x.example', size: 9 }] }),
    ],
  },
  {
    rule: 'attachment-hash',
    broken: [
      patient({ photo: [{ contentType: 'text/plain', data: 'YWJj', hash: 'AAAA' }] }),
      patient({ photo: [{ contentType: 'text/plain', data: 'YWJk', size: 3, hash: SHA_1_OF_ABC }] }),
    ],
    sound: [
      patient({ photo: [{ contentType: 'text/plain', data: 'YWJj', hash: SHA_1_OF_ABC }] }),
      patient({ photo: [{ contentType: 'text/plain', data: 'YW\nJj', hash: SHA_1_OF_ABC, size: 3 }] }),
      patient({ photo: [{ contentType: 'text/plain', url: 'http://x.example', hash: 'AAAA' }] }),
    ],
  },
  {
    rule: 'ext-1',
    broken: [
      extension({}),
      extension({ valueString: 'x', extension: [{ url: 'http://x.example/f', valueString: 'y' }] }),
    ],
    sound: [extension({ valueString: 'x' }), extension({ extension: [{ url: 'y', valueString: 'x' }] })],
  },
];

const item = (linkId: string): Fields => ({ linkId, type: 'string' });
const group = (linkId: string): Fields => ({ linkId, type: 'group' });
const asking = (linkId: string, question: string): Fields => ({
  ...item(linkId),
  enableWhen: [{ question, operator: 'exists', answerBoolean: true }],
});
const questionnaire = (items: readonly Fields[]): Fields => ({
  resourceType: 'Questionnaire',
  status: 'draft',
  item: items,
});

/** A profile with a value set bound to an element of a type. */
const boundElement = (code: string): Fields => ({
  resourceType: 'StructureDefinition',
  url: 'http://x.example/StructureDefinition/a',
  name: 'A',
  status: 'draft',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  derivation: 'constraint',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
  differential: {
    element: [
      { id: 'Patient', path: 'Patient' },
      { id: 'Patient.a', path: 'Patient.a', type: [{ code }], binding: { strength: 'required' } },
    ],
  },
});

export const INVARIANT: readonly RuleCase[] = [
  {
    rule: 'per-1',
    broken: [
      ['2024-01-02', '2024-01-01'],
      ['2024-01-01T10:00:00Z', '2024-01-01T09:00:00Z'],
      ['2024-01-01T10:00:00+01:00', '2024-01-01T08:30:00Z'],
      ['2025', '2024-12'],
    ].map(([start, end]) => observation({ effectivePeriod: { start, end } })),
    sound: [
      ['2024-01-01', '2024-01-01'],
      ['2024-01-01T10:00:00Z', '2024-01-01'],
      ['2024-05', '2024'],
      ['2024-01-01T10:00:00+02:00', '2024-01-01T08:30:00Z'],
    ].map(([start, end]) => observation({ effectivePeriod: { start, end } })),
  },
  {
    rule: 'obs-6',
    broken: [observation({ valueString: 'x', dataAbsentReason: { text: 'x' } })],
    sound: [observation({ dataAbsentReason: { text: 'x' } })],
  },
  {
    rule: 'obs-7',
    broken: [
      observation({
        code: { coding: [{ system: 'http://x.example', code: 'a' }] },
        valueString: 'x',
        component: [{ code: { coding: [{ code: 'a', system: 'http://x.example' }] }, valueString: 'y' }],
      }),
    ],
    sound: [
      observation({
        code: { coding: [{ system: 'http://x.example', code: 'a' }] },
        valueString: 'x',
        component: [{ code: { coding: [{ code: 'b', system: 'http://x.example' }] }, valueString: 'y' }],
      }),
    ],
  },
  {
    rule: 'obs-3',
    broken: [observation({ referenceRange: [{ age: { low: { value: 1 } } }] })],
    sound: [observation({ referenceRange: [{ text: 'x' }] })],
  },
  { rule: 'qty-3', broken: [quantity({ code: 'kg' })], sound: [quantity({ unit: 'kg' })] },
  {
    rule: 'cpt-2',
    broken: [patient({ telecom: [{ value: '1' }] })],
    sound: [patient({ telecom: [{ system: 'phone', value: '1' }] })],
  },
  {
    rule: 'pat-1',
    broken: [patient({ contact: [{ gender: 'male' }] })],
    sound: [patient({ contact: [{ name: { text: 'x' } }] })],
  },
  {
    rule: 'rat-1',
    broken: [observation({ valueRatio: { numerator: { value: 1 } } })],
    sound: [observation({ valueRatio: { numerator: { value: 1 }, denominator: { value: 2 } } })],
  },
  {
    rule: 'rng-2',
    broken: [
      observation({ valueRange: { low: { value: 2 }, high: { value: 1 } } }),
      observation({ valueRange: { low: { value: keepDigits('2.0') }, high: { value: 1 } } }),
    ],
    sound: [observation({ valueRange: { low: { value: 1 }, high: { value: keepDigits('1.0') } } })],
  },
  {
    rule: 'att-1',
    broken: [patient({ photo: [{ data: 'YWJj' }] })],
    sound: [patient({ photo: [{ url: 'http://x.example' }] })],
  },
  { rule: 'ref-1', broken: [basic({ subject: { reference: '#x' } })], sound: [] },
  {
    rule: 'org-1',
    broken: [{ resourceType: 'Organization', active: true }],
    sound: [{ resourceType: 'Organization', name: 'x' }],
  },
  {
    rule: 'org-2',
    broken: [{ resourceType: 'Organization', name: 'x', address: [{ use: 'home', text: 'x' }] }],
    sound: [{ resourceType: 'Organization', name: 'x', address: [{ use: 'work', text: 'x' }] }],
  },
  {
    rule: 'tim-9',
    broken: [
      {
        resourceType: 'ServiceRequest',
        status: 'active',
        intent: 'order',
        subject: { reference: 'Patient/1' },
        occurrenceTiming: { repeat: { offset: 5, when: ['AC', 'C'] } },
      },
    ],
    sound: [
      {
        resourceType: 'ServiceRequest',
        status: 'active',
        intent: 'order',
        subject: { reference: 'Patient/1' },
        occurrenceTiming: { repeat: { offset: 5, when: ['ACM', 'ACV'] } },
      },
    ],
  },
  {
    rule: 'que-2',
    broken: [
      {
        resourceType: 'Questionnaire',
        status: 'draft',
        item: [
          { linkId: 'a', type: 'string' },
          { linkId: 'a', type: 'string' },
        ],
      },
    ],
    sound: [
      {
        resourceType: 'Questionnaire',
        status: 'draft',
        item: [
          { linkId: 'a', type: 'string' },
          { linkId: 'b', type: 'string' },
        ],
      },
    ],
  },
  {
    rule: 'que-12',
    broken: [
      {
        resourceType: 'Questionnaire',
        status: 'draft',
        item: [
          {
            linkId: 'a',
            type: 'string',
            enableWhen: [
              { question: 'b', operator: 'exists', answerBoolean: true },
              { question: 'c', operator: 'exists', answerBoolean: true },
            ],
          },
        ],
      },
    ],
    sound: [],
  },
  {
    rule: 'que-7',
    broken: [
      {
        resourceType: 'Questionnaire',
        status: 'draft',
        item: [{ linkId: 'a', type: 'string', enableWhen: [{ question: 'b', operator: 'exists', answerString: 'x' }] }],
      },
    ],
    sound: [
      {
        resourceType: 'Questionnaire',
        status: 'draft',
        item: [
          { linkId: 'a', type: 'string', enableWhen: [{ question: 'b', operator: 'exists', answerBoolean: true }] },
          { linkId: 'b', type: 'string' },
        ],
      },
    ],
  },
  {
    rule: 'enable-when',
    broken: [
      questionnaire([asking('a', 'nowhere')]),
      questionnaire([asking('a', 'a')]),
      questionnaire([{ ...asking('a', 'c'), type: 'group', item: [{ ...group('b'), item: [item('c')] }] }]),
      questionnaire([{ ...group('a'), item: [{ ...group('b'), item: [asking('c', 'd')] }] }]),
    ],
    sound: [
      questionnaire([item('a'), asking('b', 'a')]),
      questionnaire([asking('b', 'a'), item('a')]),
      questionnaire([
        { ...group('a'), item: [item('b')] },
        { ...group('c'), item: [asking('d', 'b')] },
      ]),
      questionnaire([{ ...group('a'), item: [asking('b', 'a')] }]),
    ],
  },
  {
    rule: 'eld-11',
    broken: ['boolean', 'Reference', 'HumanName'].map(boundElement),
    sound: ['code', 'CodeableConcept', 'string', 'canonical', 'Duration', 'Extension', 'http://x.example/Type'].map(
      boundElement,
    ),
  },
  {
    rule: 'inv-1',
    broken: [
      { resourceType: 'Parameters', parameter: [{ name: 'x', valueString: 'x', resource: patient() }] },
      { resourceType: 'Parameters', parameter: [{ name: 'x' }] },
    ],
    sound: [{ resourceType: 'Parameters', parameter: [{ name: 'x', valueString: 'x' }] }],
  },
  {
    rule: 'con-4',
    broken: [
      {
        resourceType: 'Condition',
        subject: { reference: 'Patient/1' },
        abatementString: 'x',
        clinicalStatus: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
        },
      },
    ],
    sound: [
      {
        resourceType: 'Condition',
        subject: { reference: 'Patient/1' },
        abatementString: 'x',
        clinicalStatus: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'resolved' }],
        },
      },
    ],
  },
  {
    rule: 'ctm-1',
    broken: [
      {
        resourceType: 'CareTeam',
        participant: [{ member: { reference: 'Patient/1' }, onBehalfOf: { reference: 'Organization/1' } }],
      },
    ],
    sound: [
      {
        resourceType: 'CareTeam',
        participant: [{ member: { reference: 'Practitioner/1' }, onBehalfOf: { reference: 'Organization/1' } }],
      },
    ],
  },
];

export const ALL_CASES: readonly RuleCase[] = [
  ...STRUCTURE,
  ...PRIMITIVE,
  ...TERMINOLOGY,
  ...REFERENCE,
  ...BUNDLE,
  ...NARRATIVE,
  ...INVARIANT,
];
