import { numberValue } from '../../src/r4/index.ts';
import { makeClause, matches, type Clause, type Include, type Query } from './query.ts';
import { paramsOf, type SearchParam } from './search-params.ts';
import { fold, literalOf, spanOfElement, splitEscaped, textsOf, tokensOf, unescape, type Resource } from './values.ts';

/** One stored version. `json` is made once, when it is written, and is what every reader gets. */
export interface Version {
  readonly type: string;
  readonly id: string;
  /** Which version of the resource it is, counted from 1. */
  readonly n: number;
  /** What `meta.versionId`, ETag and Location call it; null where this server names no versions. */
  readonly versionId: string | null;
  readonly lastUpdated: string;
  /** From when on search finds it, in milliseconds: 0 for at once. */
  readonly searchableFromMs: number;
  readonly method: Method;
  readonly resource: Resource | null;
  readonly json: string;
}

export type Method = 'POST' | 'PUT' | 'DELETE';

export interface Change {
  readonly kind: 'create' | 'update' | 'delete';
  readonly method: Method;
  readonly type: string;
  readonly id: string;
  readonly resource: Resource | null;
}

/** What holds for all changes of one commit. */
export interface Commit {
  readonly lastUpdated: string;
  readonly nameVersion: (n: number, resource: Resource | null) => string | null;
  readonly searchableFromMs: number;
}

export interface Found {
  readonly total: number;
  readonly matches: readonly Version[];
  readonly included: readonly Version[];
}

export interface Repository {
  read(type: string, id: string): Version | undefined;
  versions(type: string, id: string): readonly Version[];
  /**
   * The live resources that meet all clauses, in the order of their creation, as far as the index has heard of them.
   */
  find(type: string, clauses: readonly Clause[]): Version[];
  search(query: Query): Found;
  /** All or nothing is up to the caller: nothing in here can fail. */
  apply(changes: readonly Change[], commit: Commit): Version[];
  count(): number;
}

interface Slot {
  readonly n: number;
  readonly versions: Version[];
}
type Index = Map<string, Set<string>>;

const ANY_SYSTEM = '\u0000';
const isIndexed = (param: SearchParam): boolean => param.kind === 'token' || param.kind === 'reference';

/** Under which keys a resource is found by one parameter; a token also under its bare code. */
function keysOf(resource: Resource, param: SearchParam): string[] {
  return param.read(resource).flatMap((element) => {
    if (param.kind === 'token')
      return tokensOf(element).flatMap(({ system, code }) => [`${system}|${code}`, `${ANY_SYSTEM}|${code}`]);
    const literal = literalOf(element);
    if (literal === null) return [];
    // A canonical is also found without its version.
    if (literal.includes(':')) return literal.includes('|') ? [literal, literal.split('|', 1).join('')] : [literal];
    return [literal, `${ANY_SYSTEM}/${literal.slice(literal.indexOf('/') + 1)}`];
  });
}

/** The keys that a clause asks for; null where it cannot be answered from the index. */
function wantedKeys(clause: Clause): string[] | null {
  if (!isIndexed(clause.param) || clause.modifier !== '') return null;
  const keys: string[] = [];
  for (const value of clause.values) {
    if (clause.param.kind === 'token') {
      const [first = '', second] = splitEscaped(value, '|').map(unescape);
      if (second === '') return null;
      keys.push(second === undefined ? `${ANY_SYSTEM}|${first}` : `${first}|${second}`);
    } else keys.push(/[/:]/.test(value) ? value : `${ANY_SYSTEM}/${value}`);
  }
  return keys;
}

function sortKey(resource: Resource | null, param: SearchParam): string | number {
  const [element] = resource === null ? [] : param.read(resource);
  if (param.kind === 'date') return spanOfElement(element)?.from ?? 0;
  if (param.kind === 'token') return tokensOf(element)[0]?.code ?? '';
  if (param.kind === 'quantity') return numberValue((element as { readonly value?: unknown } | undefined)?.value) ?? 0;
  return param.kind === 'string' ? fold(textsOf(element)[0] ?? '') : (literalOf(element) ?? '');
}

function getOrMake<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

export function makeRepository(nowMs: () => number): Repository {
  const slots = new Map<string, Map<string, Slot>>();
  const indexes = new Map<string, Map<string, Index>>();
  /** By type, the ids whose newest version search does not know yet. The index has lost their older keys. */
  const late = new Map<string, Set<string>>();
  let created = 0;

  const slotsOf = (type: string): Map<string, Slot> => getOrMake(slots, type, () => new Map<string, Slot>());
  const current = (slot: Slot | undefined): Version | undefined => slot?.versions.at(-1);
  const searchable = (slot: Slot | undefined, atMs: number): Version | undefined =>
    slot?.versions.findLast((version) => version.searchableFromMs <= atMs);

  const indexesOf = (type: string): Map<string, Index> => getOrMake(indexes, type, () => new Map<string, Index>());
  const addTo = (index: Index, key: string, id: string): unknown =>
    getOrMake(index, key, () => new Set<string>()).add(id);

  /** A parameter is indexed when it is first searched by: most of R4's never are, and writes are many. */
  function indexOf(type: string, name: string): Index {
    const param = paramsOf(type)?.get(name);
    return getOrMake(indexesOf(type), name, () => {
      const index: Index = new Map<string, Set<string>>();
      for (const [id, slot] of slotsOf(type)) {
        const resource = current(slot)?.resource ?? null;
        if (resource !== null && param !== undefined) for (const key of keysOf(resource, param)) addTo(index, key, id);
      }
      return index;
    });
  }

  function reindex(type: string, id: string, before: Resource | null, after: Resource | null): void {
    for (const [name, index] of indexesOf(type)) {
      const param = paramsOf(type)?.get(name);
      if (param === undefined) continue;
      const old = before === null ? [] : keysOf(before, param);
      const next = after === null ? [] : keysOf(after, param);
      // An update leaves most of them as they are, and large sets are slow to change.
      if (old.length === next.length && old.every((key, i) => key === next[i])) continue;
      for (const key of old) {
        const ids = index.get(key);
        ids?.delete(id);
        if (ids?.size === 0) index.delete(key);
      }
      for (const key of next) addTo(index, key, id);
    }
  }

  /** The smallest set of ids that the index allows for; null when all of the type must be looked at. */
  function candidates(type: string, clauses: readonly Clause[]): Set<string> | null {
    let best: Set<string> | null = null;
    for (const clause of clauses) {
      const keys = wantedKeys(clause);
      if (keys === null) continue;
      const index = indexOf(type, clause.name);
      const sets = keys.map((key) => index.get(key) ?? new Set<string>());
      const size = sets.reduce((sum, set) => sum + set.size, 0);
      if (best === null || size < best.size)
        best = sets.length === 1 ? (sets[0] ?? new Set()) : new Set(sets.flatMap((set) => [...set]));
    }
    return best;
  }

  function lateOf(type: string, atMs: number): ReadonlySet<string> {
    const ids = late.get(type) ?? new Set<string>();
    for (const id of ids) if ((current(slotsOf(type).get(id))?.searchableFromMs ?? 0) <= atMs) ids.delete(id);
    return ids;
  }

  function find(type: string, clauses: readonly Clause[]): Version[] {
    const atMs = nowMs();
    const ofType = slotsOf(type);
    const indexed = candidates(type, clauses);
    const unheard = lateOf(type, atMs);
    const ids = indexed === null ? ofType.keys() : unheard.size === 0 ? indexed : new Set([...indexed, ...unheard]);
    const found: [number, Version][] = [];
    for (const id of ids) {
      const slot = ofType.get(id);
      const version = searchable(slot, atMs);
      if (
        slot !== undefined &&
        version !== undefined &&
        version.resource !== null &&
        matches(version.resource, clauses)
      )
        found.push([slot.n, version]);
    }
    return found.sort(([a], [b]) => a - b).map(([, version]) => version);
  }

  function includedBy(query: Query, page: readonly Version[]): Version[] {
    const atMs = nowMs();
    const seen = new Set(page.map((v) => `${v.type}/${v.id}`));
    const fresh = (version: Version | undefined): Version[] => {
      if (version === undefined || version.resource === null || seen.has(`${version.type}/${version.id}`)) return [];
      seen.add(`${version.type}/${version.id}`);
      return [version];
    };
    const pointedAt = (from: Version, { type, param }: Include): Version[] =>
      from.type !== type || from.resource === null
        ? []
        : param.read(from.resource).flatMap((element) => {
            const [ofType = '', id = ''] = (literalOf(element) ?? '').split('/');
            return fresh(searchable(slotsOf(ofType).get(id), atMs));
          });
    const pointing = (to: Version, { type, name, param }: Include): Version[] => {
      const clause = makeClause(name, param, '', [`${to.type}/${to.id}`]);
      return clause === null ? [] : find(type, [clause]).flatMap(fresh);
    };

    const out: Version[] = [];
    for (let round = page, walks: readonly string[] = ['once', 'iterate']; round.length > 0; walks = ['iterate']) {
      const isDue = ({ walk }: Include): boolean => walks.includes(walk);
      const from = round;
      round = [
        ...query.include.filter(isDue).flatMap((include) => from.flatMap((version) => pointedAt(version, include))),
        ...query.revinclude.filter(isDue).flatMap((include) => from.flatMap((version) => pointing(version, include))),
      ];
      out.push(...round);
    }
    return out;
  }

  return {
    read: (type, id) => current(slotsOf(type).get(id)),
    versions: (type, id) => slotsOf(type).get(id)?.versions ?? [],
    find,
    search(query) {
      const all = find(query.type, query.clauses);
      for (const { param, descending } of [...query.sort].reverse()) {
        const keys = new Map(all.map((version) => [version, sortKey(version.resource, param)]));
        all.sort((a, b) => {
          const [left, right] = [keys.get(a) ?? '', keys.get(b) ?? ''];
          const order = left < right ? -1 : left > right ? 1 : 0;
          return descending ? -order : order;
        });
      }
      const page = query.summary === 'count' ? [] : all.slice(query.page.offset, query.page.offset + query.page.count);
      return { total: all.length, matches: page, included: includedBy(query, page) };
    },
    apply: (changes, { lastUpdated, nameVersion, searchableFromMs }) =>
      changes.map(({ type, id, method, resource }) => {
        const ofType = slotsOf(type);
        const slot = getOrMake(ofType, id, () => ({ n: (created += 1), versions: [] }));
        const before = current(slot)?.resource ?? null;
        const n = slot.versions.length + 1;
        const versionId = nameVersion(n, resource);
        const { versionId: _versionId, lastUpdated: _lastUpdated, ...meta } = resource?.meta ?? {};
        const own = versionId === null ? { lastUpdated } : { versionId, lastUpdated };
        const after = resource === null ? null : { ...resource, id, meta: { ...meta, ...own } };
        const version: Version = {
          type,
          id,
          n,
          versionId,
          lastUpdated,
          searchableFromMs,
          method,
          resource: after,
          json: after === null ? '' : JSON.stringify(after),
        };
        slot.versions.push(version);
        reindex(type, id, before, after);
        if (searchableFromMs > 0) getOrMake(late, type, () => new Set<string>()).add(id);
        return version;
      }),
    count: () => [...slots.values()].reduce((sum, ofType) => sum + ofType.size, 0),
  };
}
