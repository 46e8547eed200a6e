import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Capability, TypeCapability } from '../../../src/ehr/index.ts';
import { ok, silentLog, type RequestId } from '../../../src/kernel/index.ts';
import { daysOfDate, daysOfParam, searchParamsOf } from '../../../src/r4/index.ts';
import type { Caller } from '../../../src/smart/caller.ts';
import { careDateTypes, isInRange, rangeClauses } from '../../../src/smart/care-date.ts';
import type { Checked } from '../../../src/smart/check-page.ts';
import { makeFindProvenances } from '../../../src/smart/find-provenances.ts';
import { parseEverything } from '../../../src/smart/parse-everything.ts';
import type { Search } from '../../../src/smart/read-request.ts';
import { makeRunEverything } from '../../../src/smart/run-everything.ts';
import type { RunSearch } from '../../../src/smart/run-search.ts';
import { loadServed } from '../../../src/smart/served-types.ts';
import { aGrant } from '../../support/smart/start-smart.ts';

const resource = (resourceType: string, more: object = {}) => ({ resourceType, id: '1', ...more });

describe('days of care', () => {
  test.each([...careDateTypes()])(
    '%s has the parameter that it goes by, and its days can be read',
    (type, { param }) => {
      const found = searchParamsOf(type).get(param);
      expect([found?.kind, found?.isPlain]).toEqual(['date', true]);
      const [path] = found?.paths ?? [];
      const [first = '', ...rest] = path?.steps ?? [];
      const date = '2020-02-03T04:05:06Z';
      const spelled = (name: string): string[] => [name, `${name}DateTime`];
      const values = (rest.length === 0 ? spelled(first) : [first]).map((name) =>
        resource(type, {
          [name]: rest.length === 0 ? date : { [rest[0] ?? '']: date, [`${rest[0] ?? ''}DateTime`]: date },
        }),
      );
      expect(values.some((one) => !isInRange(one, { from: '2021-01-01', to: null }))).toBe(true);
    },
  );

  test.each([
    [{ effectiveDateTime: '2020-01-05T23:30:00-05:00' }, [{ from: '2020-01-05', to: '2020-01-05' }]],
    [{ effectiveDateTime: '2020-02' }, [{ from: '2020-02-01', to: '2020-02-29' }]],
    [{ effectiveDateTime: '2020' }, [{ from: '2020-01-01', to: '2020-12-31' }]],
    [{ effectiveInstant: '2020-01-05T00:00:00Z' }, [{ from: '2020-01-05', to: '2020-01-05' }]],
    [{ effectivePeriod: { start: '2020-01', end: '2020-02' } }, [{ from: '2020-01-01', to: '2020-02-29' }]],
    [{ effectivePeriod: { start: '2020-01-02T10:00:00Z' } }, [{ from: '2020-01-02', to: null }]],
    [{ effectivePeriod: { end: '2020-01-02' } }, [{ from: null, to: '2020-01-02' }]],
    [
      { effectiveTiming: { event: ['2020-01-02', '2020-03-04'] } },
      [
        { from: '2020-01-02', to: '2020-01-02' },
        { from: '2020-03-04', to: '2020-03-04' },
      ],
    ],
    [{ effectiveTiming: { repeat: { boundsPeriod: { start: '2020' } } } }, [{ from: '2020-01-01', to: null }]],
    [{ effectiveTiming: { repeat: { frequency: 1 } } }, [{ from: null, to: null }]],
    [{ effectiveDateTime: 'soon' }, []],
    [{ effectivePeriod: {} }, []],
    [{}, []],
  ])('of an Observation with %j', (elements, days) => {
    const param = searchParamsOf('Observation').get('date');
    expect(param === undefined ? null : daysOfParam(resource('Observation', elements), param)).toEqual(days);
  });

  test('a range holds what overlaps it', () => {
    const day = fc
      .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 10));
    const bound = fc.option(day);
    fc.assert(
      fc.property(bound, bound, day, day, (from, to, one, two) => {
        const [start = '', end = ''] = [one, two].sort();
        const isIn = isInRange(resource('Observation', { effectivePeriod: { start, end } }), { from, to });
        expect(isIn).toBe((to === null || start <= to) && (from === null || end >= from));
      }),
    );
  });

  test('without a date, what happens is in no range, and what lasts or has none is in every', () => {
    const range = { from: '2020-01-01', to: null };
    expect(
      ['Observation', 'Encounter', 'CarePlan', 'DocumentReference', 'Condition', 'AllergyIntolerance', 'Device'].map(
        (type) => [type, isInRange(resource(type), range)],
      ),
    ).toEqual([
      ['Observation', false],
      ['Encounter', false],
      ['CarePlan', true],
      ['DocumentReference', true],
      ['Condition', true],
      ['AllergyIntolerance', true],
      ['Device', true],
    ]);
    expect(isInRange(resource('Observation'), { from: null, to: null })).toBe(true);
  });

  test('the EHR is asked for a day more on each side, where it knows the parameter and nothing without a date would be lost', () => {
    const range = { from: '2020-03-01', to: '2020-12-31' };
    const all = (): boolean => true;
    expect(rangeClauses('Observation', range, all)).toEqual([
      ['date', 'ge2020-02-29'],
      ['date', 'le2021-01-01'],
    ]);
    expect(rangeClauses('Observation', { from: null, to: '2020-12-31' }, all)).toEqual([['date', 'le2021-01-01']]);
    expect(rangeClauses('Observation', range, (param) => param !== 'date')).toEqual([]);
    expect(rangeClauses('CarePlan', range, all)).toEqual([]);
    expect(rangeClauses('Condition', range, all)).toEqual([]);
    expect(rangeClauses('Observation', { from: '0001-01-01', to: '9999-12-31' }, all)).toEqual([]);
  });

  test('a date is a day that there is', () => {
    expect(
      ['2020-02-29', '2021-02-29', '2020-13', '20', '2020-1-1', '2020-01-01x', 7, null].map(
        (one) => daysOfDate(one) !== null,
      ),
    ).toEqual([true, false, false, false, false, false, false, false]);
  });
});

describe('what is asked', () => {
  const served = loadServed([]);
  const parse = (query: string) => parseEverything('a', [...new URLSearchParams(query)], (type) => served.has(type));

  test('is read, and written anew for the next page', () => {
    const asked = parse(
      '_count=500&_since=2020-01-01T00:00:00%2B01:00&_type=Observation&_type=Patient,Device&start=2020-02&end=2020&_format=json',
    );
    expect(asked).toEqual({
      ok: true,
      value: {
        id: 'a',
        types: new Set(['Observation', 'Patient', 'Device']),
        since: new Date('2019-12-31T23:00:00Z'),
        range: { from: '2020-02-01', to: '2020-12-31' },
        count: 200,
        used: [
          ['_count', '200'],
          ['_since', '2020-01-01T00:00:00+01:00'],
          ['_type', 'Observation'],
          ['_type', 'Patient,Device'],
          ['start', '2020-02'],
          ['end', '2020'],
        ],
      },
    });
    const used = asked.ok ? asked.value.used : [];
    expect(parseEverything('a', used, (type) => served.has(type))).toEqual(asked);
  });

  test('nothing is ever thrown, nor repeated that is no name', () => {
    const names = fc.oneof(fc.constantFrom('_count', '_since', '_type', 'start', 'end', '_format'), fc.string());
    let problems = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.string()), { maxLength: 70 }), (pairs) => {
        const asked = parseEverything('a', pairs, (type) => served.has(type));
        if (asked.ok) return;
        problems += asked.fault.problems?.length ?? 0;
        expect(asked.fault.code).toBe('read.parameter');
        for (const problem of asked.fault.problems ?? []) expect(problem).toMatch(/^[\w\s.,:;-]+$/);
      }),
    );
    expect(problems).toBeGreaterThan(20);
  });
});

describe('what the EHR is asked', () => {
  const served = loadServed([]);
  const caller: Caller = {
    grant: aGrant('patient/Patient.r patient/Observation.s patient/Condition.s patient/Provenance.s', { patient: 'a' }),
    requestId: 'req_test' as RequestId,
    log: silentLog,
    signal: new AbortController().signal,
  };
  const says = (searchParams: readonly string[], revIncludesProvenance: boolean): TypeCapability =>
    ({ search: true, searchParams, revIncludesProvenance }) as unknown as TypeCapability;

  async function searches(query: string, types: Record<string, TypeCapability> | null): Promise<Search[]> {
    const made: Search[] = [];
    const capability = (): Capability | null => (types === null ? null : ({ types } as unknown as Capability));
    const found: Checked = { resource: resource('Observation', { effectiveDateTime: '2020' }), mode: 'match' };
    const runSearch: RunSearch = ({ request }) => {
      made.push(request);
      return Promise.resolve(ok({ entries: request.type === 'Observation' ? [found] : [], next: null }));
    };
    const run = makeRunEverything({
      served,
      isOffered: (type) => served.has(type),
      isSearchable: (type) => served.has(type),
      capability,
      ehrBase: 'https://ehr.example.org/fhir',
      runSearch,
      provenances: makeFindProvenances({ served, capability, runSearch }),
      findShared: () => Promise.resolve(ok([])),
    });
    const asked = parseEverything('a', [...new URLSearchParams(query)], (type) => served.has(type));
    if (!asked.ok) throw new Error(asked.fault.problems?.join());
    const page = await run.page(asked.value, resource('Patient', { id: 'a' }), null, caller);
    if (!page.ok) throw new Error(page.fault.code);
    return made;
  }
  const shortly = (made: readonly Search[]) =>
    made.map(({ type, clauses, revinclude }) => [type, clauses.map((pair) => pair.join('=')).join('&'), revinclude]);
  const both = {
    Observation: says(['date', '_lastUpdated'], true),
    Condition: says(['_lastUpdated'], false),
    Provenance: says(['target'], false),
  };

  test('by the filters that it says it knows', async () => {
    expect(
      shortly(await searches('_type=Observation,Condition&start=2020-05-05&_since=2020-01-01T00:00:00Z', both)),
    ).toEqual([
      ['Observation', 'date=ge2020-05-04&_lastUpdated=ge2020-01-01T00:00:00.000Z', 'none'],
      ['Condition', '_lastUpdated=ge2020-01-01T00:00:00.000Z', 'none'],
    ]);
    expect(shortly(await searches('_type=Observation&start=2020&_since=2020-01-01T00:00:00Z', null))).toEqual([
      ['Observation', '', 'none'],
    ]);
  });

  test('for all that a Provenance may be about, however old that is', async () => {
    expect(shortly(await searches('_since=2020-01-01T00:00:00Z', both))).toEqual([
      ['Provenance', 'target=Patient/a', 'none'],
      ['Observation', '', 'provenance'],
      ['Condition', '', 'none'],
    ]);
    // One that includes none is asked for those about what it gave.
    const { Condition, Provenance } = both;
    expect(shortly(await searches('', { Observation: says([], false), Condition, Provenance }))).toEqual([
      ['Provenance', 'target=Patient/a', 'none'],
      ['Observation', '', 'none'],
      ['Provenance', 'target=Observation/1', 'none'],
      ['Condition', '', 'none'],
    ]);
    expect(
      shortly(await searches('', { Observation: says([], false), Condition, Provenance: says(['patient'], false) })),
    ).toEqual([
      ['Provenance', '', 'none'],
      ['Observation', '', 'none'],
      ['Condition', '', 'none'],
    ]);
  });
});
