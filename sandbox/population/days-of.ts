import { makeChance, type Chance } from './chance.ts';
import { askedAtMs, countSteps } from './count-steps.ts';
import { goWrong, spoilOne } from './go-wrong.ts';
import { clockAheadDays, dip, isFaulty, misread, repeatedSince } from './hazards.ts';
import { measure, type Measured } from './measure.ts';
import type { Person, Sample, SourceDay } from './readings.ts';
import { traitsOfSource, type SourceTraits } from './source-traits.ts';
import { meanPressure, takeSamples } from './take-samples.ts';
import { truthOf, type Truth } from './truth.ts';
import { zoneOn } from './where-about.ts';
import { addDays, dateOfNumber, dayBounds, dayNumber, type DayBounds } from './zones.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Left at home, empty, broken: a few days in a row, at most once in so many. */
const PAUSE_BLOCK_DAYS = 30;

function isIdle(seed: number, n: number, dataSource: string, day: number, { idlePercent }: SourceTraits): boolean {
  const block = Math.floor(day / PAUSE_BLOCK_DAYS);
  const pause = makeChance(seed, 'pause', n, dataSource, block);
  if (pause.happens(0.3)) {
    const days = Math.floor(pause.between(2, 5));
    const from = block * PAUSE_BLOCK_DAYS + Math.floor(pause.between(0, PAUSE_BLOCK_DAYS - days));
    if (day >= from && day < from + days) return true;
  }
  return makeChance(seed, 'idle', n, dataSource, day).happens(idlePercent / 100);
}

/** From the end of the day until the source has it: mostly minutes to hours, sometimes days. */
function lateByMs(chance: Chance): number {
  const luck = chance.unit();
  if (luck < 0.82) return chance.between(4, 170) * MINUTE_MS;
  return luck < 0.95 ? chance.between(3, 22) * HOUR_MS : chance.between(22, 110) * HOUR_MS;
}

interface Question {
  readonly seed: number;
  readonly person: Person;
  readonly dataSource: string;
  readonly traits: SourceTraits;
  readonly day: number;
  readonly bounds: DayBounds;
}

/** The pressure of a day lies between its readings. */
function measureDay(question: Question, truth: Truth, samples: readonly Sample[]): Measured {
  const measured = measure(question, truth);
  const { body } = measured;
  return body === null || body.systolic === null
    ? measured
    : { ...measured, body: { ...body, ...meanPressure(samples) } };
}

/** What a device makes of it with which something is wrong. */
function mismeasure(question: Question, measured: Measured): Measured {
  const { seed, person, day } = question;
  const since = repeatedSince(person.hazard, day);
  if (since === null || measured.body === null) return misread(person.hazard, measured);
  const first = measure({ ...question, day: since }, truthOf(seed, person, dateOfNumber(since))).body;
  return { ...measured, body: { ...measured.body, weightKg: first?.weightKg ?? null, bmi: first?.bmi ?? null } };
}

/**
 * What one data source says of one local day of one person: its revisions in order, each later and each a whole
 * replacement; none where nothing was measured. Samples and hourly steps are the same in all of them, and known at
 * their own times.
 */
export function daysOf(seed: number, person: Person, dataSource: string, date: string): readonly SourceDay[] {
  const traits = traitsOfSource(dataSource);
  const day = dayNumber(date);
  const isBroken = isFaulty(person.hazard, dataSource);
  if (traits === null || (!isBroken && isIdle(seed, person.n, dataSource, day, traits))) return [];
  const zone = zoneOn(seed, person, date);
  const bounds = dayBounds(zone, date);
  const chance = makeChance(seed, 'revisions', person.n, dataSource, day);
  const truth = truthOf(seed, person, date);
  const taken = takeSamples(bounds, truth, traits.samples, { seed, n: person.n, dataSource, day });
  const samples = dip(person.hazard, taken, bounds.startsAt, day);
  const question: Question = { seed, person, dataSource, traits, day, bounds };
  const sound = measureDay(question, truth, samples);
  const whole = isBroken ? mismeasure(question, sound) : sound;
  const { measured, isSpoilt } = spoilOne(whole, chance);
  const { after, mishaps } = goWrong(measured, isSpoilt, chance);

  const contents: Measured[] = [after];
  for (const mishap of [...mishaps].reverse()) contents.unshift(mishap.before(contents[0] ?? after));
  const steps = traits.isPolledForSteps ? (whole.physical?.steps ?? null) : null;
  const hourlySteps =
    steps === null ? [] : countSteps(bounds, steps, askedAtMs(person.n), seed, person.n, dataSource, day);
  const aheadDays = isBroken ? clockAheadDays(person.hazard) : 0;
  const endsAt = aheadDays === 0 ? bounds.endsAt : dayBounds(zone, addDays(date, -aheadDays)).endsAt;
  let syncedAt = endsAt + Math.round(lateByMs(chance));
  return contents.map((content, i): SourceDay => {
    if (i > 0) syncedAt += Math.round(mishaps[i - 1]?.lastsMs ?? HOUR_MS);
    return { dataSource, date, zone, ...bounds, revision: i + 1, syncedAt, ...content, samples, hourlySteps };
  });
}
