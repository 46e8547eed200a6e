import { isDate } from '../runtime/dates.ts';
import { isElement } from '../runtime/is-element.ts';
import type { SearchParam, SearchPath } from './search-params.ts';

/** Days as they are written, each in the zone of whoever wrote it; null: open on that side. */
export interface DaySpan {
  readonly from: string | null;
  readonly to: string | null;
}

const DATE_TYPES = ['', 'DateTime', 'Period', 'Instant', 'Timing', 'Date'];
const lastOfMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** `2026`, `2026-01`, `2026-01-31`, or a time on that day; null for what is no date. */
export function daysOfDate(text: unknown): DaySpan | null {
  const [, day = ''] = typeof text === 'string' ? (/^([\d-]{4,10})(?:T.*)?$/.exec(text) ?? []) : [];
  if (!isDate(day)) return null;
  if (day.length === 10) return { from: day, to: day };
  if (day.length === 4) return { from: `${day}-01-01`, to: `${day}-12-31` };
  return { from: `${day}-01`, to: `${day}-${lastOfMonth(Number(day.slice(0, 4)), Number(day.slice(5)))}` };
}

/** A Timing that says neither when it happens nor between when is open on both sides. */
function daysOfTiming(timing: Readonly<Record<string, unknown>>): DaySpan[] {
  const { event, repeat } = timing;
  const events = Array.isArray(event) ? event.flatMap((one) => daysOfDate(one) ?? []) : [];
  if (events.length > 0) return events;
  const bounds = isElement(repeat) ? repeat['boundsPeriod'] : undefined;
  return isElement(bounds) ? daysOfValue(bounds) : [{ from: null, to: null }];
}

function daysOfValue(value: unknown): DaySpan[] {
  if (Array.isArray(value)) return value.flatMap(daysOfValue);
  if (!isElement(value)) return [daysOfDate(value)].filter((days) => days !== null);
  if (value['event'] !== undefined || value['repeat'] !== undefined || value['code'] !== undefined)
    return daysOfTiming(value);
  const [start, end] = [daysOfDate(value['start']), daysOfDate(value['end'])];
  return start === null && end === null ? [] : [{ from: start?.from ?? null, to: end?.to ?? null }];
}

function valuesAt(value: unknown, { steps, choice }: SearchPath, at: number): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, { steps, choice, reference: null }, at));
  const name = steps[at];
  if (name === undefined) return [value];
  if (!isElement(value)) return [];
  const isLast = at === steps.length - 1;
  const suffixes = !isLast ? [''] : choice === null ? DATE_TYPES : [choice.charAt(0).toUpperCase() + choice.slice(1)];
  return suffixes.flatMap((suffix) => {
    const found = value[`${name}${suffix}`];
    return found === undefined ? [] : valuesAt(found, { steps, choice, reference: null }, at + 1);
  });
}

/** When a parameter of kind `date` says that something was; empty where the resource does not say. */
export const daysOfParam = (resource: unknown, param: SearchParam): DaySpan[] =>
  param.kind === 'date' ? param.paths.flatMap((path) => valuesAt(resource, path, 0)).flatMap(daysOfValue) : [];
