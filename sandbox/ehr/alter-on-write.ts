import { isElement } from '../../src/r4/index.ts';
import type { Switches } from './switches.ts';
import type { Resource } from './values.ts';

type Part = Readonly<Record<string, unknown>>;
type Meta = NonNullable<Resource['meta']>;

const OWN_TAG = { system: 'urn:example:demo-ehr:tags', code: 'imported' };
const KEPT_LISTS = ['tag', 'security', 'profile'] as const;
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Changes every object within, those on the inside first; `of` is the name under which it stands. */
function mapParts(value: unknown, change: (part: Part, of: string) => Part, of = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => mapParts(one, change, of));
  if (!isElement(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapParts(part, change, name)])),
    of,
  );
}

/** A label is the same by system and code, a profile by its address. */
const sameness = (value: unknown): string =>
  isElement(value) ? JSON.stringify([value['system'] ?? null, value['code'] ?? null]) : JSON.stringify(value);

function unionMeta(meta: Meta, before: Meta): Meta {
  const joined = KEPT_LISTS.flatMap((name): [string, unknown][] => {
    const all = [...asList(before[name]), ...asList(meta[name])];
    return all.length === 0 ? [] : [[name, [...new Map(all.map((one) => [sameness(one), one])).values()]]];
  });
  return { ...meta, ...Object.fromEntries(joined) };
}

function ownMeta(meta: Meta, kind: 'dropped' | 'rewritten', requestId: string): Meta {
  const { tag: _tag, profile: _profile, security: _security, source: _source, ...rest } = meta;
  return kind === 'dropped' ? rest : { ...rest, source: `#${requestId.slice(0, 16)}`, tag: [OWN_TAG] };
}

const rawDigits = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
    ? String((value as { rawJSON: unknown }).rawJSON)
    : null;

function withPlainNumbers(value: unknown): unknown {
  const digits = rawDigits(value);
  if (digits !== null) return Number(digits);
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  return isElement(value)
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withPlainNumbers(part)]))
    : value;
}

function withDisplay(part: Part, of: string): Part {
  if (part['display'] !== undefined) return part;
  if (typeof part['reference'] === 'string')
    return { ...part, display: `Record ${part['reference'].split('/').at(-1) ?? ''}` };
  return of === 'coding' && typeof part['code'] === 'string' ? { ...part, display: `Term ${part['code']}` } : part;
}

const narrativeOf = ({ resourceType }: Resource): Part => ({
  status: 'generated',
  div: `<div xmlns="http://www.w3.org/1999/xhtml">${resourceType}, as recorded</div>`,
});

/** What this server makes of a resource that it is given, before it stores it over `before`. */
export function alterOnWrite(
  switches: Switches,
  resource: Resource,
  before: Resource | null,
  requestId: string,
): Resource {
  const { meta, unionTags, normaliseNumbers, addNarrative, reorderIdentifiers, addDisplay } = switches;
  let altered = resource;
  if (meta !== undefined) altered = { ...altered, meta: ownMeta(altered.meta ?? {}, meta, requestId) };
  if (unionTags === true) altered = { ...altered, meta: unionMeta(altered.meta ?? {}, before?.meta ?? {}) };
  if (normaliseNumbers === true) altered = withPlainNumbers(altered) as Resource;
  if (addDisplay === true)
    altered = { ...(mapParts(altered, withDisplay) as Resource), ...(altered.meta ? { meta: altered.meta } : {}) };
  if (addNarrative === true && altered['text'] === undefined) altered = { ...altered, text: narrativeOf(altered) };
  if (reorderIdentifiers === true && Array.isArray(altered['identifier']))
    altered = { ...altered, identifier: altered['identifier'].toReversed() as unknown[] };
  return altered;
}
