import type { SearchParam } from './search-params.ts';

/** A FHIR resource as JSON; decimals whose text JavaScript would change are raw JSON values. */
export type Resource = {
  resourceType: string;
  id?: string;
  meta?: { versionId?: string; lastUpdated?: string } & Record<string, unknown>;
} & Record<string, unknown>;

function follow(value: unknown, path: readonly string[], out: unknown[]): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value) follow(one, path, out);
    return;
  }
  const [head, ...rest] = path;
  if (head === undefined) out.push(value);
  else if (typeof value === 'object') follow((value as Record<string, unknown>)[head], rest, out);
}

const SPLIT = new Map<string, string[]>();
function partsOf(path: string): string[] {
  let parts = SPLIT.get(path);
  if (parts === undefined) {
    parts = path.split('.');
    SPLIT.set(path, parts);
  }
  return parts;
}

export function elementsOf(resource: Resource, param: SearchParam): unknown[] {
  const out: unknown[] = [];
  for (const path of param.paths) follow(resource, partsOf(path), out);
  return out;
}

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

const RELATIVE = /^[A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[^/]+)?$/;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/;

/** `Type/id` of a reference to this server, the whole address of one to elsewhere, both without a version. */
export function literalOf(element: unknown): string | null {
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

/** The span that a date of any precision covers, in milliseconds, its end excluded. */
export function spanOf(text: string): { from: number; to: number } | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  if (text.includes('T')) {
    const at = Date.parse(text);
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

/** The same of a date, dateTime, instant or Period; an open Period reaches without end. */
export function spanOfElement(element: unknown): { from: number; to: number } | null {
  if (typeof element === 'string') return spanOf(element);
  if (typeof element !== 'object' || element === null) return null;
  const { start, end } = element as { start?: unknown; end?: unknown };
  const first = typeof start === 'string' ? spanOf(start) : null;
  const last = typeof end === 'string' ? spanOf(end) : null;
  if (first === null && last === null) return null;
  return { from: first?.from ?? -Infinity, to: last?.to ?? Infinity };
}

/** What of a HumanName is a name; its `use` is not. */
const NAME_PARTS = ['text', 'family', 'given', 'prefix', 'suffix'] as const;

/** The texts of a string or a HumanName, as they are written. */
export function textsOf(element: unknown): string[] {
  if (typeof element === 'string') return [element];
  if (typeof element !== 'object' || element === null) return [];
  const name = element as Record<string, unknown>;
  return NAME_PARTS.flatMap((part) => name[part] ?? []).filter((text) => typeof text === 'string');
}

/** Without case and accents, as FHIR's string search compares. */
export const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
