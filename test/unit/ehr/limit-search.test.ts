import { expect, test } from '@jest/globals';
import {
  afterAnswer,
  afterOverload,
  LIMIT_SEARCH,
  limitOf,
  startSearch,
  type LimitSearch,
} from '../../../src/ehr/limit-search.ts';

interface Told {
  readonly search: LimitSearch;
  readonly nowMs: number;
}

/** Answers one after the other, as many under way as the limit allows; how long each takes is for `tookMs` to say. */
function answers(from: Told, count: number, tookMs: (limit: number, nowMs: number) => number): Told {
  let { search, nowMs } = from;
  for (let i = 0; i < count; i += 1) {
    const limit = limitOf(search);
    const took = tookMs(limit, nowMs);
    nowMs += took / limit;
    search = afterAnswer(search, { kind: 'bundle 14', tookMs: took, inFlight: limit }, nowMs);
  }
  return { search, nowMs };
}

/** Until the limit in force changes. */
function untilChange(from: Told, tookMs: (limit: number, nowMs: number) => number): Told {
  let told = from;
  const before = limitOf(from.search);
  for (let i = 0; i < 5_000 && limitOf(told.search) === before; i += 1) told = answers(told, 1, tookMs);
  return told;
}

const started: Told = { search: startSearch(4), nowMs: 0 };
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
  expect(told.search).toMatchObject({ base: 4, next: 'up', because: 'steady', notBeforeMs: told.nowMs + LIMIT_SEARCH.restMsMin });
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
  let told: Told = tired;
  let highest = 0;
  while (told.nowMs < LIMIT_SEARCH.ceilingMs) {
    told = answers(told, 1, workers(100));
    if (told.nowMs < LIMIT_SEARCH.ceilingMs) highest = Math.max(highest, limitOf(told.search));
  }
  expect(highest).toBe(11);
  expect(limitOf(answers(told, 40_000, workers(100)).search)).toBe(LIMIT_SEARCH.max);
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
  while (!(told.search.phase.at === 'base' && told.search.notBeforeMs > told.nowMs)) told = answers(told, 1, workers(4));
  const restedMs = told.nowMs;
  const quiet = untilChange(told, workers(4));
  const changed = untilChange(told, (limit, nowMs) => workers(4)(limit) * (nowMs > restedMs + 6_000 ? 2 : 1));
  expect(quiet.nowMs - restedMs).toBeGreaterThan(2 * LIMIT_SEARCH.restMsMin - 1);
  expect(changed.nowMs - restedMs).toBeLessThan(2 * LIMIT_SEARCH.restMsMin - 1_000);
});
