import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loadValidator } from '../../../src/r4/index.ts';
import { parsePayload } from '../../../src/payloads/index.ts';
import {
  addDays,
  daysOf,
  deviceOf,
  makePerson,
  SOURCE_TRAITS,
  type DaySummary,
  type SourceDay,
} from '../../population/index.ts';
import {
  asSent,
  buildClinicalReady,
  cleanDay,
  isSameClinicalContent,
  nextClinicalReady,
  SUMMARY_GROUPS,
  type ClinicalReadyPayload,
  type SummaryGroup,
} from '../../summaries/index.ts';
import { problemsOf, settingOf, translateText } from '../../../test/support/translate-steps.ts';
import { standardMappings } from '../../../test/support/standard-mappings.ts';
import { howMany } from '../../../test/support/how-much.ts';

const ABOUT = { clientUuid: 'client-1', userId: 'user-1' };
const CLEANED = { isCleaning: true, isTimeZone: true };
const options = fc.record({ isCleaning: fc.boolean(), isTimeZone: fc.boolean() });
/** All that some of a person's sources say of a date. */
const said = fc
  .record({
    seed: fc.integer({ min: 0, max: 10_000 }),
    n: fc.integer({ min: 0, max: 500 }),
    day: fc.integer({ min: 0, max: 800 }),
    names: fc.uniqueArray(fc.constantFrom(...Object.keys(SOURCE_TRAITS)), { minLength: 1, maxLength: 4 }),
  })
  .map(({ seed, n, day, names }) =>
    names.flatMap((name) => daysOf(seed, makePerson(seed, n), name, addDays('2025-01-01', day))),
  );
const latest = (days: readonly SourceDay[], name: string): SourceDay | undefined =>
  days.filter(({ dataSource }) => dataSource === name).at(-1);
const metricAt = (of: unknown, path: string): unknown => {
  const [group = '', metric = ''] = path.split('.');
  return (of as Record<string, Record<string, unknown> | null>)[group]?.[metric];
};
const metricsOf = (summary: DaySummary): string[] =>
  SUMMARY_GROUPS.flatMap((group) =>
    Object.entries(summary[group] ?? {}).flatMap(([metric, value]) =>
      typeof value === 'number' ? [`${group}.${metric}`] : [],
    ),
  ).filter((path) => !/At$/.test(path));

describe('a cleaned day', () => {
  test('has one value for each metric, and each is that of the source that it names', () => {
    let cleaned = 0;
    fc.assert(
      fc.property(said, options, (days, how) => {
        const summary = cleanDay(days, how);
        if (summary === null) return;
        cleaned += 1;
        expect(Object.keys(summary.sourceOf).sort()).toEqual(metricsOf(summary).sort());
        for (const [path, name] of Object.entries(summary.sourceOf))
          expect([path, metricAt(latest(days, name), path)]).toEqual([path, metricAt(summary, path)]);
        expect(summary.sources).toEqual([...new Set(Object.values(summary.sourceOf))].sort());
      }),
      { numRuns: howMany(100, 300) },
    );
    expect(cleaned).toBeGreaterThan(howMany(30, 100));
  });

  test('is the same in whatever order the sources have spoken', () => {
    fc.assert(
      fc.property(said, options, (days, how) => {
        expect(cleanDay([...days].reverse(), how)).toEqual(cleanDay(days, how));
      }),
      { numRuns: howMany(60, 200) },
    );
  });

  test('has no value that no body gives', () => {
    const bounds = [
      ['body.restingHeartRate', 30, 120],
      ['body.spo2', 70, 100],
      ['physical.averageHeartRate', 35, 180],
      ['physical.distanceM', 0, 150_000],
      ['sleep.breathingRate', 8, 40],
    ] as const;
    fc.assert(
      fc.property(said, (days) => {
        const summary = cleanDay(days, CLEANED) ?? {};
        for (const [path, low, high] of bounds) {
          const value = metricAt(summary, path) ?? low;
          expect([path, typeof value === 'number' && value >= low && value <= high]).toEqual([path, true]);
        }
      }),
      { numRuns: howMany(100, 300) },
    );
  });

  test('is nothing where nothing was said', () => {
    expect(cleanDay([], CLEANED)).toBeNull();
    expect(cleanDay(daysOf(1, makePerson(1, 0), 'GlucoseMonitor', '2026-05-05'), CLEANED)).toBeNull();
  });
});

interface Sent {
  readonly payload: ClinicalReadyPayload;
  readonly before: ClinicalReadyPayload | null;
}

/** Every document of a person's days, version by version, as the syncs come in. */
function* send(seed: number, n: number, days: number, isCleaning: boolean, from = '2026-10-17'): Generator<Sent> {
  const person = makePerson(seed, n);
  for (let i = 0; i < days; i += 1) {
    const syncs = person.dataSources
      .flatMap((name) => daysOf(seed, person, name, addDays(from, i)))
      .sort((a, b) => a.syncedAt - b.syncedAt);
    const sent = new Map<SummaryGroup, ClinicalReadyPayload>();
    for (const [k, { syncedAt }] of syncs.entries()) {
      const summary = cleanDay(syncs.slice(0, k + 1), { isCleaning, isTimeZone: n % 5 !== 4 });
      if (summary === null) continue;
      for (const group of SUMMARY_GROUPS) {
        const before = sent.get(group) ?? null;
        const payload = nextClinicalReady(before === null ? null : asSent(before), {
          about: { clientUuid: 'client-1', userId: `user-${n}` },
          summary,
          group,
          at: syncedAt,
          deviceOf: n % 2 === 0 ? (name) => deviceOf(person, name) : null,
        });
        if (payload === null) continue;
        sent.set(group, payload);
        yield { payload, before };
      }
    }
  }
}

const codesOf = (payload: ClinicalReadyPayload): Set<string> =>
  new Set(
    payload.clinical_ready.clinical_ready_data.entry.flatMap(({ resource }) =>
      resource.resourceType === 'Patient'
        ? []
        : (resource.code.coding[0]?.code.replace(/_(systolic|diastolic)$/, '') ?? []),
    ),
  );

describe('the versions of a document', () => {
  const all = [true, false].flatMap((isCleaning) =>
    Array.from({ length: howMany(16, 40) }, (_, n) => [...send(3, n, 30, isCleaning)]).flat(),
  );

  test('rise by one, and each says something else than the one before', () => {
    const later = all.filter(({ before }) => before !== null);
    expect(later.length).toBeGreaterThan(howMany(400, 1_000));
    for (const { payload, before } of later) {
      if (before === null) continue;
      expect(payload.document_version).toBe(before.document_version + 1);
      expect(isSameClinicalContent(payload, before)).toBe(false);
      expect(payload.clinical_ready.clinical_ready_data.id).toBe(before.clinical_ready.clinical_ready_data.id);
    }
    for (const { payload, before } of all) if (before === null) expect(payload.document_version).toBe(1);
  });

  test('take back at most a third of what the one before said, and some do', () => {
    const lost = all.flatMap(({ payload, before }) => {
      const now = codesOf(payload);
      const then = before === null ? [] : [...codesOf(before)];
      return then.length === 0 ? [] : [then.filter((code) => !now.has(code)).length / then.length];
    });
    expect(Math.max(...lost)).toBeLessThanOrEqual(1 / 3);
    expect(lost.filter((share) => share > 0).length).toBeGreaterThan(howMany(10, 30));
  });

  test('are never empty', () => {
    for (const { payload } of all) expect(codesOf(payload).size).toBeGreaterThan(0);
  });
});

describe('a document', () => {
  test('says the same when it is made again: only a change of content makes a version', () => {
    let made = 0;
    fc.assert(
      fc.property(said, fc.constantFrom(...SUMMARY_GROUPS), fc.nat(), (days, group, later) => {
        const summary = cleanDay(days, CLEANED);
        if (summary === null) return;
        const question = { about: ABOUT, summary, group, at: 1_793_000_000_000, deviceOf: null };
        const first = nextClinicalReady(null, question);
        if (first === null) return;
        made += 1;
        const again = {
          ...question,
          at: question.at + later,
          deviceOf: (name: string) => deviceOf(makePerson(1, 1), name),
        };
        expect(nextClinicalReady(asSent(first), again)).toBeNull();
        const built = buildClinicalReady({ ...again, documentVersion: 9 });
        expect(built !== null && isSameClinicalContent(first, built)).toBe(true);
      }),
      { numRuns: howMany(50, 100) },
    );
    expect(made).toBeGreaterThan(howMany(10, 20));
  });

  const setting = settingOf(standardMappings());
  const validator = loadValidator();

  /** Everything that the gateway has to say against a document. */
  function* objections(payload: ClinicalReadyPayload): Generator<string> {
    const text = JSON.stringify(payload);
    const value: unknown = JSON.parse(text);
    const parsed = parsePayload(value, { clientUuid: 'client-1', documentKey: 'bundle-id', labPath: null });
    if (!parsed.ok) yield `fault ${parsed.fault.code}`;
    else for (const { at } of parsed.value.findings) yield `finding ${at}`;
    const { clinical_ready: clinical } = value as { clinical_ready: { clinical_ready_data: unknown } };
    for (const { rule, expression } of validator.validate(clinical.clinical_ready_data))
      yield `given ${rule} ${expression}`;
    const translation = translateText(text, setting);
    for (const { code, at } of translation.findings) yield `translated ${code} ${at}`;
    for (const problem of problemsOf(translation)) yield `resource ${problem}`;
  }

  test('passes the gateway for many people and thirty days: schema, translation and R4, without a finding', () => {
    const sent = Array.from({ length: howMany(12, 50) }, (_, n) => [...send(11, n, 30, true)]).flat();
    expect(sent.length).toBeGreaterThan(howMany(900, 4_000));
    expect(sent.flatMap(({ payload }) => [...objections(payload)]).slice(0, 20)).toEqual([]);
  }, 240_000);

  test('passes where the day begins at one, since clocks were put forward at midnight', () => {
    const people = Array.from({ length: 60 }, (_, n) => n).filter(
      (n) => makePerson(11, n).zone === 'America/Santiago' && n % 5 !== 4,
    );
    const sent = people.flatMap((n) => [...send(11, n, 8, true, '2026-09-02')]);
    expect(JSON.stringify(sent)).toContain('"start":"2026-09-06T01:00:00-03:00"');
    expect(sent.flatMap(({ payload }) => [...objections(payload)])).toEqual([]);
  });

  test('that was not cleaned may say what no body gives, and nothing worse', () => {
    const sent = Array.from({ length: howMany(5, 12) }, (_, n) => [...send(11, n, 30, false)]).flat();
    const found = new Set(
      sent.flatMap(({ payload }) => [...objections(payload)]).map((one) => one.split(' ').slice(0, 2).join(' ')),
    );
    const bodily = ['value.implausible', 'value.rare', 'values.contradict', 'values.doubtful'].map(
      (code) => `translated ${code}`,
    );
    expect([...found].filter((one) => !bodily.includes(one))).toEqual([]);
    expect(found.size).toBeGreaterThan(0);
  }, 120_000);
});
