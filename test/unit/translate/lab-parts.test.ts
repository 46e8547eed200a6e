import { describe, expect, test } from '@jest/globals';
import { standardMappings } from '../../support/standard-mappings.ts';
import { aLabResult, partAt, type Json } from '../../support/payloads/index.ts';
import { bytesOf, danglingIn, nameOf, observationsOf, resourcesOf, translated } from '../../support/translated.ts';
import { makeLedger, problemsOf, settingOf } from '../../support/translate-steps.ts';
import { aBareReport, aLabBundleOf, DRAWN, labTest, report } from './lab-builders.ts';

const GLUCOSE = labTest('Glucose', { value: '92', unit: 'mg/dL' });
const given = (resource: Json, options = {}) => {
  const translation = translated(aLabResult({ resource }), options);
  expect(problemsOf(translation)).toEqual([]);
  expect(danglingIn(translation)).toEqual([]);
  return translation;
};
const withMore = (...more: Json[]) => given(aLabBundleOf([GLUCOSE], 'collection', report(), more));
const subject = { reference: 'urn:uuid:99999999-aaaa-4000-8000-000000000000' };

describe('beside the report', () => {
  const original = {
    resourceType: 'DocumentReference',
    id: 'lab-doc-7',
    status: 'current',
    type: { text: 'Laboratory report' },
    subject,
    content: [
      { attachment: { contentType: 'application/pdf', url: 'https://lab.example/report.pdf', title: 'Report' } },
    ],
  };

  test('the original document becomes a DocumentReference of the patient', () => {
    const translation = withMore(original);
    expect(resourcesOf(translation, 'DocumentReference')).toMatchObject([
      { status: 'current', subject: { reference: translation.patient.reference }, content: original.content },
    ]);
    expect(bytesOf(translation)).not.toContain('lab-doc-7');
  });

  test('the form in which it was presented goes on, so that a person can check', () => {
    const presentedForm = [{ contentType: 'application/pdf', data: 'JVBERi0xLjQ=' }];
    expect(bytesOf(given(aLabBundleOf([GLUCOSE], 'collection', report({ presentedForm }))))).toContain('JVBERi0xLjQ=');
  });

  test.each(['Condition', 'MedicationRequest', 'Encounter', 'Practitioner', 'Composition'])(
    'a %s is left out, and that is told',
    (resourceType) => {
      const translation = withMore({ resourceType, id: 'more-1', subject });
      expect(resourcesOf(translation, resourceType)).toEqual([]);
      expect(translation.findings).toMatchObject([{ code: 'resource.left-out', what: resourceType }]);
      expect(translation.trouble).toBeNull();
    },
  );

  test('the Patient of the source is never sent, nor is a second one made', () => {
    expect(resourcesOf(given(aLabBundleOf([GLUCOSE])), 'Patient')).toEqual([]);
  });

  test('a reference to what is left out, or is not there, does not stay', () => {
    const encounter = { encounter: { reference: 'Encounter/e-77' }, basedOn: [{ reference: 'ServiceRequest/s-77' }] };
    const text = bytesOf(given(aLabBundleOf([{ ...GLUCOSE, ...encounter }], 'collection', report(encounter))));
    expect(text).not.toContain('e-77');
    expect(text).not.toContain('s-77');
  });

  test('the name of a performer stays where only a name is given', () => {
    const resource = aLabBundleOf([GLUCOSE]);
    const entry = (resource['entry'] as { resource: Json }[]).map((one) =>
      one.resource['resourceType'] === 'DiagnosticReport'
        ? { ...one, resource: { ...one.resource, performer: [{ display: 'Example laboratory' }] } }
        : one,
    );
    const [one] = resourcesOf(given({ ...resource, entry }), 'DiagnosticReport');
    expect(one).toMatchObject({ performer: [{ display: 'Example laboratory' }] });
  });
});

describe('contained resources', () => {
  test('of a bare report become resources of their own, and nothing stays contained', () => {
    const translation = given(aBareReport([GLUCOSE, labTest('Creatinine', { value: '1.0', unit: 'mg/dL' })]));
    expect(observationsOf(translation)).toHaveLength(2);
    expect(bytesOf(translation)).not.toContain('"contained"');
  });

  test('of a bare report and the entries of a Bundle become the same bytes', () => {
    expect(bytesOf(given(aBareReport([GLUCOSE])))).toBe(bytesOf(given(aLabBundleOf([GLUCOSE]))));
  });

  test('contained in one entry of a Bundle are found too', () => {
    const subjectAndResult = { result: [{ reference: '#inner' }] };
    const resource: Json = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [{ resource: { ...report(), ...subjectAndResult, contained: [{ ...GLUCOSE, id: 'inner' }] } }],
    };
    const translation = given(resource);
    expect(observationsOf(translation)).toHaveLength(1);
    expect(partAt(resourcesOf(translation, 'DiagnosticReport')[0], 'result')).toEqual([
      { reference: translation.wanted.find(({ resource: one }) => one.resourceType === 'Observation')?.reference },
    ]);
  });
});

describe('the source user', () => {
  const system = 'urn:example:health-data-service:users';
  test.each<[string, Json]>([
    ['an identifier', { identifier: [{ system, value: 'user-0001' }] }],
    ['an identifier without a system', { identifier: [{ value: 'user-0001' }] }],
    ['an identifier of another system', { identifier: [{ system: 'urn:example:other', value: 'user-0001' }] }],
    ['an extension', { extension: [{ url: 'urn:example:any', valueString: 'user-0001' }] }],
    [
      'the narrative',
      { text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">user-0001</div>' } },
    ],
    ['a tag', { meta: { tag: [{ system, code: 'user-0001' }] } }],
  ])('does not survive as %s of a result or report', (_, fields) => {
    expect(bytesOf(given(aLabBundleOf([{ ...GLUCOSE, ...fields }], 'collection', report(fields))))).not.toContain(
      'user-0001',
    );
  });
});

describe('a specimen', () => {
  test('has its code where the word is known, and its time', () => {
    expect(resourcesOf(given(aLabBundleOf([GLUCOSE])), 'Specimen')).toMatchObject([
      {
        type: { coding: [{ system: 'http://snomed.info/sct', code: '119364003' }], text: 'Serum' },
        collection: { collectedDateTime: DRAWN },
      },
    ]);
  });
});

describe('a time', () => {
  test('without a zone is sent as a date alone, and that is told', () => {
    const unzoned = '2026-11-10T08:15:00';
    const resource = aLabBundleOf(
      [{ ...GLUCOSE, effectiveDateTime: unzoned }],
      'collection',
      report({ effectiveDateTime: unzoned }),
    );
    const translation = given(resource);
    expect(observationsOf(translation)).toMatchObject([{ effectiveDateTime: '2026-11-10' }]);
    expect(resourcesOf(translation, 'DiagnosticReport')).toMatchObject([{ effectiveDateTime: '2026-11-10' }]);
    expect(translation.findings.map(({ code }) => code)).toContain('time.unzoned');
  });

  test('that only the report has is also that of its results', () => {
    const { effectiveDateTime: _none, ...untimed } = GLUCOSE;
    expect(observationsOf(given(aLabBundleOf([untimed])))).toMatchObject([{ effectiveDateTime: DRAWN }]);
  });
});

describe('two results', () => {
  test('of one name and time that disagree are never silently one', () => {
    const translation = translated(
      aLabResult({ resource: aLabBundleOf([GLUCOSE, labTest('Glucose', { value: '180', unit: 'mg/dL' })]) }),
    );
    const told = translation.findings.some(({ code }) => code === 'measurement.twice');
    expect(observationsOf(translation).length === 2 || told).toBe(true);
    expect(new Set(translation.wanted.map(({ name }) => name)).size).toBe(translation.wanted.length);
    expect(danglingIn(translation)).toEqual([]);
  });

  test('of one name at two times are two', () => {
    const later = { ...GLUCOSE, effectiveDateTime: '2026-11-10T10:15:00+01:00' };
    const all = observationsOf(given(aLabBundleOf([GLUCOSE, later])));
    expect(new Set(all.map(nameOf)).size).toBe(2);
  });
});

describe('a later version of the document', () => {
  const setting = settingOf(standardMappings(), { labStatus: 'as-given' });
  const TESTS = ['Glucose', 'Creatinine', 'Calcium', 'Albumin'].map((name, i) =>
    labTest(name, { value: String(4 + i), unit: name === 'Albumin' ? 'g/dL' : 'mg/dL' }),
  );
  const step = (ledger: ReturnType<typeof makeLedger>, tests: readonly Json[], version: number) =>
    ledger(
      translated(aLabResult({ resource: aLabBundleOf(tests), documentVersion: version }), { labStatus: 'as-given' }),
      setting,
      version,
    );
  const kinds = (changes: readonly { change: string; resource: Json }[], type: string): string[] =>
    changes
      .filter(({ resource }) => resource['resourceType'] === type)
      .map(({ change, resource }) => `${change} ${String(resource['status'])}`);

  test('amends what changed and withdraws what is gone', () => {
    const ledger = makeLedger();
    step(ledger, TESTS, 1);
    const { changes, isSuspicious } = step(
      ledger,
      [labTest('Glucose', { value: '99', unit: 'mg/dL' }), ...TESTS.slice(1, 3)],
      2,
    );
    expect(isSuspicious).toBe(false);
    expect(kinds(changes, 'Observation').sort()).toEqual([
      'keep final',
      'keep final',
      'retract entered-in-error',
      'update amended',
    ]);
    expect(kinds(changes, 'DiagnosticReport')).toEqual(['update amended']);
  });

  test('that takes most of it back is suspicious', () => {
    const ledger = makeLedger();
    const many = [...TESTS, ...TESTS.map((one) => ({ ...one, effectiveDateTime: '2026-11-10T10:15:00+01:00' }))];
    step(ledger, many, 1);
    expect(step(ledger, many.slice(0, 1), 2).isSuspicious).toBe(true);
  });
});
