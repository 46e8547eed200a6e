import { describe, expect, test } from '@jest/globals';
import { aLabResult, partAt, rawNumber, type Json } from '../../support/payloads/index.ts';
import { bytesOf, codesOf, danglingIn, observationsOf, resourcesOf, translated } from '../../support/translated.ts';
import { problemsOf } from '../../support/translate-steps.ts';
import { aBareReport, aLabBundleOf, DRAWN, labTest, LAB_SECRETS, report, type LabTest } from './lab-builders.ts';

const only = (test_: LabTest, options = {}) => {
  const translation = translated(aLabResult({ resource: aLabBundleOf([test_]) }), options);
  expect(problemsOf(translation)).toEqual([]);
  const [one] = observationsOf(translation);
  return { translation, one };
};

describe.each(['collection', 'transaction', 'document', 'searchset', 'bare'] as const)(
  'a laboratory result as %s',
  (form) => {
    const tests = [
      labTest('Glucose', { value: '92.0', unit: 'mg/dL' }),
      labTest('Creatinine', { value: '88', unit: 'umol/L' }),
    ];
    const resource = form === 'bare' ? aBareReport(tests) : aLabBundleOf(tests, form);
    const translation = translated(aLabResult({ resource, userId: 'u-5150' }));
    const [found] = resourcesOf(translation, 'DiagnosticReport');

    test('becomes valid R4 with the profiles of US Core, and every reference leads to what is sent', () => {
      expect(problemsOf(translation)).toEqual([]);
      expect(danglingIn(translation)).toEqual([]);
    });

    test('has one report, its results, its specimen and its laboratory', () => {
      const types = translation.wanted.map(({ resource: one }) => one.resourceType);
      expect([...types].sort()).toEqual(['DiagnosticReport', 'Observation', 'Observation', 'Organization', 'Specimen']);
      expect(types.indexOf('DiagnosticReport')).toBe(types.length - 1);
      const references = new Map(
        translation.wanted.map(({ reference, resource: one }) => [reference, one.resourceType]),
      );
      const at = (path: string): string | undefined => references.get(partAt(found, path) as string);
      expect(partAt(found, 'result')).toHaveLength(2);
      expect([at('result.0.reference'), at('result.1.reference')]).toEqual(['Observation', 'Observation']);
      expect(at('performer.0.reference')).toBe('Organization');
      expect(at('specimen.0.reference')).toBe('Specimen');
    });

    test('meets the minimum of US Core: categories, subject, time, issue and LOINC', () => {
      expect(found).toMatchObject({
        category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'LAB' }] }],
        code: { coding: [{ system: 'http://loinc.org', code: '24323-8' }] },
        subject: { reference: translation.patient.reference },
        effectiveDateTime: DRAWN,
        issued: '2026-11-11T08:00:00+01:00',
      });
      for (const one of observationsOf(translation))
        expect(one).toMatchObject({
          category: [{ coding: [{ code: 'laboratory' }] }],
          subject: { reference: translation.patient.reference },
          effectiveDateTime: DRAWN,
          meta: { tag: [{ code: 'patient-supplied' }, { code: 'machine-extracted' }] },
        });
      expect(
        observationsOf(translation)
          .map((one) => codesOf(one['code'])[0])
          .sort(),
      ).toEqual(['14682-9', '2345-7']);
    });

    test('is correlated with its document_id', () => {
      expect(found).toMatchObject({
        identifier: expect.arrayContaining([
          expect.objectContaining({ value: 'd0c00000-0000-4000-8000-000000000001' }),
        ]) as unknown,
      });
    });

    test('shows no id, Patient or user of the source', () => {
      for (const secret of [...LAB_SECRETS, 'u-5150']) expect(bytesOf(translation)).not.toContain(secret);
    });

    test('keeps the digits of what was reported, and does not convert', () => {
      const text = bytesOf(translation);
      expect(text).toContain('"value":92.0,');
      expect(text).toContain('"value":88,');
      expect(text).toContain('"code":"umol/L"');
    });

    test('gives the same bytes in whatever order its entries stand', () => {
      if (form === 'bare' || form === 'document') return;
      const entry = partAt(resource, 'entry') as Json[];
      const turned = translated(
        aLabResult({ resource: { ...resource, entry: [...entry].reverse() }, userId: 'u-5150' }),
      );
      expect(bytesOf(turned)).toBe(bytesOf(translation));
    });
  },
);

describe('what a result says', () => {
  test.each<[string, LabTest, object]>([
    [
      'a unit in words',
      labTest('Glucose', { value: '92', unit: 'mg/dl' }),
      { valueQuantity: { value: 92, code: 'mg/dL' } },
    ],
    [
      'micrograms with a Greek letter',
      labTest('Iron', { value: '90', unit: 'µg/dL' }),
      { valueQuantity: { code: 'ug/dL' } },
    ],
    [
      'a comparator',
      labTest('Glucose', { value: '10', unit: 'mg/dL', comparator: '<' }),
      { valueQuantity: { value: 10, comparator: '<' } },
    ],
    [
      'a comparator in text',
      labTest('hs-CRP', { text: '<0.3 mg/L' }),
      { valueQuantity: { value: 0.3, comparator: '<', code: 'mg/L' } },
    ],
    [
      'a range in text',
      labTest('Glucose', { text: '5-10 mg/dL' }),
      { valueRange: { low: { value: 5 }, high: { value: 10 } } },
    ],
    [
      'a qualitative word',
      labTest('Nitrite, urine', { text: 'Negative' }),
      { valueCodeableConcept: { text: 'Negative', coding: [{ code: '260385009' }] } },
    ],
    [
      'a word without a code',
      labTest('Ketones, urine', { text: 'Trace' }),
      { valueCodeableConcept: { text: 'Trace' } },
    ],
    ['a grade', labTest('Glucose, urine', { text: '1+' }), { valueCodeableConcept: { text: '1+' } }],
    ['nothing', labTest('Glucose', {}), { dataAbsentReason: { coding: [{ code: 'unknown' }] } }],
  ])('%s', (_, given, expected) => {
    expect(only(given).one).toMatchObject(expected);
  });

  test('a missing value is never zero, and a present one has no reason to be absent', () => {
    expect(only(labTest('Glucose', {})).one).not.toHaveProperty('valueQuantity');
    expect(only(labTest('Glucose', { value: '92', unit: 'mg/dL' })).one).not.toHaveProperty('dataAbsentReason');
  });

  test.each([
    ['Glucose', 'mg/dL', '2345-7'],
    ['Glucose', 'mmol/L', '14749-6'],
    ['Creatinine', 'mg/dL', '2160-0'],
    ['Cholesterol', 'mmol/L', '14647-2'],
    ['Fasting glucose', 'mg/dL', '1558-6'],
  ])('the unit chooses the code: %s in %s is %s', (name, unit, code) => {
    expect(codesOf(only(labTest(name, { value: '5.0', unit })).one?.['code'])[0]).toBe(code);
  });

  const URINE = { specimen: { display: 'Urine' } };
  test('presence and mass in urine are different codes', () => {
    expect(codesOf(only(labTest('Glucose, urine', { text: 'Negative' }, URINE)).one?.['code'])[0]).toBe('25428-4');
    expect(codesOf(only(labTest('Glucose, urine', { value: '15', unit: 'mg/dL' }, URINE)).one?.['code'])[0]).toBe(
      '5792-7',
    );
  });

  test('a known name with a unit of another dimension gets no LOINC code', () => {
    const { trouble, findings } = translated(
      aLabResult({ resource: aLabBundleOf([labTest('Glucose', { value: '5', unit: 'U/L' })]) }),
    );
    expect(trouble).toBe('unmapped');
    expect(findings).toHaveLength(1);
    const passed = only(labTest('Glucose', { value: '5', unit: 'U/L' }), { unmapped: 'pass-through' });
    expect(codesOf(passed.one?.['code'])).toEqual([]);
  });

  test('the flag of the laboratory is copied and never computed', () => {
    const range = { low: { value: 70, unit: 'mg/dL' }, high: { value: 99, unit: 'mg/dL' } };
    const flagged = labTest(
      'Glucose',
      { value: '150', unit: 'mg/dL' },
      { interpretation: [{ text: 'High' }], referenceRange: [range] },
    );
    const plain = labTest('Glucose', { value: '150', unit: 'mg/dL' }, { referenceRange: [range] });
    expect(only(flagged).one).toMatchObject({
      interpretation: [{ coding: [{ code: 'H' }] }],
      referenceRange: [
        { low: { value: 70, system: 'http://unitsofmeasure.org', code: 'mg/dL' }, high: { value: 99, code: 'mg/dL' } },
      ],
    });
    expect(only(plain).one).not.toHaveProperty('interpretation');
  });

  test('a LOINC code that is there stays first, and the service code stays', () => {
    const given = labTest(
      'Sugar',
      { value: '92', unit: 'mg/dL' },
      {
        code: {
          coding: [
            { system: 'urn:example:health-data-service:codes', code: 'glu' },
            { system: 'http://loinc.org', code: '2345-7' },
          ],
          text: 'Sugar',
        },
      },
    );
    expect(codesOf(only(given).one?.['code'])).toEqual(['2345-7', 'glu']);
  });
});

describe('what nobody mapped', () => {
  const unknown = labTest('Unobtainium', { value: '1.10', unit: 'mg/dL' });
  test('parks', () => {
    const { trouble, findings } = translated(aLabResult({ resource: aLabBundleOf([unknown]) }));
    expect([trouble, findings]).toMatchObject(['unmapped', [{ code: 'code.unmapped', what: 'Unobtainium' }]]);
  });
  test('passes as text where that is configured, with its digits', () => {
    const { one, translation } = only(unknown, { unmapped: 'pass-through' });
    expect(one?.['code']).toEqual({ text: 'Unobtainium' });
    expect(bytesOf(translation)).toContain('"value":1.10,');
  });
  test('a unit that nobody knows parks, or passes as text without UCUM', () => {
    const odd = labTest('Glucose', { value: '7', unit: 'spoons' });
    expect(translated(aLabResult({ resource: aLabBundleOf([odd]) })).trouble).toBe('unmapped');
    const quantity = partAt(only(odd, { unmapped: 'pass-through' }).one, 'valueQuantity');
    expect(quantity).toEqual({ value: 7, unit: 'spoons' });
  });
});

describe('status', () => {
  const given = aLabResult({ resource: aLabBundleOf([labTest('Glucose', { value: '92', unit: 'mg/dL' })]) });
  test.each([
    ['preliminary', 'preliminary'],
    ['as-given', 'final'],
  ] as const)('%s makes machine-read results %s', (labStatus, status) => {
    const all = [
      ...resourcesOf(translated(given, { labStatus }), 'DiagnosticReport'),
      ...observationsOf(translated(given, { labStatus })),
    ];
    expect(all.map((one) => one['status'])).toEqual([status, status]);
  });
});

test('numbers keep their digits in ranges and components too', () => {
  const given = labTest(
    'Glucose',
    { value: '5.50', unit: 'mmol/L' },
    {
      referenceRange: [
        { low: { value: rawNumber('3.90'), unit: 'mmol/L' }, high: { value: rawNumber('6.10'), unit: 'mmol/L' } },
      ],
    },
  );
  const text = JSON.stringify(only(given).one);
  for (const digits of ['5.50', '3.90', '6.10']) expect(text).toContain(`"value":${digits},`);
});

test('a report that gives no issue time gets one that is told to be assumed', () => {
  const resource = aLabBundleOf(
    [labTest('Glucose', { value: '92', unit: 'mg/dL' })],
    'collection',
    report({ issued: undefined }),
  );
  const translation = translated(aLabResult({ resource }));
  expect(problemsOf(translation)).toEqual([]);
  expect(translation.findings.map(({ code }) => code)).toEqual(['issued.assumed']);
});

describe('units that only the assay defines', () => {
  const arbitrary = { system: 'http://unitsofmeasure.org', code: "[arb'U]/mL" };
  const range = { referenceRange: [{ high: { value: 35, unit: 'U/mL' } }] };

  test.each(['CA 125', 'CA 15-3', 'CA 19-9', 'tTG IgA'])(
    '%s in U/mL is no enzyme unit, nor are the limits of its range',
    (name) => {
      const { one, translation } = only(labTest(name, { value: '18.0', unit: 'U/mL' }, range));
      expect(JSON.stringify(one?.['valueQuantity'])).toBe(
        `{"value":18.0,"unit":"U/mL","system":"${arbitrary.system}","code":"${arbitrary.code}"}`,
      );
      expect(one).toMatchObject({ referenceRange: [{ high: { value: 35, unit: 'U/mL', ...arbitrary } }] });
      expect(translation.trouble).toBeNull();
    },
  );

  test('also where the source gives the LOINC code and UCUM itself', () => {
    const coded = {
      code: { coding: [{ system: 'http://loinc.org', code: '10334-1' }], text: 'CA 125' },
      valueQuantity: { value: 18, unit: 'U/mL', system: arbitrary.system, code: 'U/mL' },
    };
    expect(only(labTest('CA 125', {}, coded)).one).toMatchObject({
      valueQuantity: { value: 18, unit: 'U/mL', ...arbitrary },
    });
  });

  test('an enzyme keeps its unit', () => {
    expect(only(labTest('ALT', { value: '32', unit: 'U/L' })).one).toMatchObject({ valueQuantity: { code: 'U/L' } });
  });
});
