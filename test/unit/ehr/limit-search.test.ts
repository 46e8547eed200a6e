import { describe, expect, test } from '@jest/globals';
import {
  afterAnswer,
  afterOverload,
  LIMIT_SEARCH,
  limitOf,
  startSearch,
  type LimitSearch,
} from '../../../src/ehr/limit-search.ts';

interface EhrSelfDescription {
  readonly search: LimitSearch;
  readonly nowMs: number;
}

/** Answers one after the other, as many under way as the limit allows; how long each takes is for `tookMs` to say. */
function answers(
  from: EhrSelfDescription,
  count: number,
  tookMs: (limit: number, nowMs: number) => number,
): EhrSelfDescription {
  let { search, nowMs } = from;
  for (let i = 0; i < count; i += 1) {
    const limit = limitOf(search);
    const took = tookMs(limit, nowMs);
    nowMs += took / limit;
    search = afterAnswer(search, { kind: 'bundle 14', tookMs: took, inFlight: limit }, nowMs);
  }
  return { search, nowMs };
}

/** Until it is so, which it must become. */
function until(
  from: EhrSelfDescription,
  isSo: (told: EhrSelfDescription) => boolean,
  tookMs: (limit: number, nowMs: number) => number,
): EhrSelfDescription {
  let told = from;
  for (let i = 0; !isSo(told); i += 1) {
    if (i === 50_000) throw new Error('it never became so');
    told = answers(told, 1, tookMs);
  }
  return told;
}

/** Until the limit in force changes. */
const untilChange = (from: EhrSelfDescription, tookMs: (limit: number, nowMs: number) => number): EhrSelfDescription =>
  until(from, ({ search }) => limitOf(search) !== limitOf(from.search), tookMs);

const started: EhrSelfDescription = { search: startSearch(4), nowMs: 0 };
/** As many workers as that, each taking 100 ms. */
const workers = (count: number) => (limit: number) => 100 * Math.max(1, limit / count);

test('a limit that brings all of what it adds is taken at once, and the next is tried from there', () => {
  const first = untilChange(started, workers(100));
  expect(first.search).toMatchObject({ base: 4, phase: { at: 'trial', limit: 6 } });
  const second = untilChange(first, workers(100));
  expect(second.search).toMatchObject({ base: 6, phase: { at: 'trial', limit: 9 }, because: 'growing' });
  expect(second.search.lastTrial).toMatchObject({ from: 4, to: 6 });
  expect(second.search.lastTrial?.gain).toBeCloseTo(1);
});

test('a limit that brings nothing is given up for a smaller step, then for a lower limit, then for a rest', () => {
  const limits: number[] = [];
  let told = started;
  for (let i = 0; i < 6; i += 1) {
    told = untilChange(told, workers(4));
    limits.push(limitOf(told.search));
  }
  expect(limits).toEqual([6, 4, 5, 4, 3, 4]);
  expect(told.search).toMatchObject({
    base: 4,
    next: 'up',
    because: 'steady',
    notBeforeMs: told.nowMs + LIMIT_SEARCH.restMsMin,
  });
});

test('an EHR that becomes faster in the middle of a trial does not raise the limit: the second comparison is in the opposite order', () => {
  const trial = untilChange(started, workers(4));
  const sinceMs = trial.nowMs;
  // A quarter faster each second, whatever the limit.
  const drifting = (limit: number, nowMs: number): number => workers(4)(limit) * 0.75 ** ((nowMs - sinceMs) / 1_000);
  let told = trial;
  const phases = new Set<string>();
  for (let i = 0; i < 400 && told.search.phase.at !== 'base'; i += 1) {
    phases.add(told.search.phase.at);
    told = answers(told, 1, drifting);
  }
  expect([...phases]).toEqual(['trial', 'trial-again', 'base-again']);
  expect(told.search.base).toBe(4);
});

test('after a pause a trial is forgotten, and the limit is what it was', () => {
  const trial = untilChange(started, workers(100));
  const paused = answers({ ...trial, nowMs: trial.nowMs + LIMIT_SEARCH.gapMs + 1_000 }, 1, workers(100));
  expect(limitOf(trial.search)).toBe(6);
  expect(paused.search).toMatchObject({ base: 4, phase: { at: 'base' }, window: { count: 1 } });
});

test('requests that began under another limit are not counted', () => {
  const { search, nowMs } = untilChange(started, workers(100));
  const late = afterAnswer(search, { kind: 'bundle 14', tookMs: 100, inFlight: 6 }, nowMs + 10);
  expect(late.window.count).toBe(0);
});

test('a limit at which the EHR was overloaded is not tried again for five minutes', () => {
  const tired = { search: afterOverload(startSearch(12), 0), nowMs: 0 };
  expect(tired.search).toMatchObject({ base: 6, because: 'overload' });
  let highest = 0;
  const isOver = ({ search, nowMs }: EhrSelfDescription): boolean => {
    if (nowMs < 300_000) highest = Math.max(highest, limitOf(search));
    return nowMs >= 300_000;
  };
  const told = until(tired, isOver, workers(100));
  expect(highest).toBe(11);
  expect(limitOf(answers(told, 40_000, workers(100)).search)).toBe(32);
});

test('a limit that makes everything slower is left after one answer for each request', () => {
  const collapsing = (limit: number): number => (limit <= 4 ? 100 : 2_000);
  const trial = untilChange(started, collapsing);
  const left = untilChange(trial, collapsing);
  expect(left.nowMs - trial.nowMs).toBeLessThan(8_000);
  expect(left.search).toMatchObject({ base: 4, ceiling: { limit: 6 } });
});

test('an EHR that becomes slower or faster ends a rest early', () => {
  let told = started;
  for (let i = 0; i < 6; i += 1) told = untilChange(told, workers(4));
  // Rests get longer: this one is the second.
  told = untilChange(told, workers(4));
  told = until(told, ({ search, nowMs }) => search.phase.at === 'base' && search.notBeforeMs > nowMs, workers(4));
  const restedMs = told.nowMs;
  const quiet = untilChange(told, workers(4));
  const changed = untilChange(told, (limit, nowMs) => workers(4)(limit) * (nowMs > restedMs + 6_000 ? 2 : 1));
  expect(quiet.nowMs - restedMs).toBeGreaterThan(2 * LIMIT_SEARCH.restMsMin - 1);
  expect(changed.nowMs - restedMs).toBeLessThan(2 * LIMIT_SEARCH.restMsMin - 1_000);
});

/**
 * Throughput grows by this power of what is under way: 1 all of what a limit adds, 0 none of it, below 0 it does harm.
 */
const power = (gain: number) => (limit: number) => (100 * limit) / limit ** gain;

interface Measured {
  readonly limit: number;
  readonly phase: string;
  /** How many answers it was measured by. */
  readonly answers: number;
}
/** The next windows, each until what is measured changes. */
function windows(
  from: EhrSelfDescription,
  count: number,
  tookMs: (limit: number, nowMs: number) => number,
): EhrSelfDescription & { seen: Measured[] } {
  const seen: Measured[] = [];
  let before = from;
  const isEnough = (told: EhrSelfDescription): boolean => {
    const { phase, window } = before.search;
    if (window.count > 0 && told.search.window.count === 0)
      seen.push({ limit: limitOf(before.search), phase: phase.at, answers: window.count + 1 });
    before = told;
    return seen.length === count;
  };
  const told = until(from, isEnough, tookMs);
  return { ...told, seen };
}
const shortOf = ({ seen }: { readonly seen: readonly Measured[] }): string[] =>
  seen.map(({ phase, limit }) => `${phase} ${limit}`);

describe('a limit is measured', () => {
  test('by twelve answers for each that may be under way, and by 48 at least', () => {
    expect(windows(started, 3, power(1)).seen).toEqual([
      { limit: 4, phase: 'base', answers: 48 },
      { limit: 6, phase: 'trial', answers: 72 },
      { limit: 9, phase: 'trial', answers: 108 },
    ]);
    expect(windows({ search: startSearch(2), nowMs: 0 }, 1, power(0)).seen).toEqual([
      { limit: 2, phase: 'base', answers: 48 },
    ]);
  });

  test('only while half of it is used', () => {
    const said = (limit: number, inFlight: number) =>
      afterAnswer(startSearch(limit), { kind: 'bundle 14', tookMs: 100, inFlight }, 200).window.count;
    expect([said(4, 1), said(4, 2), said(6, 2), said(6, 3), said(7, 3)]).toEqual([0, 1, 0, 1, 0]);
  });

  test('anew after five seconds without an answer, or four times as long as one takes', () => {
    const after = (gapMs: number, tookMs: number): number => {
      const { search, nowMs } = answers(started, 10, () => tookMs);
      return afterAnswer(search, { kind: 'bundle 14', tookMs, inFlight: 4 }, nowMs + gapMs).window.count;
    };
    expect([after(5_000, 100), after(5_001, 100)]).toEqual([11, 1]);
    expect([after(8_000, 2_000), after(8_001, 2_000)]).toEqual([11, 1]);
  });
});

describe('of a higher limit', () => {
  const trial = (gain: number) => windows(started, 1, power(gain));
  const after = (gain: number, count: number) => windows(trial(gain), count, power(gain));

  test('all but a third must become throughput for one comparison to do', () => {
    expect(after(0.71, 1).search.base).toBe(6);
    expect(shortOf(after(0.69, 3))).toEqual(['trial 6', 'trial-again 6', 'base-again 4']);
  });

  test('a tenth must become throughput in both comparisons, or it is given up for a smaller step', () => {
    const taken = after(0.11, 3);
    expect([shortOf(taken), taken.search.base, taken.search.because]).toEqual([
      ['trial 6', 'trial-again 6', 'base-again 4'],
      6,
      'growing',
    ]);
    const refused = windows(after(0.09, 1), 2, power(0.09));
    expect([shortOf(refused), refused.search.base]).toEqual([['base 4', 'trial 5'], 4]);
  });

  test('one that costs more than it adds ends after one answer for each, eight at least, and is not tried for five minutes', () => {
    const harmed = after(-1.01, 1);
    expect(harmed.seen).toEqual([{ limit: 6, phase: 'trial', answers: 8 }]);
    expect(harmed.search.ceiling).toEqual({ limit: 6, untilMs: harmed.nowMs + 300_000 });
    expect(harmed.search.lastTrial).toMatchObject({ from: 4, to: 6 });
    const large = windows({ search: startSearch(12), nowMs: 0 }, 2, power(-1.01));
    expect(large.seen[1]).toEqual({ limit: 18, phase: 'trial', answers: 18 });
    expect(after(-0.99, 1).seen).toEqual([{ limit: 6, phase: 'trial', answers: 72 }]);
    expect(after(-0.99, 1).search.ceiling).toBeNull();
  });

  test('none is above 32', () => {
    const { search } = windows({ search: startSearch(30), nowMs: 0 }, 2, power(1));
    expect([search.base, windows({ search, nowMs: 1e6 }, 3, power(1)).seen.map(({ limit }) => limit)]).toEqual([
      32,
      [32, 24, 32],
    ]);
  });
});

describe('of a lower limit', () => {
  /** Until the trial of three begins, after both higher ones were given up: above four nothing becomes throughput. */
  const down = (gain: number) =>
    windows(started, 5, (limit) => power(gain)(Math.min(limit, 4)) * Math.max(1, limit / 4));

  test('less than a twentieth of what it takes away may have been throughput, in both comparisons', () => {
    const lowered = windows(down(0.04), 3, power(0.04));
    expect([shortOf(lowered), lowered.search.base, lowered.search.because]).toEqual([
      ['trial 3', 'trial-again 3', 'base-again 4'],
      3,
      'queueing',
    ]);
    const kept = windows(down(0.06), 1, power(0.06));
    expect([shortOf(kept), kept.search.base, kept.search.because]).toEqual([['trial 3'], 4, 'steady']);
  });

  test('one that takes away most of the throughput ends after eight answers, and sets no ceiling', () => {
    const harmed = windows(down(0.71), 1, power(0.71));
    expect([harmed.seen, harmed.search.ceiling, harmed.search.base]).toEqual([
      [{ limit: 3, phase: 'trial', answers: 8 }],
      null,
      4,
    ]);
    expect(windows(down(0.69), 1, power(0.69)).seen).toEqual([{ limit: 3, phase: 'trial', answers: 48 }]);
  });

  test('two is followed by one, though that is more than a small step', () => {
    const { seen } = windows({ search: startSearch(2), nowMs: 0 }, 6, workers(1));
    expect(shortOf({ seen })).toEqual(['base 2', 'trial 3', 'base 2', 'trial 3', 'base 2', 'trial 1']);
  });

  test('none is below one: there is nothing to try, so it rests', () => {
    const { seen, search } = windows({ search: startSearch(1), nowMs: 0 }, 5, power(0));
    expect(shortOf({ seen })).toEqual(['base 1', 'trial 2', 'base 1', 'trial 2', 'base 1']);
    expect([limitOf(search), search.because]).toEqual([1, 'steady']);
  });
});

describe('a rest', () => {
  /** How long each rest was, where nothing ever changes. */
  function restsMs(count: number): number[] {
    const rests: number[] = [];
    let before = started;
    const isEnough = (told: EhrSelfDescription): boolean => {
      const { notBeforeMs } = told.search;
      if (notBeforeMs > before.search.notBeforeMs) rests.push(Math.round(notBeforeMs - told.nowMs));
      before = told;
      return rests.length === count;
    };
    until(started, isEnough, workers(4));
    return rests;
  }

  test('is ten seconds, and twice as long after each round that changes nothing, up to two minutes', () => {
    expect(restsMs(6)).toEqual([10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
  });

  test('is half as long again after a change, and ten seconds at least', () => {
    const rested: LimitSearch = { ...startSearch(4), rest: { ms: 80_000, sinceMs: 0, first: null } };
    const grown = (search: LimitSearch) => windows({ search, nowMs: 0 }, 2, power(1)).search.rest.ms;
    expect([grown(rested), grown(startSearch(4))]).toEqual([40_000, 10_000]);
  });

  test('ends, once it has lasted ten seconds, where the EHR became a third faster or slower, and not where it became a fifth so', () => {
    const resting = until(started, ({ search, nowMs }) => search.notBeforeMs >= nowMs + 15_000, workers(4));
    const endsAfterMs = (factor: number): number => {
      const ended = untilChange(
        resting,
        (limit, nowMs) => workers(4)(limit) * (nowMs > resting.nowMs + 4_000 ? factor : 1),
      );
      return ended.nowMs - resting.nowMs;
    };
    for (const factor of [1.25, 0.8]) expect(endsAfterMs(factor)).toBeGreaterThanOrEqual(20_000);
    for (const factor of [1.35, 0.7]) {
      expect(endsAfterMs(factor)).toBeGreaterThanOrEqual(10_000);
      expect(endsAfterMs(factor)).toBeLessThan(13_000);
    }
  });
});

describe('requests of other kinds', () => {
  const kindly = (from: EhrSelfDescription, count: number, kind: string, tookMs: number): EhrSelfDescription => {
    let { search, nowMs } = from;
    for (let i = 0; i < count; i += 1) {
      nowMs += tookMs / limitOf(search);
      search = afterAnswer(search, { kind, tookMs, inFlight: limitOf(search) }, nowMs);
    }
    return { search, nowMs };
  };

  test('say nothing of a limit that was measured by others: it is given up, neither taken nor called harmful', () => {
    const trial = windows(started, 1, power(1));
    const ended = kindly(trial, 100, 'read', 5_000);
    expect([ended.search.base, ended.search.ceiling, ended.search.lastTrial]).toEqual([4, null, null]);
  });

  test('do not end a rest', () => {
    const resting = until(started, ({ search, nowMs }) => search.notBeforeMs >= nowMs + 15_000, workers(4));
    const measured = kindly(resting, 60, 'bundle 14', 100);
    const { notBeforeMs } = measured.search;
    expect(kindly(measured, 120, 'read', 40).search.notBeforeMs).toBe(notBeforeMs);
  });

  test('count for how long an answer takes', () => {
    const first = kindly(started, 24, 'bundle 14', 100);
    expect(kindly(first, 24, 'read', 50).search.latencyMs).toBeCloseTo(75);
  });
});

describe('an overload', () => {
  test('halves the limit at which it happened, also in a trial, to one at least', () => {
    const trial = windows(started, 1, power(1));
    expect([
      afterOverload(trial.search, 0).base,
      afterOverload(startSearch(5), 0).base,
      afterOverload(startSearch(1), 0).base,
    ]).toEqual([3, 2, 1]);
  });

  test('is followed by ten seconds without a trial, and then by a small one', () => {
    const search = afterOverload(startSearch(12), 0);
    const { nowMs, seen } = windows({ search, nowMs: 0 }, 20, power(1));
    const tried = seen.findIndex(({ phase }) => phase === 'trial');
    expect([tried > 0, nowMs > 10_000, seen[tried]]).toEqual([true, true, { limit: 8, phase: 'trial', answers: 96 }]);
    expect(untilChange({ search, nowMs: 0 }, power(1)).nowMs).toBeGreaterThanOrEqual(10_000);
    expect(untilChange({ search, nowMs: 0 }, power(1)).nowMs).toBeLessThan(12_000);
  });
});
