import { makeChance, type Chance } from './chance.ts';
import type { BodyReadings, Person, PhysicalReadings, SleepReadings } from './readings.ts';
import type { SourceTraits } from './source-traits.ts';
import { leanOf, type Truth } from './truth.ts';
import type { DayBounds } from './zones.ts';

const TENS = [1, 10, 100, 1_000] as const;
export const rounded = (value: number, digits: 0 | 1 | 2 | 3 = 0): number =>
  Math.round(value * TENS[digits]) / TENS[digits];

/** Of what one source measures on one day: everything that its kind can. */
export interface Measured {
  readonly body: BodyReadings | null;
  readonly physical: PhysicalReadings | null;
  readonly sleep: SleepReadings | null;
}

interface View {
  readonly truth: Truth;
  readonly chance: Chance;
  readonly lean: (what: string, most: number) => number;
}

/** Metrics that this source has not are null. */
function only<T extends object>(readings: T, metrics: readonly (keyof T)[]): T {
  const kept: Partial<Record<keyof T, unknown>> = {};
  for (const name in readings) kept[name] = metrics.includes(name) ? readings[name] : null;
  return kept as T;
}

function bodyOf({ truth, chance, lean }: View): BodyReadings {
  const weightKg = rounded(truth.weightKg * lean('weight', 0.006) + chance.normal() * 0.15, 1);
  const heightCm = rounded(truth.heightCm, 1);
  const systolic = rounded(truth.systolic * lean('pressure', 0.03) + chance.normal() * 3);
  return {
    weightKg,
    heightCm,
    bmi: rounded(weightKg / (heightCm / 100) ** 2, 1),
    systolic,
    diastolic: Math.min(systolic - 15, rounded(truth.diastolic * lean('pressure', 0.03) + chance.normal() * 2)),
    restingHeartRate: rounded(truth.restingHeartRate * lean('heart', 0.03) + chance.normal() * 0.8),
    hrvMs: rounded(Math.max(7, truth.hrvMs * lean('hrv', 0.12) + chance.normal() * 2), 1),
    spo2: rounded(Math.min(100, truth.spo2 * lean('oxygen', 0.006) + chance.normal() * 0.2), 1),
    caloricIntakeKcal: rounded(truth.caloricIntakeKcal * lean('intake', 0.08)),
  };
}

function physicalOf({ truth, chance, lean }: View): PhysicalReadings {
  const steps = rounded(truth.steps * lean('steps', 0.07) * (1 + chance.normal() * 0.015));
  const restingHeartRate = truth.restingHeartRate * lean('heart', 0.03);
  const maxHeartRate = rounded(truth.maxHeartRate + chance.normal() * 2);
  return {
    steps,
    distanceM: rounded(steps * truth.strideM * lean('distance', 0.05)),
    averageHeartRate: rounded(restingHeartRate + 13 + Math.min(16, steps / 1_500) + chance.normal()),
    maxHeartRate,
    minHeartRate: rounded(Math.max(36, restingHeartRate - chance.between(1, 6))),
    vo2max: rounded(truth.vo2max * lean('vo2max', 0.06), 1),
    spo2: rounded(Math.min(100, truth.spo2 * lean('oxygen', 0.006) + chance.normal() * 0.3), 1),
    activeSeconds: rounded((steps / 105) * 60 * lean('active', 0.1)),
    activeKcal: rounded(steps * 0.00055 * truth.weightKg * lean('energy', 0.12)),
  };
}

/** The stages of a night, which add up to its sleep. */
export function stagesOf(durationS: number, remShare: number, deepShare: number) {
  const remS = rounded(durationS * remShare);
  const deepS = rounded(durationS * deepShare);
  return { durationS, remS, deepS, lightS: durationS - remS - deepS };
}

function sleepOf({ truth, chance, lean }: View, { startsAt }: DayBounds): SleepReadings {
  const durationS = rounded((truth.sleepS * lean('sleep', 0.04)) / 30) * 30;
  const awakeS = rounded((truth.awakeS * lean('awake', 0.2)) / 30) * 30;
  const latencyS = rounded((truth.latencyS * lean('latency', 0.2)) / 30) * 30;
  const inBedS = durationS + awakeS + latencyS;
  const startedAt = startsAt + Math.round((truth.toBedMs + chance.normal() * 120_000) / 60_000) * 60_000;
  return {
    startedAt,
    endedAt: startedAt + inBedS * 1_000,
    ...stagesOf(durationS, truth.remShare * lean('rem', 0.15), truth.deepShare * lean('deep', 0.2)),
    inBedS,
    awakeS,
    breathingRate: rounded(truth.breathingRate * lean('breath', 0.02) + chance.normal() * 0.15, 1),
    spo2: rounded(Math.min(100, truth.spo2 * lean('oxygen', 0.006) - 0.4 + chance.normal() * 0.2), 1),
    latencyS,
    isComplete: true,
  };
}

export function measure(
  question: {
    readonly seed: number;
    readonly person: Person;
    readonly dataSource: string;
    readonly traits: SourceTraits;
    readonly day: number;
    readonly bounds: DayBounds;
  },
  truth: Truth,
): Measured {
  const { seed, person, dataSource, traits, day, bounds } = question;
  const viewOf = (group: string): View => ({
    truth,
    chance: makeChance(seed, 'measure', group, person.n, dataSource, day),
    lean: (what, most) => leanOf(seed, person.n, dataSource, what, most),
  });
  const sleep = traits.sleep === null ? null : sleepOf(viewOf('sleep'), bounds);
  const has = (metric: 'breathingRate' | 'spo2' | 'latencyS'): boolean => traits.sleep?.includes(metric) === true;
  return {
    body: traits.body.length === 0 ? null : only(bodyOf(viewOf('body')), traits.body),
    physical: traits.physical.length === 0 ? null : only(physicalOf(viewOf('physical')), traits.physical),
    sleep:
      sleep === null
        ? null
        : {
            ...sleep,
            breathingRate: has('breathingRate') ? sleep.breathingRate : null,
            spo2: has('spo2') ? sleep.spo2 : null,
            latencyS: has('latencyS') ? sleep.latencyS : null,
          },
  };
}
