import { describe, expect, test } from '@jest/globals';
import type { MappingFiles } from '../../../src/mappings/index.ts';
import {
  built,
  edited,
  editedTarget,
  problemsOf,
  shippedFiles,
  smallFiles,
  type ConceptMapFile,
  type Fact,
  type Target,
} from '../../support/mapping-files.ts';

const files = smallFiles();
const METRICS = 'conceptmap-metrics.json';
const LABS = 'conceptmap-lab-names.json';
const WEIGHT = `${METRICS}#weight/point`;

const weight = (edit: (target: Target) => void): MappingFiles => editedTarget(files, METRICS, 'weight', edit);
const fact = (target: Target, name: string): Fact => {
  const found = target.product?.find(({ property }) => property === `urn:chartgate:mapping:${name}`);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};
const without = (name: string): MappingFiles => new Map([...files].filter(([one]) => one !== name));
const text = (name: string, content: string): MappingFiles => new Map(files).set(name, Buffer.from(content));

interface Units {
  families: { name: string; base: string; units: { code: string; numerator: string; offset: string }[] }[];
  perDay: { units: { from: string; to: string }[] };
  molarMasses: { code: string; gramsPerMole: string; source?: string }[];
  linear: { factor: string }[];
  knownPairs: { pairs: { code?: string; from: string; to: string; expected: string }[] };
}
const units = (edit: (value: Units) => void): MappingFiles => edited(files, 'units.json', edit);
const unitOf = (value: Units, family: string, code: string) => {
  const found = value.families.find(({ name }) => name === family)?.units.find((one) => one.code === code);
  if (found === undefined) throw new Error(`no ${code}`);
  return found;
};

interface Plausible {
  rows: {
    code: string;
    unit: string;
    hard: { low: number };
    soft: { low: number | null; high: number };
    source?: string;
  }[];
}
const plausible = (edit: (row: Plausible['rows'][number]) => void): MappingFiles =>
  edited(files, 'plausibility.json', ({ rows }: Plausible) => {
    for (const row of rows.filter(({ code }) => code === '29463-7')) edit(row);
  });

const dialect = (edit: (value: Record<string, unknown>) => void): MappingFiles =>
  edited(files, 'dialects/default.json', edit);

test('the data that Chartgate ships are sound', () => {
  expect(problemsOf(shippedFiles())).toEqual([]);
});

/** what is wrong, the files, where it is reported, words of the report. */
const FOUND: readonly (readonly [string, () => MappingFiles, string, RegExp])[] = [
  ['a wrong LOINC check digit', () => weight((t) => (t.code = '29463-8')), WEIGHT, /check digit/],
  [
    'a wrong LOINC check digit of a companion',
    () => editedTarget(files, METRICS, 'spo2', (t) => (fact(t, 'companion').value = '2708-7')),
    `${METRICS}#spo2/point`,
    /check digit/,
  ],
  ['a unit that is not UCUM', () => weight((t) => (fact(t, 'unit').value = 'kilos')), WEIGHT, /not UCUM/],
  ['a unit without its system', () => weight((t) => delete fact(t, 'unit').system), WEIGHT, /system of unit/],
  ['a unit without its text', () => weight((t) => delete fact(t, 'unit').display), WEIGHT, /text for people/],
  [
    'a unit that does not measure the property',
    () => weight((t) => (fact(t, 'unit').value = 'cm')),
    WEIGHT,
    /does not measure Mass/,
  ],
  ['a property that nobody can measure', () => weight((t) => (fact(t, 'property').value = 'Masse')), WEIGHT, /Masse/],
  [
    'a waiver taken away',
    () =>
      editedTarget(files, METRICS, 'spo2', (t) => {
        t.code = '103209-3';
        fact(t, 'property').value = 'NRat';
      }),
    `${METRICS}#spo2/point`,
    /does not measure NRat/,
  ],
  ['no source', () => weight((t) => (t.extension = t.extension?.slice(1) ?? [])), WEIGHT, /no source/],
  ['no reviewer', () => weight((t) => (t.extension = t.extension?.slice(0, 1) ?? [])), WEIGHT, /no reviewer/],
  ['an equivalence that maps nothing', () => weight((t) => (t.equivalence = 'disjoint')), WEIGHT, /disjoint/],
  [
    'an unknown property',
    () => weight((t) => (fact(t, 'decimals').property = 'urn:chartgate:mapping:decimal')),
    WEIGHT,
    /mapping:decimal is not known/,
  ],
  [
    'an unknown context',
    () => weight((t) => ((t.dependsOn?.[0] as Fact).value = 'weekly')),
    `${METRICS}#weight/weekly`,
    /context/,
  ],
  [
    'an unknown window',
    () => editedTarget(files, METRICS, 'steps', (t) => ((t.dependsOn?.[1] as Fact).value = 'week')),
    `${METRICS}#steps/point/week`,
    /window/,
  ],
  ['an unknown category', () => weight((t) => (fact(t, 'category').value = 'vitals')), WEIGHT, /observation-category/],
  ['decimals that are none', () => weight((t) => (fact(t, 'decimals').value = 'few')), WEIGHT, /decimals/],
  [
    'a row twice',
    () =>
      edited(files, METRICS, ({ group }: ConceptMapFile) => {
        const target = group[0]?.element[0]?.target;
        target?.push(structuredClone(target[0] as Target));
      }),
    WEIGHT,
    /twice/,
  ],
  [
    'a code outside of its panel',
    () =>
      editedTarget(files, METRICS, 'blood_pressure_systolic', (t) => {
        t.product = t.product?.filter(({ value }) => value !== '8480-6') ?? [];
      }),
    `${METRICS}#blood_pressure_systolic/point`,
    /component/,
  ],
  [
    'a local code that does not exist',
    () => editedTarget(files, METRICS, 'hrv_rmssd', (t) => (t.code = 'hrv-rmsd')),
    `${METRICS}#hrv_rmssd/point`,
    /codesystem-local/,
  ],
  [
    'a code system mistyped',
    () =>
      edited(files, METRICS, ({ group }: ConceptMapFile) => {
        for (const one of group) if (one.target === 'http://loinc.org') one.target = 'http://loinc.org/';
      }),
    METRICS,
    /target of a group/,
  ],
  [
    'a map that is not R4',
    () => edited(files, METRICS, (map: Record<string, unknown>) => (map['status'] = 'ready')),
    METRICS,
    /status/,
  ],
  [
    'an inexact row without a comment',
    () => weight((t) => (t.equivalence = 'inexact')),
    METRICS,
    /narrower or inexact|cmd-1|comment/,
  ],
  ['a map that is not JSON', () => text(METRICS, '{"resourceType": '), METRICS, /./],
  [
    'a key twice in one object',
    () =>
      text(
        'source-uris.json',
        '{"code":"urn:a","code":"urn:b","userIdentifier":"urn:c","tag":"urn:d","context":"urn:e"}',
      ),
    'source-uris.json',
    /./,
  ],
  ['a missing file', () => without(METRICS), METRICS, /missing/],
  ['a missing default dialect', () => without('dialects/default.json'), 'dialects/default.json', /missing/],
  ['a file that nobody reads', () => text('conceptmap-metric.json', '{}'), 'conceptmap-metric.json', /not known/],
  [
    'two candidates of one dimension',
    () =>
      edited(files, LABS, ({ group }: ConceptMapFile) => {
        const row = group[0]?.element
          .find(({ code }) => code === 'glucose')
          ?.target.find(({ code }) => code === '14749-6');
        const when = row?.dependsOn?.[0];
        const unit = row?.product?.[0];
        if (when && unit) {
          when.value = 'g/L';
          unit.value = 'g/L';
        }
      }),
    `${LABS}#glucose/g/L`,
    /one dimension/,
  ],
  [
    'a name that is not normalised',
    () =>
      edited(files, LABS, ({ group }: ConceptMapFile) => {
        const element = group[0]?.element[0];
        if (element) element.code = 'D-Dimer';
      }),
    `${LABS}#D-Dimer`,
    /written d dimer/,
  ],
  [
    'an unknown scale',
    () => editedTarget(files, LABS, 'glucose', (t) => (fact(t, 'scale').value = 'Qn')),
    `${LABS}#glucose/mg/dL`,
    /scale/,
  ],
  [
    'a critical code from a word',
    () => editedTarget(files, 'conceptmap-interpretation.json', 'low', (t) => (t.code = 'LL')),
    'conceptmap-interpretation.json#low',
    /LL/,
  ],
  [
    'a unit that has no text',
    () =>
      edited(files, 'conceptmap-units.json', ({ group }: ConceptMapFile) => {
        for (const one of group) one.element = one.element.filter(({ code }) => code !== 'kg');
      }),
    WEIGHT,
    /conceptmap-units/,
  ],
  [
    'a factor that UCUM does not have',
    () => units((u) => (unitOf(u, 'time', 'min').numerator = '61')),
    'units.json#time/min',
    /another factor/,
  ],
  [
    'a unit of another dimension',
    () => units((u) => (unitOf(u, 'time', 'min').code = 'cm')),
    'units.json#time/cm',
    /dimension/,
  ],
  ['a factor of 0', () => units((u) => (unitOf(u, 'time', 'min').numerator = '0')), 'units.json#time', /above 0/],
  [
    'a factor that is a number',
    () => units((u) => (unitOf(u, 'time', 'min').numerator = 60 as unknown as string)),
    'units.json#time/units[2]',
    /decimal number as text/,
  ],
  [
    'a wrong zero',
    () => units((u) => (unitOf(u, 'temperature', '[degF]').offset = '-30')),
    'units.json#knownPairs/[degF] > Cel',
    /gives/,
  ],
  [
    'a rate that is not per day',
    () => units((u) => (u.perDay.units[0] = { from: '{steps}', to: '/h' })),
    'units.json#perDay/{steps} > /h',
    /per day/,
  ],
  [
    'urea for urea nitrogen',
    () =>
      units((u) => {
        for (const one of u.molarMasses.filter(({ code }) => code === '3094-0')) one.gramsPerMole = '60.055';
      }),
    'units.json#knownPairs/3094-0 mg/dL > mmol/L',
    /gives/,
  ],
  [
    'a molar mass of a mistyped code',
    () => units((u) => (u.molarMasses[0] = { ...(u.molarMasses[0] as Units['molarMasses'][0]), code: '2345-8' })),
    'units.json#molarMasses/2345-8',
    /check digit/,
  ],
  [
    'a molar mass without a source',
    () => units((u) => delete u.molarMasses[0]?.source),
    'units.json#molarMasses[0]',
    /source is missing/,
  ],
  [
    'a formula without a factor',
    () =>
      units((u) => {
        for (const one of u.linear) one.factor = '0';
      }),
    'units.json#linear/hba1c',
    /above 0/,
  ],
  [
    'a known pair without a way',
    () =>
      units((u) =>
        u.knownPairs.pairs.push({ from: 'kg', to: 'cm', value: '1', expected: '1' } as Units['knownPairs']['pairs'][0]),
      ),
    'units.json#knownPairs/kg > cm',
    /no way/,
  ],
  [
    'a soft range beyond the hard one',
    () => plausible((row) => (row.soft.high = 9_999)),
    'plausibility.json#29463-7',
    /beyond/,
  ],
  [
    'an open soft range inside a closed hard one',
    () => plausible((row) => (row.soft.low = null)),
    'plausibility.json#29463-7',
    /beyond/,
  ],
  [
    'a range upside down',
    () => plausible((row) => (row.hard.low = 1_000)),
    'plausibility.json#29463-7',
    /low is above high/,
  ],
  [
    'a range in another unit than its metric',
    () => plausible((row) => (row.unit = 'g')),
    'plausibility.json#29463-7',
    /but conceptmap-metrics\.json#weight\/point is in kg/,
  ],
  ['a metric without a range', () => plausible((row) => (row.code = '3141-9')), WEIGHT, /no row in plausibility/],
  [
    'a range without a source',
    () => plausible((row) => delete row.source),
    'plausibility.json#rows[0]',
    /source is missing/,
  ],
  [
    'an unknown key of a dialect',
    () => dialect((d) => (d['effectve'] = 'start')),
    'dialects/default.json',
    /effectve is not known/,
  ],
  [
    'an unknown word of a dialect',
    () => dialect((d) => (d['effective'] = 'instant')),
    'dialects/default.json',
    /effective must be one of/,
  ],
  [
    'a key of a dialect left out',
    () => dialect((d) => delete d['retraction']),
    'dialects/default.json',
    /retraction is missing/,
  ],
  [
    'an unknown key of how to write',
    () => dialect((d) => ((d['write'] as Record<string, unknown>)['retries'] = 3)),
    'dialects/default.json#write',
    /retries is not known/,
  ],
  [
    'a type that does not exist',
    () => dialect((d) => (d['types'] = ['Observations'])),
    'dialects/default.json',
    /Observations/,
  ],
  [
    'a profile of a type that does not exist',
    () => dialect((d) => (d['profiles'] = [{ type: 'Observations', profile: 'urn:p' }])),
    'dialects/default.json#profiles[0]',
    /Observations is no resource type/,
  ],
  [
    'a profile without its address',
    () => dialect((d) => (d['profiles'] = [{ type: 'Observation' }])),
    'dialects/default.json#profiles[0]',
    /profile is missing/,
  ],
  [
    'a profile whose address is none',
    () => dialect((d) => (d['profiles'] = [{ type: 'Observation', profile: 'us-core vitals' }])),
    'dialects/default.json#profiles[0]',
    /profile must be a profile's address/,
  ],
  [
    'a profile with an unknown key, a code with whitespace and an unknown word',
    () => dialect((d) => (d['profiles'] = [{ type: 'Device', profile: 'urn:p', code: 'a b', claim: 'say', kind: 1 }])),
    'dialects/default.json#profiles[0]',
    /code must be a code without whitespace[^]*claim must be one of[^]*kind is not known/,
  ],
  [
    'a profile that is asked for twice',
    () => dialect((d) => (d['profiles'] = [1, 2].map(() => ({ type: 'Device', profile: 'urn:p' })))),
    'dialects/default.json#profiles[1]',
    /urn:p is asked for twice/,
  ],
  ['a dialect under another name', () => dialect((d) => (d['name'] = 'standard')), 'dialects/default.json', /standard/],
  [
    'a URI that is none',
    () => edited(files, 'source-uris.json', (uris: Record<string, string>) => (uris['code'] = 'codes')),
    'source-uris.json',
    /absolute URI/,
  ],
];

describe('is found, and said where', () => {
  test.each(FOUND)('%s', (_what, wrong, row, words) => {
    const problems = problemsOf(wrong());
    expect(problems.map((one) => one.row)).toContain(row);
    expect(
      problems
        .filter((one) => one.row === row)
        .map((one) => one.text)
        .join('\n'),
    ).toMatch(words);
  });
});

test('a dialect from before there were profiles asks for none', () => {
  expect(built(dialect((d) => delete d['profiles'])).dialects.get('default')?.profiles).toEqual([]);
  const rows = [{ type: 'Observation', category: 'laboratory', profile: 'urn:lab|2.0' }];
  expect(built(dialect((d) => (d['profiles'] = rows))).dialects.get('default')?.profiles).toEqual([
    { type: 'Observation', category: 'laboratory', code: null, profile: 'urn:lab|2.0', claim: 'leave' },
  ]);
});

test('several problems, of several files, are told at once', () => {
  let wrong = weight((t) => {
    t.code = '29463-8';
    fact(t, 'unit').value = 'kilos';
    delete t.extension;
  });
  wrong = edited(wrong, 'units.json', (u: Units) => (unitOf(u, 'length', 'km').numerator = '100'));
  wrong = edited(wrong, 'dialects/epic.json', (d: Record<string, unknown>) => (d['device'] = 'maybe'));
  const rows = problemsOf(wrong).map(({ row }) => row);
  expect(rows.filter((row) => row === WEIGHT).length).toBeGreaterThanOrEqual(4);
  expect(rows).toContain('units.json#length/km');
  expect(rows).toContain('dialects/epic.json');
});

test('without the SNOMED files the words stay words', () => {
  const mappings = built(new Map([...files].filter(([name]) => !name.includes('snomed'))));
  expect([mappings.findQualitative('negative'), mappings.findSpecimen('serum')]).toEqual([null, null]);
  expect(built(files).findQualitative('Negative')?.codings[0]?.code).toBe('260385009');
  expect(built(files).findSpecimen('Serum')?.codings[0]?.code).toBe('119364003');
});

describe('the version', () => {
  test('is that of the bytes, in the order of the names', () => {
    expect(built(new Map([...files].reverse())).version).toBe(built(files).version);
    expect(built(files).version).toMatch(/^[0-9a-f]{64}$/);
  });

  test('changes with any of them', () => {
    const padded = new Map(files).set(
      'units.json',
      Buffer.concat([files.get('units.json') ?? Buffer.alloc(0), Buffer.from(' ')]),
    );
    expect(built(padded).version).not.toBe(built(files).version);
  });
});
