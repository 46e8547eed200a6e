import { isElement } from '../runtime/is-element.ts';

/**
 * `yes`: it matches by every reading of R4. `no`: by none. `maybe`: servers differ, or it cannot be told from the
 * resource alone.
 */
export type Fit = 'yes' | 'maybe' | 'no';

/** From the first to the last millisecond; `isZoned` tells whether it says of which place on earth. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly isZoned: boolean;
}

const ANY: Span = { from: -Infinity, to: Infinity, isZoned: true };
/** What is written without a zone may be of any. */
const ZONES_MS = 14 * 3_600_000;
const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/** All the instants that a date of this precision may be; null for what is no date. */
export function spanOfDate(text: string): Span | null {
  const [, year, month, day, hour, minute, second, fraction, zone] = DATE.exec(text) ?? [];
  if (year === undefined) return null;
  const at = (parts: readonly (string | undefined)[], more: number): number => {
    const [y = 0, m = 1, d = 1, h = 0, min = 0, s = 0] = parts.map((part) =>
      part === undefined ? undefined : Number(part),
    );
    return Date.UTC(y, m - 1, d, h, min, s) + more;
  };
  const parts = [year, month, day, hour, minute, second];
  const given = parts.filter((part) => part !== undefined).length;
  const ms = fraction === undefined ? 0 : Number(`0.${fraction}`) * 1000;
  const from = at(parts, Math.floor(ms));
  const next = parts.map((part, i) => (i === given - 1 ? String(Number(part) + 1) : part));
  const to = fraction === undefined ? at(next, -1) : Math.ceil(from);
  const [sign = '+', h = '0', m = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(zone ?? '')?.slice(1) ?? [];
  const offset = (sign === '-' ? 1 : -1) * (Number(h) * 60 + Number(m)) * 60_000;
  return Number.isNaN(from) ? null : { from: from + offset, to: to + offset, isZoned: zone !== undefined };
}

/** A Timing that says neither when it happens nor between when may be any time, and so may what is no date. */
function spansOf(value: unknown): Span[] {
  if (Array.isArray(value)) return value.flatMap(spansOf);
  if (typeof value === 'string') return [spanOfDate(value) ?? ANY];
  if (!isElement(value)) return [ANY];
  if (Array.isArray(value['event'])) return value['event'].flatMap(spansOf);
  const { start, end } = value;
  if (start === undefined && end === undefined) return [ANY];
  const [first, last] = [start, end].map((one) => (typeof one === 'string' ? spanOfDate(one) : ANY) ?? ANY);
  return [
    {
      from: first?.from ?? -Infinity,
      to: last?.to ?? Infinity,
      isZoned: first?.isZoned === true && last?.isZoned === true,
    },
  ];
}

/** `wider`: by how much two dates may differ because one of them does not say its zone. */
function compare(prefix: string, it: Span, asked: Span, wider: number): Fit {
  const isBefore = it.to + wider < asked.from;
  const isAfter = it.from - wider > asked.to;
  const isInside = it.from - wider >= asked.from && it.to + wider <= asked.to;
  switch (prefix) {
    case 'eq':
      return isBefore || isAfter ? 'no' : isInside ? 'yes' : 'maybe';
    case 'ne':
      return isBefore || isAfter ? 'yes' : isInside && it.from === asked.from && it.to === asked.to ? 'no' : 'maybe';
    case 'ge':
      return isBefore ? 'no' : it.from - wider >= asked.from ? 'yes' : 'maybe';
    case 'gt':
    case 'sa':
      return isBefore ? 'no' : isAfter ? 'yes' : 'maybe';
    case 'le':
      return isAfter ? 'no' : it.to + wider <= asked.to ? 'yes' : 'maybe';
    case 'lt':
    case 'eb':
      return isAfter ? 'no' : isBefore ? 'yes' : 'maybe';
    default:
      return 'maybe';
  }
}

/** How a value of a resource stands to `ge2026-01-31` and its kind. */
export function compareDate(value: unknown, wanted: string): Fit {
  const [, prefix = 'eq', text = ''] = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?(\d.*)$/.exec(wanted) ?? [];
  const asked = spanOfDate(text);
  if (asked === null) return 'maybe';
  const fits = spansOf(value).map((it) => compare(prefix, it, asked, it.isZoned === asked.isZoned ? 0 : ZONES_MS));
  return fits.includes('yes') ? 'yes' : fits.includes('maybe') ? 'maybe' : 'no';
}
