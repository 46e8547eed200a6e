const DAYS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Two digits at `i`, or NaN. Arithmetic on NaN fails every comparison below, which is what the callers rely on. */
function two(s: string, i: number): number {
  const high = s.charCodeAt(i) - 48;
  const low = s.charCodeAt(i + 1) - 48;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : NaN;
}

/** `length` is 4, 7 or 10: year, month or day. The year 0000 does not exist. */
function isDatePart(s: string, length: number): boolean {
  const year = two(s, 0) * 100 + two(s, 2);
  if (!(year > 0)) return false;
  if (length === 4) return true;
  const month = two(s, 5);
  if (s.charCodeAt(4) !== 45 || !(month >= 1 && month <= 12)) return false;
  if (length === 7) return true;
  const day = two(s, 8);
  if (s.charCodeAt(7) !== 45 || !(day >= 1 && day <= (DAYS[month] ?? 0))) return false;
  return month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
}

/** `hh:mm:ss(.s+)` from `i`; the position after it, or -1. Second 60 is allowed for leap seconds. */
function endOfTime(s: string, i: number): number {
  if (!(two(s, i) <= 23) || s.charCodeAt(i + 2) !== 58) return -1;
  if (!(two(s, i + 3) <= 59) || s.charCodeAt(i + 5) !== 58 || !(two(s, i + 6) <= 60)) return -1;
  let end = i + 8;
  if (s.charCodeAt(end) !== 46) return end;
  const from = ++end;
  for (let digit = s.charCodeAt(end); digit >= 48 && digit <= 57; digit = s.charCodeAt(end)) end++;
  return end === from ? -1 : end;
}

function isZone(s: string, i: number): boolean {
  const sign = s.charCodeAt(i);
  if (sign === 90) return s.length === i + 1;
  if ((sign !== 43 && sign !== 45) || s.length !== i + 6 || s.charCodeAt(i + 3) !== 58) return false;
  const hours = two(s, i + 1);
  const minutes = two(s, i + 4);
  return (hours <= 13 && minutes <= 59) || (hours === 14 && minutes === 0);
}

export function isDate(v: unknown): boolean {
  return typeof v === 'string' && (v.length === 10 || v.length === 7 || v.length === 4) && isDatePart(v, v.length);
}

export function isInstant(v: unknown): boolean {
  if (typeof v !== 'string' || v.length < 20 || v.charCodeAt(10) !== 84 || !isDatePart(v, 10)) return false;
  const end = endOfTime(v, 11);
  return end > 0 && isZone(v, end);
}

export const isDateTime = (v: unknown): boolean => (typeof v === 'string' && v.length > 10 ? isInstant(v) : isDate(v));

export const isTime = (v: unknown): boolean => typeof v === 'string' && v.length >= 8 && endOfTime(v, 0) === v.length;

const LAST = '9999-12-31T23:59:60.999Z';

/** The span of time that a FHIR date or dateTime covers, in ms: [first, last]. Null for what is neither. */
function span(s: string): readonly [number, number] | null {
  if (!isDateTime(s)) return null;
  const plain = s.replace(/:60(?=[.Z+-])/, ':59');
  if (s.length > 10) {
    const at = Date.parse(plain);
    return [at, at];
  }
  const first = Date.parse(`${s}${'-01-01'.slice(s.length - 4)}T00:00:00Z`);
  const year = Number(s.slice(0, 4));
  if (s.length === 4) return [first, Date.UTC(year + 1, 0, 1) - 1];
  if (s.length === 7) return [first, Date.UTC(year, Number(s.slice(5, 7)), 1) - 1];
  return [first, first + 86_399_999];
}

/** A date without time has no zone: anywhere on earth is within 14 hours of UTC. */
const ZONE_MS = 14 * 3_600_000;

/**
 * Whether `a` lies after `b` beyond doubt. Different precision leaves doubt, and a doubt is not a violation:
 * a period from 2024-05-03T10:00:00Z to 2024-05-03 is sound, because its end includes the whole day.
 */
export function isAfter(a: string, b: string): boolean {
  // Of one length and in one zone, the order of the texts is the order of the times.
  if (
    a.length === b.length &&
    (a.length === 10 || (a.charCodeAt(a.length - 1) === 90 && b.charCodeAt(b.length - 1) === 90)) &&
    a <= b
  )
    return false;
  if (a > LAST || b > LAST) return false;
  const [first, second] = [span(a), span(b)];
  if (first === null || second === null) return false;
  const slack = a.length > 10 === b.length > 10 ? 0 : ZONE_MS;
  return first[0] > second[1] + slack;
}
