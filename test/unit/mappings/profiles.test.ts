import { describe, expect, test } from '@jest/globals';
import type { MetricRow } from '../../../src/mappings/index.ts';
import { loadValidator } from '../../../src/r4/index.ts';
import { parsed, shippedFiles, shippedMappings, type ConceptMapFile } from '../../support/mapping-files.ts';

/**
 * The codes on which HL7's validator imposes a vital-signs profile, the code that the profile asks for, and the units
 * that it allows.
 */
const PROFILES = [
  [
    'heartrate',
    '60978-4 73795-7 73799-9 76476-1 76477-9 8867-4 8889-8 8890-6 8891-4 8892-2 8893-0 40443-4 55425-3 68999-2 11328-2 69000-8 8886-4',
    '8867-4',
    ['/min'],
  ],
  ['oxygensat', '2708-6 19224-5 20564-1 2709-4 2710-2 2713-6 51733-4 59408-5 59417-6 89276-0 97549-0', '2708-6', ['%']],
  ['resprate', '9279-1 76170-0 76172-6 76171-8 19840-8 33438-3 76270-8 11291-2', '9279-1', ['/min']],
  [
    'bodytemp',
    '8310-5 60834-9 60835-6 60836-4 60838-0 60955-2 61009-7 75539-7 75987-8 76010-8 76011-6 76278-1 8309-7 8328-7 8329-5 8330-3 8331-1 8332-9 8333-7 8334-5 91371-5 98657-0 98663-8',
    '8310-5',
    ['Cel', '[degF]'],
  ],
  ['bodyheight', '8302-2 3137-7 3138-5 8306-3 8308-9', '8302-2', ['cm', '[in_i]']],
  ['bodyweight', '29463-7 3141-9 3142-7 75292-3 79348-9 8350-1 8351-9', '29463-7', ['kg', '[lb_av]', 'g']],
  ['bmi', '39156-5 89270-3', '39156-5', ['kg/m2']],
] as const;

const BLOOD_PRESSURE = '85354-9 35094-2 8459-0 76534-7 55284-4 8480-6'.split(' ');

const mappings = shippedMappings();
const rows: MetricRow[] = (() => {
  const read = (file: string) => parsed(shippedFiles(), file) as ConceptMapFile;
  const found = new Map<string, MetricRow>();
  const put = (row: MetricRow | null): void => {
    if (row !== null) found.set(row.row, row);
  };
  for (const { element } of read('conceptmap-metrics.json').group)
    for (const { code } of element)
      for (const context of ['point', 'daily_average', 'session'])
        for (const window of ['day', 'other'] as const)
          put(mappings.findMetric({ system: mappings.uris.code, code, context, window }));
  for (const { element } of read('conceptmap-alert-signals.json').group)
    for (const { code } of element) put(mappings.findSignal(code));
  return [...found.values()];
})();

describe.each(PROFILES)('%s', (_name, imposed, fixed, units) => {
  const codes = imposed.split(' ');
  const under = rows.filter((row) => row.codings.some(({ code }) => codes.includes(code)));

  test.each(under.map((row) => [row.row, row] as const))(
    '%s satisfies the profile that is imposed on it',
    (_row, row) => {
      expect(row.codings.map(({ code }) => code)).toContain(fixed);
      expect(units).toContain(row.unit?.code);
      expect(row.unit?.text).not.toBe('');
      expect(row.category).toBe('vital-signs');
    },
  );
});

test('what the blood pressure profile is imposed on is a component of the panel, never alone', () => {
  const under = rows.filter((row) => row.codings.some(({ code }) => BLOOD_PRESSURE.includes(code)));
  expect(under.map(({ panel }) => panel?.codings[0]?.code)).toEqual(['85354-9']);
});

test('every row has a row of plausibility in its unit', () => {
  for (const { codings, unit } of rows)
    expect(mappings.findPlausibility(codings[0]?.code ?? '', unit?.code ?? '')).not.toBeNull();
});

describe('an Observation made of a row passes the validator with the profiles imposed', () => {
  const validator = loadValidator({ profiles: ['vital-signs', 'us-core-lab'] });
  const quantity = (row: MetricRow) => ({
    value: 50,
    unit: row.unit?.text,
    system: 'http://unitsofmeasure.org',
    code: row.unit?.code,
  });
  const value = (row: MetricRow) =>
    row.panel === null
      ? { valueQuantity: quantity(row) }
      : {
          component: row.panel.components.map((code) => ({
            code: { coding: [{ system: 'http://loinc.org', code }] },
            valueQuantity: quantity(row),
          })),
        };

  test.each(rows.map((row) => [row.row, row] as const))('%s', (_row, row) => {
    const observation = {
      resourceType: 'Observation',
      status: 'final',
      category: [
        { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: row.category }] },
      ],
      code: { coding: row.panel?.codings ?? row.codings },
      subject: { reference: 'Patient/1' },
      effectiveDateTime: '2026-11-14T08:00:00Z',
      ...value(row),
    };
    expect(validator.validate(observation)).toEqual([]);
  });
});
