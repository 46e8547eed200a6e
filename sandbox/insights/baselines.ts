import { dayNumber, type DaySummary } from '../population/index.ts';
import { BASELINE_SIGNALS, dailyValue, rounded, type BaselineSignal } from './signals.ts';

/** Section 3. Values by date while it is open; what it was closed with is kept for good. */
export type Baseline =
  | { readonly state: 'open'; readonly values: Readonly<Record<string, number>> }
  | { readonly state: 'closed'; readonly value: number; readonly from: string; readonly to: string };

export type Baselines = Readonly<Record<BaselineSignal, Baseline>>;

/** Section 8. */
export const BASELINE_DAYS = 7;
export const BASELINE_WINDOW_DAYS = 30;

const OPEN: Baseline = { state: 'open', values: {} };
export const NO_BASELINES: Baselines = { resting_heart_rate: OPEN, hrv: OPEN, resting_breathing_rate: OPEN };

const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from);

/** Breathing is measured by night, and half a night is no valid day of it. */
function validValue(day: DaySummary, signal: BaselineSignal): number | null {
  if (signal === 'resting_breathing_rate' && day.sleep?.isComplete !== true) return null;
  const value = dailyValue(day, signal)?.value ?? null;
  return value !== null && value > 0 ? value : null;
}

/** The first seven valid days that lie within thirty. */
function firstWindow(dates: readonly string[]): readonly string[] | null {
  for (let i = 0; i + BASELINE_DAYS <= dates.length; i += 1) {
    const seven = dates.slice(i, i + BASELINE_DAYS);
    if (daysBetween(seven[0] ?? '', seven.at(-1) ?? '') < BASELINE_WINDOW_DAYS) return seven;
  }
  return null;
}

function nextBaseline(baseline: Baseline, signal: BaselineSignal, day: DaySummary): Baseline {
  if (baseline.state === 'closed') return baseline;
  const values = { ...baseline.values };
  const value = validValue(day, signal);
  // A newer version of the day may have lost what an earlier one had.
  if (value === null) Reflect.deleteProperty(values, day.date);
  else values[day.date] = value;
  const dates = Object.keys(values).sort();
  const seven = firstWindow(dates);
  if (seven !== null) {
    const sum = seven.reduce((total, date) => total + (values[date] ?? 0), 0);
    return { state: 'closed', value: rounded(sum / BASELINE_DAYS, 1), from: seven[0] ?? '', to: seven.at(-1) ?? '' };
  }
  // Older than the window before the newest: no later day can be in one window with them.
  const newest = dates.at(-1) ?? '';
  const kept = dates.filter((date) => daysBetween(date, newest) < BASELINE_WINDOW_DAYS);
  return { state: 'open', values: Object.fromEntries(kept.map((date) => [date, values[date] ?? 0])) };
}

/** With days that have arrived, the earliest first: so that pre-existing data, handed over at once, is taken first. */
export function nextBaselines(baselines: Baselines, days: readonly DaySummary[]): Baselines {
  let next = baselines;
  for (const day of days.toSorted((a, b) => (a.date < b.date ? -1 : 1)))
    next = Object.fromEntries(
      BASELINE_SIGNALS.map((signal) => [signal, nextBaseline(next[signal], signal, day)]),
    ) as Baselines;
  return next;
}
