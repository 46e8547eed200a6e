import { describe, expect, test } from '@jest/globals';
import { AUDIT_TYPES, toAuditEvent, type AuditRecord, type AuditType } from '../../../src/audit/index.ts';
import { loadValidator } from '../../../src/r4/index.ts';

const validator = loadValidator();
const site = { publicUrl: 'https://gateway.example', ehrUrl: 'https://ehr.example/fhir' };

const aRecord = (type: AuditType, more: Partial<AuditRecord> = {}): AuditRecord => ({
  v: 1,
  chain: 'ins_01k9zc0000abcdefghjkmnpqrs.0',
  seq: 17,
  at: '2026-02-03T04:05:06.789Z',
  type,
  tenant: 'default',
  requestId: 'req_01k9zc0000abcdefghjkmnpqrs',
  action: 'R',
  outcome: '0',
  ...more,
});

const FULL = {
  why: 'scope',
  actor: 'operator',
  addressHash: 'abcdef',
  deliveryId: 'dlv_1',
  chartHash: 'aa',
  patientHash: 'bb',
  subjectHash: 'cc',
  resourceHash: 'dd',
  resourceType: 'Observation',
  client: 'app-1',
  issuer: 'https://issuer.example',
  tokenId: 'jti-1',
} as const;

const STEPS = {
  deliveryId: 'dlv_1',
  steps: [
    { from: 'received', to: 'queued' },
    { from: 'queued', to: 'parked', why: 'paused' },
  ],
} as const;

test('an attempt that changed a delivery is coded as both, and names each change beside the delivery', () => {
  const subtypes = (type: AuditType, more: Partial<AuditRecord>): unknown[] =>
    (toAuditEvent(aRecord(type, more), site)['subtype'] as { system: string; code: string }[])
      .filter(({ system }) => system === 'urn:chartgate:audit-type')
      .map(({ code }) => code);
  expect(subtypes('ehr.write', STEPS)).toEqual(['ehr.write', 'delivery.change']);
  expect(subtypes('ehr.write', {})).toEqual(['ehr.write']);
  expect(subtypes('delivery.change', STEPS)).toEqual(['delivery.change']);
  const { entity } = toAuditEvent(aRecord('ehr.write', { ...STEPS, resources: ['Observation/0123'] }), site);
  expect(entity).toContainEqual(
    expect.objectContaining({
      what: { identifier: { system: 'urn:chartgate:delivery', value: 'dlv_1' } },
      detail: [
        { type: 'delivery.change', valueString: 'received to queued' },
        { type: 'delivery.change', valueString: 'queued to parked: paused' },
      ],
    }),
  );
});

describe.each([...AUDIT_TYPES])('%s', (type) => {
  test.each(['C', 'R', 'U', 'D', 'E'] as const)('is a valid AuditEvent, bare and full, for the action %s', (action) => {
    for (const outcome of ['0', '8'] as const)
      for (const more of [
        {},
        FULL,
        STEPS,
        { ...FULL, resources: ['Observation/0123456789abcdef', 'DiagnosticReport/0123'] },
      ])
        for (const opened of [
          null,
          { chart: 'p1', resourceId: 'o1', subject: 'user', query: 'Observation?patient=p1' },
        ])
          expect(validator.validate(toAuditEvent(aRecord(type, { action, outcome, ...more }), site, opened))).toEqual(
            [],
          );
  });
});

const codes = (list: unknown): string[] =>
  (list as { type: { coding: { code: string }[] } }[]).map(({ type }) => type.coding[0]?.code ?? '');

test('a read of a patient has the parts of IHE.BasicAudit.PatientRead, with the token by its id alone', () => {
  const event = toAuditEvent(aRecord('fhir.read', { ...FULL, action: 'R' }), site, {
    chart: 'p1',
    resourceId: 'o1',
    subject: 'user',
  });
  expect(event['meta']).toEqual({
    profile: ['https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.PatientRead'],
  });
  expect(codes(event['agent'])).toEqual(['110152', '110153', '110150', 'IRCP']);
  expect((event['agent'] as unknown[])[3]).toEqual({
    type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType', code: 'IRCP' }] },
    who: { identifier: { system: 'https://issuer.example', value: 'user' } },
    requestor: true,
    policy: ['urn:ietf:params:oauth:jti:jti-1'],
  });
  const [data, patient, transaction] = event['entity'] as Record<string, unknown>[];
  expect(data?.['what']).toEqual({ reference: 'Observation/o1' });
  expect(patient?.['what']).toEqual({ reference: 'Patient/p1' });
  expect(transaction?.['what']).toEqual({ identifier: { value: 'req_01k9zc0000abcdefghjkmnpqrs' } });
});

test('a query holds the request as it was, and nothing else beside it', () => {
  const event = toAuditEvent(aRecord('fhir.search', { ...FULL, action: 'E' }), site, { query: 'Observation?code=x' });
  expect(codes(event['agent']).slice(0, 2)).toEqual(['110153', '110152']);
  expect((event['entity'] as Record<string, unknown>[])[0]).toEqual({
    type: { system: 'http://terminology.hl7.org/CodeSystem/audit-entity-type', code: '2' },
    role: { system: 'http://terminology.hl7.org/CodeSystem/object-role', code: '24' },
    query: Buffer.from('Observation?code=x').toString('base64'),
  });
});

test('without what was sealed, only pseudonyms are told', () => {
  const text = JSON.stringify(toAuditEvent(aRecord('fhir.read', FULL), site));
  expect(text).toContain('"value":"dd"');
  expect(text).toContain('"value":"aa"');
  expect(text).not.toContain('Patient/');
});

test('what was refused is a security alert of no profile', () => {
  const event = toAuditEvent(aRecord('fhir.deny', { ...FULL, outcome: '8' }), site);
  expect([event['type'], event['action'], event['outcome'], event['outcomeDesc'], event['meta']]).toEqual([
    { system: 'http://dicom.nema.org/resources/ontology/DCM', code: '110113', display: 'Security Alert' },
    'E',
    '8',
    'scope',
    undefined,
  ]);
});
