import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { collectFigures, figureSet, readRefusals, readSeries, type Span } from '../../src/figures/index.ts';
import { fail, fault, silentLog, type Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { testClock } from '../support/clock.ts';
import { PLACES, type Place } from '../support/new-store.ts';

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
const tenant = 'default';
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = new Date('2026-03-01T12:00:30Z');

describe.each(PLACES)('figures on %s', (_, newPlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await newPlace();
    store = await place.open({ sets: [figureSet] });
  });
  afterEach(() => place.remove());

  const figures = () => store.use(figureSet);
  const add = async (at: Date, count = 1) =>
    must(await figures().write('figures.add', { tenant, at, additions: [{ series: 'received', bucket: 0, count }] }));
  const received = async (span: Span, now: Date) =>
    must(await readSeries(figures(), { tenant, span, now })).counts.received;
  const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

  test('what several processes add in one minute adds up, by the minute and by the hour', async () => {
    await Promise.all(Array.from({ length: 20 }, () => add(NOON, 5)));
    const hour = await received('hour', NOON);
    expect([hour.length, hour.at(-1), sum(hour)]).toEqual([60, 100, 100]);
    expect((await received('month', NOON)).at(-1)).toBe(100);
  });

  test('refusals are told by reason, over the same spans', async () => {
    const additions = [
      { series: 'refused-secret', bucket: 0, count: 3 },
      { series: 'refused-too-large', bucket: 0, count: 1 },
      { series: 'refused', bucket: 0, count: 4 },
    ] as const;
    must(await figures().write('figures.add', { tenant, at: NOON, additions }));
    for (const span of ['hour', 'day', 'month'] as const) {
      const { counts } = must(await readRefusals(figures(), { tenant, span, now: NOON }));
      expect(Object.entries(counts).flatMap(([why, row]) => (sum(row) === 0 ? [] : [[why, row.at(-1)]]))).toEqual([
        ['secret', 3],
        ['too-large', 1],
      ]);
    }
  });

  test('minutes are kept for a day and hours for 90 days', async () => {
    const minutesOf = async () =>
      must(
        await figures().read('figures.points', { tenant, series: ['received'], width: MINUTE, from: 0, to: 2 ** 45 }),
      ).length;
    await add(new Date(NOON.getTime() - 91 * DAY));
    await add(new Date(NOON.getTime() - 2 * DAY));
    await add(NOON);
    expect(await minutesOf()).toBe(1);
    expect(sum(await received('month', NOON))).toBe(2);
    const hours = must(
      await figures().read('figures.points', { tenant, series: ['received'], width: HOUR, from: 0, to: 2 ** 45 }),
    );
    expect(hours).toHaveLength(2);
  });

  test('what a clock that was ahead counted does not stay', async () => {
    await add(new Date(NOON.getTime() + 3 * DAY), 7);
    await add(NOON);
    expect(sum(await received('month', new Date(NOON.getTime() + 4 * DAY)))).toBe(1);
  });

  test('a collector stores what it counted, also when it stops, and once', async () => {
    const clock = testClock(NOON.toISOString());
    const collector = collectFigures({ tenant, figures: figures(), clock, log: silentLog });
    collector.start();
    collector.count('received');
    collector.count('received', 2);
    collector.time('lag', 100);
    await collector.stop();
    await collector.stop();
    const { counts, times } = must(await readSeries(figures(), { tenant, span: 'hour', now: NOON }));
    expect([sum(counts.received), times.lag.p50.at(-1)]).toEqual([3, 128]);
  });

  test('what could not be stored is added up and stored later', async () => {
    const clock = testClock(NOON.toISOString());
    const log: string[] = [];
    let isBroken = true;
    const sound = figures();
    const write: typeof sound.write = (name, args) =>
      isBroken ? Promise.resolve(fail(fault('store.full'))) : sound.write(name, args);
    const collector = collectFigures({
      tenant,
      figures: { ...sound, write },
      clock,
      log: { ...silentLog, warn: (event: string) => void log.push(event) },
    });
    collector.count('parked');
    await collector.stop();
    collector.count('parked');
    await collector.stop();
    isBroken = false;
    await collector.stop();
    expect(log).toEqual(['figures.not-stored']);
    expect(sum(must(await readSeries(figures(), { tenant, span: 'hour', now: NOON })).counts.parked)).toBe(2);
  });
});
