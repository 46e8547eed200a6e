import { makeChance, type Chance } from './chance.ts';
import { rounded } from './measure.ts';
import type { Sample } from './readings.ts';
import type { Truth } from './truth.ts';
import type { DayBounds } from './zones.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Hours after midnight at which a kind of reading is taken; continuous ones in steps. */
const TIMES: Readonly<Record<Sample['kind'], readonly number[]>> = {
  spo2: [1, 3, 5, 14],
  heart_rate: Array.from({ length: 22 }, (_, hour) => hour + 0.5),
  hrv: [1.5, 3.5, 5.5],
  blood_pressure: [7.25, 19.5],
  blood_glucose: [7, 12.5, 18.5],
  temperature: [7.5],
  ecg: [9],
};
/** A sensor under the skin is read every quarter of an hour. */
const CONTINUOUS = Array.from({ length: 88 }, (_, quarter) => quarter / 4);
const MEALS = [8, 13, 19.25] as const;
const ECG_EVERY_DAYS = 7;

/** Sugar rises after a meal and is back after about three hours. */
const afterMeals = (hour: number): number =>
  MEALS.reduce((sum, meal) => {
    const since = hour - meal;
    return since <= 0 || since > 4 ? sum : sum + 42 * since * Math.exp(1 - since * 1.25);
  }, 0);

/** One dip of a night that means nothing: a cold finger, a loose ring. */
const DIP_SHARE = 0.004;

function valuesOf(kind: Sample['kind'], truth: Truth, hour: number, chance: Chance): readonly number[] {
  const noise = chance.normal();
  switch (kind) {
    case 'spo2': {
      const dip = chance.happens(DIP_SHARE) ? 7 : 0;
      return [rounded(Math.max(85, Math.min(100, truth.spo2 + noise * 0.6 - dip)))];
    }
    case 'heart_rate':
      return [rounded(truth.restingHeartRate + (hour > 6.5 ? 12 + Math.abs(noise) * 14 : Math.abs(noise) * 4))];
    case 'hrv':
      return [rounded(Math.max(6, truth.hrvMs * (1 + noise * 0.1)), 1)];
    case 'blood_pressure': {
      const systolic = rounded(truth.systolic + noise * 4);
      return [systolic, Math.min(systolic - 15, rounded(truth.diastolic + noise * 3))];
    }
    case 'blood_glucose':
      return [rounded(Math.max(58, truth.glucoseMgDl - 8 + afterMeals(hour) + noise * 4))];
    case 'temperature':
      return [rounded(truth.temperatureC + noise * 0.1, 1)];
    case 'ecg':
      return [rounded(truth.restingHeartRate + 6 + noise * 2)];
  }
}

/** The blood pressure of a day: the mean of its readings, each side by itself; null where there was none. */
export function meanPressure(
  samples: readonly Sample[],
): { readonly systolic: number; readonly diastolic: number } | null {
  const readings = samples.filter(({ kind }) => kind === 'blood_pressure').map(({ values }) => values);
  if (readings.length === 0) return null;
  const meanOf = (side: 0 | 1): number =>
    rounded(readings.reduce((sum, values) => sum + (values[side] ?? 0), 0) / readings.length);
  return { systolic: meanOf(0), diastolic: meanOf(1) };
}

/** The single readings of a day, in the order of their times. */
export function takeSamples(
  { startsAt, endsAt }: DayBounds,
  truth: Truth,
  kinds: readonly Sample['kind'][],
  source: { readonly seed: number; readonly n: number; readonly dataSource: string; readonly day: number },
): Sample[] {
  const { seed, n, dataSource, day } = source;
  const samples: Sample[] = [];
  for (const kind of kinds) {
    const chance = makeChance(seed, 'samples', kind, n, dataSource, day);
    const isSkipped = kind === 'ecg' ? (day + n) % ECG_EVERY_DAYS !== 0 : chance.happens(0.05);
    if (isSkipped) continue;
    const isContinuous = kind === 'blood_glucose' && dataSource === 'GlucoseMonitor';
    for (const hour of isContinuous ? CONTINUOUS : TIMES[kind]) {
      const jitter = isContinuous ? 0 : Math.floor(chance.between(0, 25)) * MINUTE_MS;
      const at = startsAt + hour * HOUR_MS + jitter;
      if (at < endsAt) samples.push({ kind, at, values: valuesOf(kind, truth, hour, chance) });
    }
  }
  return samples.sort((a, b) => a.at - b.at);
}
