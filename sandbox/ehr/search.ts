import { openPage, pageQuery } from './page-token.ts';
import { isBad, parseQuery, type Query, type Summary } from './query.ts';
import { refuse, replyJson, type Reply } from './reply.ts';
import type { Version } from './repository.ts';
import { paramsOf } from './search-params.ts';
import { showVersion } from './show-version.ts';
import { unknownType, type Given, type Kit } from './interactions.ts';
import type { Resource } from './values.ts';

const IDENTIFYING = ['resourceType', 'id', 'meta'] as const;
const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

function choose(summary: Summary, elements: readonly string[] | null): ((name: string) => boolean) | null {
  if (elements !== null) return (name) => (IDENTIFYING as readonly string[]).includes(name) || elements.includes(name);
  if (summary === 'data') return (name) => name !== 'text';
  if (summary === 'text') return (name) => (IDENTIFYING as readonly string[]).includes(name) || name === 'text';
  return null;
}

function shown(kit: Kit, version: Version, isShown: ((name: string) => boolean) | null): string {
  if (isShown === null || version.resource === null) return showVersion(kit, version);
  const { meta, ...rest } = version.resource;
  const tag = [...((meta?.['tag'] ?? []) as unknown[]), SUBSETTED];
  const part: Resource = {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => isShown(name))),
    resourceType: version.type,
    meta: { ...meta, tag },
  };
  return showVersion(kit, { ...version, resource: part, json: JSON.stringify(part) });
}

export const queryText = (pairs: readonly (readonly [string, string])[]): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();

interface Paged {
  /** The address that was asked, without its query. */
  readonly at: string;
  readonly used: Query['used'];
  readonly count: number;
  readonly offset: number;
  readonly total: number;
}

export function pageLinks({ at, used, count, offset, total }: Paged): string {
  const page = (from: number): string => `${at}?${pageQuery({ pairs: used, offset: from })}`;
  const out = [{ relation: 'self', url: `${at}${used.length === 0 ? '' : `?${queryText(used)}`}` }];
  if (count > 0 && offset + count < total) out.push({ relation: 'next', url: page(offset + count) });
  if (count > 0 && offset > 0) out.push({ relation: 'previous', url: page(Math.max(0, offset - count)) });
  return JSON.stringify(out);
}

export const searchEntry = (base: string, { type, id }: Version, mode: 'match' | 'include', json: string): string =>
  `{"fullUrl":"${base}/${type}/${id}","resource":${json},"search":{"mode":"${mode}"}}`;

export function searchset(total: number | null, links: string, entries: readonly string[]): Reply {
  const told = total === null ? '' : `"total":${total},`;
  const list = entries.length === 0 ? '' : `,"entry":[${entries.join(',')}]`;
  return replyJson(200, `{"resourceType":"Bundle","type":"searchset",${told}"link":${links}${list}}`);
}

export function search(kit: Kit, type: string, given: Iterable<readonly [string, string]>, { prefer }: Given): Reply {
  if (paramsOf(type) === undefined) return unknownType(type);
  const start = openPage(given);
  if (start === null) return refuse(400, 'invalid', 'This page was not given out here');
  const { ignoreParams } = kit.switches;
  const query = parseQuery(type, start.pairs, {
    base: kit.base,
    ignoreParams,
    offset: start.offset,
    find: kit.repository.find,
  });
  if (isBad(query)) return refuse(400, 'invalid', `The search parameter ${query.bad} cannot be used like this`);
  if (query.ignored.length > 0 && prefer?.includes('handling=strict') === true)
    return refuse(400, 'not-supported', `These search parameters are not known: ${query.ignored.join(', ')}`);
  const { total, matches, included } = kit.repository.search(query);
  const { count, offset } = query.page;
  const links = pageLinks({
    at: `${kit.base}/${type}`,
    used: query.used,
    count: query.summary === 'count' ? 0 : count,
    offset,
    total,
  });
  const ofMatches = choose(query.summary, query.elements);
  const ofIncluded = choose(query.summary, null);
  return searchset(query.total === 'none' && query.summary !== 'count' ? null : total, links, [
    ...matches.map((version) => searchEntry(kit.base, version, 'match', shown(kit, version, ofMatches))),
    ...included.map((version) => searchEntry(kit.base, version, 'include', shown(kit, version, ofIncluded))),
  ]);
}
