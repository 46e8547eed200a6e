import type { Chance } from './chance.ts';
import { rounded, stagesOf, type Measured } from './measure.ts';
import type { BodyReadings, PhysicalReadings, SleepReadings } from './readings.ts';

/*
 * What goes wrong with the readings of a day. A day is made as it ends up; going back in time, each mishap says how the
 * day looked before it was put right.
 */

export interface Mishap {
  readonly kind: 'sleep-in-parts' | 'late-group' | 'correction' | 'retraction';
  /** How the day looked before. */
  before(after: Measured): Measured;
  /** How long until it was put right. */
  readonly lastsMs: number;
}

const HOUR_MS = 3_600_000;
const PART_MIN_S = 8_400;

type Group = keyof Measured;
type Place =
  | { readonly group: 'body'; readonly metric: keyof BodyReadings }
  | { readonly group: 'physical'; readonly metric: keyof PhysicalReadings }
  | { readonly group: 'sleep'; readonly metric: 'breathingRate' | 'spo2' | 'latencyS' };

/** Metrics that may be missing or be taken back alone, without leaving half of something behind. */
const LOOSE: readonly Place[] = [
  { group: 'body', metric: 'restingHeartRate' },
  { group: 'body', metric: 'spo2' },
  { group: 'body', metric: 'caloricIntakeKcal' },
  { group: 'body', metric: 'hrvMs' },
  { group: 'physical', metric: 'distanceM' },
  { group: 'physical', metric: 'averageHeartRate' },
  { group: 'physical', metric: 'vo2max' },
  { group: 'physical', metric: 'spo2' },
  { group: 'sleep', metric: 'breathingRate' },
  { group: 'sleep', metric: 'spo2' },
  { group: 'sleep', metric: 'latencyS' },
];

/** Of each group, what becomes part of a clinical document on its own. The two pressures are one thing. */
const COUNTED: Readonly<Record<Group, readonly string[]>> = {
  body: ['weightKg', 'heightCm', 'bmi', 'systolic', 'restingHeartRate', 'spo2', 'caloricIntakeKcal'],
  physical: ['steps', 'distanceM', 'averageHeartRate', 'vo2max', 'spo2'],
  sleep: ['durationS', 'remS', 'deepS', 'lightS', 'awakeS', 'breathingRate', 'spo2', 'latencyS'],
};

const valueAt = (measured: Measured, group: Group, metric: string): unknown =>
  (measured[group] as Readonly<Record<string, unknown>> | null)?.[metric] ?? null;

const put = (
  measured: Measured,
  { group, metric }: { readonly group: Group; readonly metric: string },
  value: number | null,
): Measured => ({
  ...measured,
  [group]: { ...measured[group], [metric]: value },
});

const countOf = (measured: Measured, group: Group): number =>
  COUNTED[group].filter((metric) => valueAt(measured, group, metric) !== null).length;

/** A document loses at most a third of what it says. */
const RETRACTABLE_MIN = 3;

function looseIn(measured: Measured, countMin: number): readonly Place[] {
  return LOOSE.filter(
    ({ group, metric }) => valueAt(measured, group, metric) !== null && countOf(measured, group) >= countMin,
  );
}

const pickFrom = <T>(chance: Chance, list: readonly T[]): T | undefined =>
  list[Math.floor(chance.unit() * list.length)];

/** Readings that no body gives: the sensor, not the person. */
const NONSENSE: readonly (readonly [Place, number])[] = [
  [{ group: 'body', metric: 'restingHeartRate' }, 231],
  [{ group: 'body', metric: 'spo2' }, 48],
  [{ group: 'physical', metric: 'averageHeartRate' }, 254],
  [{ group: 'physical', metric: 'distanceM' }, 240_000],
  [{ group: 'sleep', metric: 'breathingRate' }, 62],
];

/** One metric of the day is missing, or is nonsense; at most one, and most days none. */
export function spoilOne(
  measured: Measured,
  chance: Chance,
): { readonly measured: Measured; readonly isSpoilt: boolean } {
  const luck = chance.unit();
  if (luck < 0.07) {
    const place = pickFrom(chance, looseIn(measured, 2));
    if (place !== undefined) return { measured: put(measured, place, null), isSpoilt: true };
  } else if (luck < 0.085) {
    const nonsense = pickFrom(
      chance,
      NONSENSE.filter(([{ group, metric }]) => valueAt(measured, group, metric) !== null),
    );
    if (nonsense !== undefined) return { measured: put(measured, ...nonsense), isSpoilt: true };
  }
  return { measured, isSpoilt: false };
}

/** Only the first part of the night has come. */
function partOf(sleep: SleepReadings, share: number): SleepReadings {
  const whole = sleep.durationS ?? 0;
  const durationS = Math.min(whole - 60, Math.max(PART_MIN_S, rounded((whole * share) / 30) * 30));
  const awakeS = rounded((sleep.awakeS ?? 0) * share);
  const inBedS = durationS + awakeS + (sleep.latencyS ?? 0);
  return {
    ...sleep,
    ...stagesOf(durationS, ((sleep.remS ?? 0) / whole) * 0.9, ((sleep.deepS ?? 0) / whole) * 1.05),
    awakeS,
    inBedS,
    endedAt: sleep.startedAt + inBedS * 1_000,
    isComplete: false,
  };
}

function correctionOf(measured: Measured, chance: Chance): Mishap | null {
  const lastsMs = chance.between(2, 96) * HOUR_MS;
  const { body, physical } = measured;
  const kinds: ((after: Measured) => Measured)[] = [];
  if (body !== null && body.weightKg !== null) {
    // Somebody else stood on the scale.
    const wrong = rounded(Math.max(45, body.weightKg + (chance.happens(0.5) ? 1 : -1) * chance.between(12, 24)), 1);
    const { weightKg, bmi } = body;
    kinds.push((after) => ({
      ...after,
      body: after.body && {
        ...after.body,
        weightKg: wrong,
        bmi: bmi === null ? null : rounded((bmi * wrong) / weightKg, 1),
      },
    }));
  }
  if (physical !== null && physical.steps !== null) {
    // Two devices were added up.
    const { steps, distanceM } = physical;
    kinds.push((after) => ({
      ...after,
      physical: after.physical && {
        ...after.physical,
        steps: rounded(steps * 1.45),
        distanceM: distanceM === null ? null : rounded(distanceM * 1.45),
      },
    }));
  }
  if (body !== null && body.restingHeartRate !== null && body.restingHeartRate < 110) {
    const rate = body.restingHeartRate;
    kinds.push((after) => ({ ...after, body: after.body && { ...after.body, restingHeartRate: rate + 6 } }));
  }
  const before = pickFrom(chance, kinds);
  return before === undefined ? null : { kind: 'correction', before, lastsMs };
}

/** A reading is taken back: the day ends up without it. */
function retractionOf(
  measured: Measured,
  chance: Chance,
): { readonly after: Measured; readonly mishap: Mishap } | null {
  const place = pickFrom(chance, looseIn(measured, RETRACTABLE_MIN));
  if (place === undefined) return null;
  const value = valueAt(measured, place.group, place.metric) as number;
  return {
    after: put(measured, place, null),
    mishap: {
      kind: 'retraction',
      lastsMs: chance.between(2, 72) * HOUR_MS,
      before: (after) => put(after, place, value),
    },
  };
}

const SLEEP_IN_PARTS_SHARE = 0.08;
const LATE_GROUP_SHARE = 0.05;
const CORRECTION_SHARE = 0.06;
const RETRACTION_SHARE = 0.06;

/** How the day ends up, and what was put right on the way, in the order in which it was. */
export function goWrong(
  measured: Measured,
  isSpoilt: boolean,
  chance: Chance,
): { readonly after: Measured; readonly mishaps: readonly Mishap[] } {
  const mishaps: Mishap[] = [];
  if (
    measured.sleep !== null &&
    (measured.sleep.durationS ?? 0) > PART_MIN_S + 1_800 &&
    chance.happens(SLEEP_IN_PARTS_SHARE)
  ) {
    const share = chance.between(0.5, 0.85);
    mishaps.push({
      kind: 'sleep-in-parts',
      lastsMs: chance.between(1, 9) * HOUR_MS,
      before: (after) => ({ ...after, sleep: after.sleep && partOf(after.sleep, share) }),
    });
  }
  if (measured.physical !== null && measured.body !== null && chance.happens(LATE_GROUP_SHARE)) {
    const late = chance.pick(['body', 'physical']);
    mishaps.push({
      kind: 'late-group',
      lastsMs: chance.between(1, 30) * HOUR_MS,
      before: (after) => ({ ...after, [late]: null }),
    });
  }
  const luck = chance.unit();
  if (luck < CORRECTION_SHARE) {
    const correction = correctionOf(measured, chance);
    if (correction !== null) mishaps.push(correction);
  } else if (luck < CORRECTION_SHARE + RETRACTION_SHARE && !isSpoilt) {
    const retraction = retractionOf(measured, chance);
    if (retraction !== null) return { after: retraction.after, mishaps: [...mishaps, retraction.mishap] };
  }
  return { after: measured, mishaps };
}
