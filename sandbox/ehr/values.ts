/** A FHIR resource as JSON; decimals whose text JavaScript would change are raw JSON values. */
export type Resource = {
  resourceType: string;
  id?: string;
  meta?: { versionId?: string; lastUpdated?: string } & Record<string, unknown>;
} & Record<string, unknown>;

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : '';

interface Tokenish {
  readonly system?: unknown;
  readonly code?: unknown;
  readonly value?: unknown;
  readonly coding?: unknown;
}

/** `system|code` pairs of a code, Coding, CodeableConcept or Identifier. */
export function tokensOf(element: unknown): { system: string; code: string }[] {
  if (typeof element === 'string' || typeof element === 'boolean') return [{ system: '', code: String(element) }];
  if (typeof element !== 'object' || element === null) return [];
  const { system, code, value, coding } = element as Tokenish;
  if (Array.isArray(coding)) return coding.flatMap(tokensOf);
  const found = asText(code) === '' ? asText(value) : asText(code);
  return found === '' ? [] : [{ system: asText(system), code: found }];
}

/** The words that stand beside a code: R4's `:text`. */
export function wordsOf(element: unknown): string[] {
  if (typeof element !== 'object' || element === null) return [];
  const { text, display, coding, type } = element as Readonly<Record<string, unknown>>;
  const own = [text, display].filter((one) => typeof one === 'string');
  return [...own, ...(Array.isArray(coding) ? coding.flatMap(wordsOf) : []), ...wordsOf(type)];
}

const RELATIVE = /^[A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[^/]+)?$/;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/;

/**
 * `Type/id` of a reference to this server, the whole address of one to elsewhere, both without a version. A canonical
 * is its address, with the version where it names one.
 */
export function literalOf(element: unknown): string | null {
  if (typeof element === 'string') return ABSOLUTE.test(element) ? element : null;
  if (typeof element !== 'object' || element === null) return null;
  const { reference } = element as { reference?: unknown };
  if (typeof reference !== 'string' || !(RELATIVE.test(reference) || ABSOLUTE.test(reference))) return null;
  return reference.replace(/\/_history\/[^/]+$/, '');
}

/** The type that a literal names, here or elsewhere. */
export const typeOfLiteral = (literal: string): string => /(?:^|\/)([A-Z][A-Za-z]+)\/[^/]+$/.exec(literal)?.[1] ?? '';

const DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T.*)?)?)?$/;

/** 30 February would otherwise become 1 March. */
function isCalendarDay(text: string): boolean {
  const [year = 0, month = 1, day = 1] = text.slice(0, 10).split('-').map(Number);
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
}

/** In milliseconds, its end excluded. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The span that a date of any precision covers. */
export function spanOf(text: string): Span | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  if (text.includes('T')) {
    // What names no zone is in this server's, as days are.
    const at = Date.parse(/T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
    if (Number.isNaN(at) || !isCalendarDay(text)) return null;
    return { from: at, to: at + (/\.\d/.test(text) ? 1 : /T\d\d:\d\d:\d\d/.test(text) ? 1000 : 60_000) };
  }
  const year = Number(match[1]);
  const month = match[2] === undefined ? null : Number(match[2]) - 1;
  const day = match[3] === undefined ? null : Number(match[3]);
  if (!isCalendarDay(text)) return null;
  if (month === null) return { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) };
  if (day === null) return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) };
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Of a Timing only the outer limits matter (R4, 3.1.1.4.8). */
function spanOfTiming(event: unknown, repeat: unknown): Span | null {
  const events = asList(event).flatMap((one) => (typeof one === 'string' ? (spanOf(one) ?? []) : []));
  if (events.length > 0)
    return { from: Math.min(...events.map(({ from }) => from)), to: Math.max(...events.map(({ to }) => to)) };
  const { boundsPeriod } = (repeat ?? {}) as { boundsPeriod?: unknown };
  return spanOfElement(boundsPeriod);
}

/** The same of a date, dateTime, instant, Period or Timing; an open Period reaches without end. */
export function spanOfElement(element: unknown): Span | null {
  if (typeof element === 'string') return spanOf(element);
  if (typeof element !== 'object' || element === null) return null;
  const { start, end, event, repeat } = element as Readonly<Record<string, unknown>>;
  if (event !== undefined || repeat !== undefined) return spanOfTiming(event, repeat);
  const first = typeof start === 'string' ? spanOf(start) : null;
  const last = typeof end === 'string' ? spanOf(end) : null;
  if (first === null && last === null) return null;
  return { from: first?.from ?? -Infinity, to: last?.to ?? Infinity };
}

/** What of a HumanName or an Address is searched; its `use` is not. */
const TEXT_PARTS = [
  ...['text', 'family', 'given', 'prefix', 'suffix'],
  ...['line', 'city', 'district', 'state', 'postalCode', 'country'],
];

/** The texts of a string, a HumanName or an Address, as they are written. */
export function textsOf(element: unknown): string[] {
  if (typeof element === 'string') return [element];
  if (typeof element !== 'object' || element === null) return [];
  const name = element as Record<string, unknown>;
  return TEXT_PARTS.flatMap((part) => name[part] ?? []).filter((text) => typeof text === 'string');
}

/** Without case and accents, as FHIR's string search compares. */
export const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** FHIR escapes `\ , | $` by a backslash; a plain split would cut inside an MRN. */
export function splitEscaped(text: string, separator: ',' | '|' | '$'): string[] {
  if (!text.includes('\\')) return text.split(separator);
  const out: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '\\' && i + 1 < text.length) {
      i += 1;
      part += `\\${text.charAt(i)}`;
    } else if (char === separator) {
      out.push(part);
      part = '';
    } else part += char;
  }
  return [...out, part];
}
export const unescape = (text: string): string => text.replace(/\\([\\,|$])/g, '$1');
