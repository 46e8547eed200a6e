import { describe, expect, test } from '@jest/globals';
import { parsePayload } from '../../../src/payloads/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { aClinicalReady, aLabResult, anAlertEvent, anAlertSummary, withAt } from '../../support/payloads/index.ts';
import { settingOf, translateText } from '../../support/translate-steps.ts';
import { aLabBundleOf, labTest } from './lab-builders.ts';

/** Ways in which data could get a wrong meaning, each of which once did. */
const setting = settingOf(standardMappings());
const of = (payload: unknown, options = {}) =>
  translateText(JSON.stringify(payload), settingOf(standardMappings(), options));
const observations = (payload: unknown, options = {}) =>
  of(payload, options)
    .wanted.map(({ resource }) => resource)
    .filter(({ resourceType }) => resourceType === 'Observation');
const codes = ({ findings }: { findings: readonly { code: string }[] }): string[] => findings.map(({ code }) => code);
const metric = (path: string, value: unknown): unknown =>
  withAt(aClinicalReady({ observations: 1 }), `clinical_ready.clinical_ready_data.entry.1.resource.${path}`, value);

describe('a specimen', () => {
  test.each(['Cerebrospinal fluid', 'Pleural fluid', 'Saliva', 'Stool', 'Whole blood'])(
    'of %s never gets the code for serum',
    (specimen) => {
      const lab = of(
        aLabResult({
          resource: aLabBundleOf([
            labTest('Glucose', { value: '90', unit: 'mg/dL' }, { specimen: { display: specimen } }),
          ]),
        }),
      );
      expect([lab.trouble, codes(lab)]).toEqual(['unmapped', ['code.unmapped']]);
    },
  );
});

describe('a value', () => {
  test.each([
    ['with a comparator on a vital sign', metric('valueQuantity.comparator', '<'), 'value.unreadable'],
    ['in another form', metric('component', [{ code: { text: 'x' }, valueString: '1' }]), 'value.unreadable'],
    ['without a unit', metric('valueQuantity', { value: 180 }), 'unit.unmapped'],
  ])('%s is not guessed', (_, payload, code) => {
    const made = of(payload);
    expect([made.trouble, codes(made)]).toEqual(['unmapped', [code]]);
  });

  test('that is less than something stays so where that is allowed', () => {
    const glucose = metric('valueQuantity', {
      value: 400,
      comparator: '>',
      unit: 'mg/dL',
      system: 'http://unitsofmeasure.org',
      code: 'mg/dL',
    });
    const text = JSON.stringify(glucose).replaceAll('"weight"', '"blood_glucose_cgm"');
    const [one] = translateText(text, setting).wanted;
    expect(one?.resource['valueQuantity']).toMatchObject({ value: 400, comparator: '>' });
  });
});

test.each(['modifierExtension', 'focus'])('%s, which may turn a meaning round, stops a document', (name) => {
  const made = of(metric(name, [{ url: 'urn:example:not', valueBoolean: true, display: 'Fetus' }]));
  expect([made.trouble, codes(made)]).toEqual(['unmapped', ['resource.modified']]);
});

describe('blood pressure', () => {
  const pressure = (systolic: string, diastolic: string): unknown => {
    const payload = aClinicalReady({ observations: 2 });
    const at = 'clinical_ready.clinical_ready_data.entry';
    return [
      [`${at}.1.resource.code.coding.0.code`, 'blood_pressure_systolic'],
      [`${at}.1.resource.status`, systolic],
      [
        `${at}.1.resource.valueQuantity`,
        { value: 250, unit: 'mmHg', system: 'http://unitsofmeasure.org', code: 'mm[Hg]' },
      ],
      [`${at}.2.resource.code.coding.0.code`, 'blood_pressure_diastolic'],
      [`${at}.2.resource.status`, diastolic],
      [
        `${at}.2.resource.valueQuantity`,
        { value: 80, unit: 'mmHg', system: 'http://unitsofmeasure.org', code: 'mm[Hg]' },
      ],
    ].reduce((value, [path, part]) => withAt(value, path as string, part), payload);
  };

  test.each([
    ['entered-in-error', 'final', [undefined, 80]],
    ['final', 'entered-in-error', [250, undefined]],
  ])('leaves out a side that was withdrawn (%s, %s)', (systolic, diastolic, values) => {
    const [panel] = observations(pressure(systolic, diastolic));
    expect(panel?.['status']).toBe('final');
    const components = panel?.['component'] as { valueQuantity?: { value: number } }[];
    expect(components.map(({ valueQuantity }) => valueQuantity?.value)).toEqual(values);
  });
});

describe('a laboratory result', () => {
  const report = (id: string, day: string, result: string) => ({
    fullUrl: `urn:uuid:00000000-0000-4000-8000-0000000000${id}`,
    resource: {
      resourceType: 'DiagnosticReport',
      status: 'final',
      code: { text: `Panel ${id}` },
      effectiveDateTime: day,
      result: [{ reference: result }],
    },
  });
  const result = (id: string, name: string) => ({
    fullUrl: `urn:uuid:00000000-0000-4000-8000-0000000000${id}`,
    resource: {
      resourceType: 'Observation',
      status: 'final',
      code: { text: name },
      valueQuantity: { value: 90, unit: 'mg/dL' },
    },
  });
  const entries = [
    report('a1', '2026-11-01', 'urn:uuid:00000000-0000-4000-8000-0000000000b1'),
    report('a2', '2026-11-09', 'urn:uuid:00000000-0000-4000-8000-0000000000b2'),
    result('b1', 'Glucose'),
    result('b2', 'Total cholesterol'),
  ];
  const times = (list: readonly unknown[]) =>
    observations(aLabResult({ resource: { resourceType: 'Bundle', type: 'collection', entry: list } }))
      .map((one) => [(one['code'] as { text: string }).text, one['effectiveDateTime']])
      .sort();

  test('takes its time from its own report, whatever the order of entries', () => {
    const expected = [
      ['Glucose', '2026-11-01'],
      ['Total cholesterol', '2026-11-09'],
    ];
    expect([times(entries), times([...entries].reverse())]).toEqual([expected, expected]);
  });

  test('of another user of the source is not believed', () => {
    const patient = {
      resource: { resourceType: 'Patient', identifier: [{ system: 'urn:users', value: 'user-9999' }] },
    };
    const payload = aLabResult({
      resource: { resourceType: 'Bundle', type: 'collection', entry: [patient, ...entries] },
    });
    const parsed = parsePayload(payload, {
      clientUuid: null,
      documentKey: 'bundle-id',
      labPath: null,
      userSystem: 'urn:users',
    });
    expect(parsed).toMatchObject({ ok: false, fault: { code: 'payload.identity' } });
  });

  test('holds nothing that the source calls its user, wherever it stood', () => {
    const one = labTest(
      'Glucose',
      { value: '90', unit: 'mg/dL' },
      {
        identifier: [{ system: 'urn:x', value: 'user-0001-glu-1' }],
        note: [{ text: 'sent for user-0001' }],
      },
    );
    expect(JSON.stringify(of(aLabResult({ resource: aLabBundleOf([one]) })).wanted)).not.toContain('user-0001');
  });
});

test('the name of an alert does not depend on the time zone of the host', () => {
  const unzoned = anAlertEvent({ measuredAt: '2026-11-10T08:00:00' });
  const before = process.env['TZ'];
  const names = ['UTC', 'Asia/Tokyo', 'America/New_York'].map((zone) => {
    process.env['TZ'] = zone;
    return of(unzoned).wanted[0]?.name;
  });
  process.env['TZ'] = before;
  expect(new Set(names).size).toBe(1);
  expect(codes(of(unzoned))).toEqual(['time.unzoned']);
});

test('a summary that counts alerts and holds none clears nothing', () => {
  const made = of(withAt(anAlertSummary({ restingHeartRate: null }), 'alerts.total_alerts_int', 3));
  expect(made.trouble).toBe('implausible');
});

describe('a note in place of an element', () => {
  test('keeps comparators, and says what is not confirmed', () => {
    const one = labTest(
      'Glucose',
      { value: '90', unit: 'mg/dL' },
      {
        component: [{ code: { text: 'Sodium' }, valueQuantity: { value: 100, comparator: '<', unit: 'mmol/L' } }],
      },
    );
    const [made] = observations(aLabResult({ resource: aLabBundleOf([one]) }), {
      dialect: 'oracle-health',
      unmapped: 'pass-through',
    });
    const notes = (made?.['note'] as { text: string }[]).map(({ text }) => text);
    expect(notes).toEqual(expect.arrayContaining(['Sodium: <100 mmol/L', 'Preliminary: not confirmed by a person.']));
  });
});
