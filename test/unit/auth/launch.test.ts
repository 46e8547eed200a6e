import { expect, test } from '@jest/globals';
import { contextWithin, isIntent, parseFhirContext } from '../../../src/auth/launch.ts';
import { isResourceType } from '../../../src/r4/index.ts';

test.each([
  [['ImagingStudy/1', 'Observation/2'], 'patient/*.rs'],
  [['ImagingStudy/1'], 'patient/ImagingStudy.r user/Observation.s'],
  [['Observation/2'], 'user/Observation.rs?category=laboratory'],
  [['Observation/2'], 'patient/Observation.read'],
  [undefined, 'patient/Condition.rs openid launch'],
  [undefined, 'patient/*.s'],
  [undefined, 'patient/AuditEventX.rs'],
])('of what the launch is about %j goes to a token with %s', (seen, scope) => {
  const fhirContext = [
    { reference: 'ImagingStudy/1' },
    { reference: 'Observation/2', role: 'https://ehr.example/role' },
    { reference: 'AuditEvent/3' },
  ];
  const { fhirContext: left, ...rest } = contextWithin(
    { patient: 'p', intent: 'review', fhirContext },
    scope.split(' '),
  );
  expect([left?.map(({ reference }) => reference), rest]).toEqual([seen, { patient: 'p', intent: 'review' }]);
});

test('references of types that FHIR has are taken, but for patients and encounters', () => {
  const good = [{ reference: 'ImagingStudy/1', role: 'launch' }, { reference: 'Task/a-b.c' }];
  expect(parseFhirContext(good, isResourceType)).toEqual({ ok: true, value: good });
});

test.each([
  ['fhirContext', {}],
  ['fhirContext', Array.from({ length: 21 }, () => ({ reference: 'Task/1' }))],
  ['fhirContext[0]', ['Task/1']],
  ['fhirContext[0]', [{ reference: 'Patient/1' }]],
  ['fhirContext[1]', [{ reference: 'Task/1' }, { reference: 'Encounter/1', role: 'https://ehr.example/x' }]],
  ['fhirContext[0]', [{ reference: 'Nothing/1' }]],
  ['fhirContext[0]', [{ reference: 'https://evil.example/Task/1' }]],
  ['fhirContext[0]', [{ reference: 'Task/..' }]],
  ['fhirContext[0]', [{ reference: 'Task/1', canonical: 'x' }]],
  ['fhirContext[0].role', [{ reference: 'Task/1', role: 'not a uri' }]],
])('what is wrong is told by its place: %s', (at, value) => {
  expect(parseFhirContext(value, isResourceType)).toEqual({ ok: false, fault: at });
});

test('an intent is a short text without markup', () => {
  expect(['review', 'x'.repeat(100), '', 'x'.repeat(101), '<b>', 'a\nb', 1].map(isIntent)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
