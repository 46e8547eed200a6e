import { hashOf, makeChance, sway, unitAt, unitOf, within } from './chance.ts';
import type { Person } from './readings.ts';
import { dayNumber } from './zones.ts';

/** What is so, on one day of one person, before any device has looked. */
export interface Truth {
  /** 0 is well, 1 as ill as it gets here. */
  readonly illness: number;
  readonly weightKg: number;
  readonly heightCm: number;
  readonly systolic: number;
  readonly diastolic: number;
  readonly restingHeartRate: number;
  readonly hrvMs: number;
  readonly spo2: number;
  readonly caloricIntakeKcal: number;
  readonly steps: number;
  readonly strideM: number;
  readonly vo2max: number;
  readonly maxHeartRate: number;
  /** From local midnight; negative is the evening before. */
  readonly toBedMs: number;
  readonly sleepS: number;
  readonly awakeS: number;
  readonly latencyS: number;
  readonly remShare: number;
  readonly deepShare: number;
  readonly breathingRate: number;
  readonly temperatureC: number;
  readonly glucoseMgDl: number;
}

const ILLNESS_BLOCK_DAYS = 36;
const ILLNESS_SHARE = 0.55;
const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** At most one illness in a block of days, wholly within it: it comes in a day or two and goes slowly. */
export function illnessOn(seed: number, n: number, day: number): number {
  const block = Math.floor(day / ILLNESS_BLOCK_DAYS);
  const chance = makeChance(seed, 'illness', n, block);
  if (!chance.happens(ILLNESS_SHARE)) return 0;
  const days = Math.floor(chance.between(4, 9));
  const from = block * ILLNESS_BLOCK_DAYS + Math.floor(chance.between(0, ILLNESS_BLOCK_DAYS - days));
  const along = (day - from + 0.5) / days;
  const severity = chance.between(0.45, 1);
  if (along <= 0 || along >= 1) return 0;
  return severity * (along < 0.3 ? along / 0.3 : (1 - along) / 0.7);
}

/** What does not change from day to day. */
function middleOf(seed: number, person: Person) {
  const { n, sex, birthYear } = person;
  const chance = makeChance(seed, 'middle', n);
  const age = 2026 - birthYear;
  const heightCm = (sex === 'female' ? 165 : 178) + chance.normal() * 6;
  const bmi = clamp(25.5 + chance.normal() * 4, 18.5, 39);
  const fitness = chance.normal();
  return {
    age,
    heightCm,
    weightKg: bmi * (heightCm / 100) ** 2,
    fitness,
    restingHeartRate: clamp(63 - fitness * 5 + chance.normal() * 3, 44, 80),
    hrvMs: clamp(68 - age * 0.6 + fitness * 9 + chance.normal() * 6, 18, 110),
    spo2: clamp(97.2 + chance.normal() * 0.5, 96, 98.5),
    systolic: clamp(108 + age * 0.25 + (bmi - 25) * 0.7 + chance.normal() * 6, 98, 150),
    breathingRate: clamp(14.8 + chance.normal() * 1.2, 12, 18),
    steps: clamp(7_600 + fitness * 2_200 + chance.normal() * 1_200, 2_500, 15_000),
    sleepS: clamp(7.2 + chance.normal() * 0.5, 6.2, 8.4) * 3_600,
    toBedH: clamp(-0.9 + chance.normal() * 0.7, -2.3, 0.8),
    vo2max: clamp((sex === 'female' ? 42 : 47) - age * 0.22 + fitness * 4, 20, 62),
    caloricIntakeKcal: clamp((sex === 'female' ? 1_950 : 2_450) + chance.normal() * 220, 1_400, 3_400),
    glucoseMgDl: clamp(102 + chance.normal() * 11, 84, 150),
    /** Some walk at weekends, some rest. */
    weekend: chance.between(0.7, 1.35),
    /** Runs on these two days of the week. */
    runsOn: [Math.floor(chance.between(0, 7)), Math.floor(chance.between(0, 7))],
  };
}

/** Monday is 0: 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

export function truthOf(seed: number, person: Person, date: string): Truth {
  const { n } = person;
  const day = dayNumber(date);
  const middle = middleOf(seed, person);
  const illness = illnessOn(seed, n, day);
  const weekday = weekdayOf(day);
  const isWeekend = weekday >= 5;
  /** Slow change and that of the day, together mostly within 1. */
  const drift = (what: string): number => {
    const key = hashOf([seed, what, n]);
    return sway(day, 9, key) * 0.6 + sway(day, 3, key ^ 0x5bd1) * 0.4 + (unitAt(key ^ 0x3c6e, day) - 0.5) * 0.5;
  };
  const isRun = middle.runsOn.includes(weekday) && middle.fitness > -0.3 && illness < 0.2;
  const effort =
    (isWeekend ? middle.weekend : 1) * (1 + 0.5 * drift('steps')) * (isRun ? 1.4 : 1) * (1 - 0.7 * illness);
  const restingHeartRate = middle.restingHeartRate * (1 + 0.035 * drift('heart') + 0.24 * illness);
  return {
    illness,
    weightKg: middle.weightKg + sway(day, 45, hashOf([seed, 'mass', n])) * 1.8 + 0.35 * drift('weight') - 0.8 * illness,
    heightCm: middle.heightCm,
    systolic: middle.systolic + 6 * drift('pressure'),
    diastolic: 42 + middle.systolic * 0.28 + 4 * drift('pressure'),
    restingHeartRate,
    hrvMs: Math.max(9, middle.hrvMs * (1 + 0.12 * drift('hrv') - 0.5 * illness)),
    spo2: clamp(middle.spo2 + 0.5 * drift('oxygen') - 6.6 * illness, 87.5, 99.4),
    caloricIntakeKcal: clamp(
      middle.caloricIntakeKcal * (1 + 0.13 * drift('intake') + (isWeekend ? 0.08 : 0) - 0.35 * illness),
      700,
      4_500,
    ),
    steps: clamp(middle.steps * effort, 350, 38_000),
    strideM: middle.heightCm * 0.00414,
    vo2max: middle.vo2max + sway(day, 30, hashOf([seed, 'vo2max', n])) * 0.9,
    maxHeartRate: clamp(restingHeartRate + (isRun ? 98 : 58) + 9 * drift('peak'), 95, 208 - 0.7 * middle.age),
    toBedMs: (middle.toBedH + (weekday === 5 || weekday === 6 ? 0.7 : 0) + 0.45 * drift('bed')) * 3_600_000,
    sleepS: clamp(
      middle.sleepS + (isWeekend ? 1_700 : 0) + 4_600 * drift('sleep') + 3_200 * illness,
      3.6 * 3_600,
      10.6 * 3_600,
    ),
    awakeS: clamp(1_900 + 900 * drift('awake') + 1_500 * illness, 420, 5_400),
    latencyS: clamp(840 + 520 * drift('latency'), 120, 3_000),
    remShare: clamp(0.215 + 0.035 * drift('rem'), 0.14, 0.29),
    deepShare: clamp(0.175 + 0.035 * drift('deep') - 0.03 * illness, 0.09, 0.26),
    breathingRate: middle.breathingRate * (1 + 0.03 * drift('breath') + 0.22 * illness),
    temperatureC: 36.6 + 0.2 * drift('temperature') + 2 * illness,
    glucoseMgDl: middle.glucoseMgDl + 6 * drift('glucose') + 14 * illness,
  };
}

/** How a source sees everybody's truth: each leans a little its own way, and the same way always. */
export const leanOf = (seed: number, n: number, dataSource: string, what: string, most: number): number =>
  1 + within(unitOf(seed, 'lean', n, dataSource, what), -most, most);
