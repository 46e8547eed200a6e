/** When something was measured, as FHIR writes it. */
export interface Times {
  readonly start: string;
  /** Equal to `start` for a moment. */
  readonly end: string;
  /** The end of a period that is not said. */
  readonly open?: 'start' | 'end';
}

const SOURCE_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * A time of the source as FHIR's dateTime, in the offset that it was written with. Without an offset only the date is
 * certain.
 */
export function fhirDateTime(text: string): string {
  const [, day, minutes, seconds = ':00', zone] = SOURCE_TIME.exec(text) ?? [];
  if (day === undefined || minutes === undefined || zone === undefined) return text.slice(0, 10);
  return `${day}T${minutes}${seconds}${zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`}`;
}

export const isZoned = (text: string): boolean => /(Z|[+-]\d{2}:?\d{2})$/.test(text);

/** FHIR's instant must have seconds and an offset. */
export const isInstant = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text);

/** The same moment has one text, whatever offset it was written in. A date without a time is no moment and stays. */
export function utcOf(text: string): string {
  // Without an offset it is no moment either: a host would read it in its own time zone.
  if (text.length <= 10 || !isZoned(text)) return text;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

/** The day on the wall of the user: the date as it is written. */
export const dayOf = (text: string): string => text.slice(0, 10);

const nextDay = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

/** Whether the time is one whole local day: from midnight to its last second, or to the next midnight. */
export function isWholeDay({ start, end, open }: Times): boolean {
  const day = dayOf(start);
  if (open !== undefined) return false;
  if (start === end) return start.length === 10;
  if (!/^T00:00:00(\.0+)?(Z|[+-])/.test(start.slice(10))) return false;
  if (dayOf(end) === day) return /^T23:59:59(\.\d+)?(Z|[+-])/.test(end.slice(10));
  return dayOf(end) === nextDay(day) && /^T00:00:00(\.0+)?(Z|[+-])/.test(end.slice(10));
}

const textAt = (value: unknown, name: string): string | null => {
  const part = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof part === 'string' ? part : null;
};

/** The effective time of a resource, however it is given; null where it has none that can be named. */
export function effectiveOf(resource: Readonly<Record<string, unknown>>): Times | null {
  const moment = textAt(resource, 'effectiveDateTime') ?? textAt(resource, 'effectiveInstant');
  if (moment !== null) return { start: moment, end: moment };
  const start = textAt(resource['effectivePeriod'], 'start');
  const end = textAt(resource['effectivePeriod'], 'end');
  if (start === null && end === null) return null;
  if (start !== null && end !== null) return { start, end };
  const said = start ?? end ?? '';
  return { start: said, end: said, open: start === null ? 'start' : 'end' };
}

/** As an element of an Observation or a report. A period that is open at one end stays so. */
export const effectiveElement = ({ start, end, open }: Times): Readonly<Record<string, unknown>> => {
  if (open !== undefined) return { effectivePeriod: { [open === 'end' ? 'start' : 'end']: start } };
  return start === end ? { effectiveDateTime: start } : { effectivePeriod: { start, end } };
};
