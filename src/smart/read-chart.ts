import type { Grant } from '../auth/index.ts';
import type { Capability, OwnAddress, Pairs } from '../ehr/index.ts';
import { isObject, ok, type Result } from '../kernel/index.ts';
import { compareSearch, localReference } from '../r4/index.ts';
import type { PassedPage } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { makeBoundPages } from './bound-pages.ts';
import { referredBy, type Checked } from './check-page.ts';
import { decide, filtersFor } from './decide.ts';
import type { CheckedReader } from './checked-reader.ts';
import { divideConditions, type SearchRules } from './parse-search.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { SearchPage } from './run-search.ts';
import { searchOf } from './search-of.ts';
import type { Served } from './served-types.ts';
import { shapeResource } from './shape-resource.ts';
import { isSince } from './since.ts';
import type { Resource } from './whose.ts';

/** What is wanted of a patient's chart. */
export interface ChartAsk {
  readonly types: ReadonlySet<string> | null;
  readonly since: Date | null;
  /** Null: all of them. */
  readonly elementsOf: (type: string) => readonly string[] | null;
  /** Of a type that has some, what any of them finds; each is a list of conditions. */
  readonly filters: ReadonlyMap<string, readonly Pairs[]>;
  /** `asked`: what tells of the records comes along, whatever the types are. */
  readonly provenance: 'asked' | 'as-a-type';
}

/** Resources of one type, each a line. */
export interface ChartLines {
  readonly type: string;
  readonly count: number;
  readonly bytes: Buffer;
  /** Names of what is nobody's and is wanted, to which they refer. */
  readonly refers: readonly string[];
}

/** A patient's whole chart, page by page, every resource checked as in a search. */
export interface ReadChart {
  /** Whether a token may have this type in it. */
  mayHave(grant: Grant, type: string): boolean;
  lines(asked: ChartAsk, patient: Resource, caller: Caller): AsyncGenerator<Result<ChartLines>, void>;
  /** What is nobody's, by name. */
  shared(names: readonly string[], asked: ChartAsk, caller: Caller): Promise<Result<readonly ChartLines[]>>;
}

const LINKED = { isContext: false, isLinked: true } as const;
const REFERENCE = /"reference"\s*:\s*"([A-Z][A-Za-z]+)\\?\/([A-Za-z0-9.-]{1,64})["\\/]/g;

const lastUpdatedOf = ({ meta }: Resource): unknown => (isObject(meta) ? meta['lastUpdated'] : undefined);
const nameOf = ({ resourceType, id }: Resource): string => `${resourceType}/${id}`;

const LINE_FEED = 10;
const BREAKS = /[\r\n]/g;

export function makeReadChart(deps: {
  readonly checkedReader: CheckedReader;
  readonly served: Served;
  readonly isOffered: (type: string) => boolean;
  readonly isSearchable: (type: string) => boolean;
  readonly capability: () => Capability | null;
  readonly ehrBase: string;
  readonly rewrite: RewriteAddresses;
  readonly rules: Pick<SearchRules, 'paramsOf' | 'otherParam'>;
}): ReadChart {
  const { served, ehrBase, rewrite, checkedReader } = deps;
  const { runSearch, runToPrint, provenances } = checkedReader;

  function mayHave(grant: Grant, type: string): boolean {
    const rule = served.get(type);
    if (rule === undefined) return false;
    const isThere = rule.kind === 'subject' || rule.kind === 'shared' ? deps.isSearchable(type) : deps.isOffered(type);
    const letters =
      rule.kind === 'shared' ? (['r'] as const) : rule.kind === 'patient' ? (['r', 's'] as const) : (['s'] as const);
    return isThere && filtersFor(grant, type, letters, LINKED).length > 0;
  }

  const wants =
    ({ types, provenance }: ChartAsk, grant: Grant) =>
    (type: string): boolean =>
      (types === null || types.has(type) || (type === 'Provenance' && provenance === 'asked')) && mayHave(grant, type);

  /** As far as the EHR says that it knows it; each is looked at again. What tells of old records may itself be new. */
  function sinceClause(type: string, { since }: ChartAsk, isAlong: boolean): Pairs {
    const known = deps.capability()?.types[type]?.searchParams ?? [];
    return since !== null && !isAlong && known.includes('_lastUpdated')
      ? [['_lastUpdated', `ge${since.toISOString()}`]]
      : [];
  }

  function linesOf(
    type: string,
    given: readonly Checked[],
    asked: ChartAsk,
    isWanted: (type: string) => boolean,
  ): ChartLines {
    const shape = { elements: asked.elementsOf(type), summary: 'false' } as const;
    const shown = given.filter(({ resource }) => isSince(asked.since, lastUpdatedOf(resource)));
    const text = rewrite(shown)
      .map(({ resource }) => `${JSON.stringify(shapeResource(resource, shape))}\n`)
      .join('');
    return { type, count: shown.length, bytes: Buffer.from(text), refers: refersOf(shown, isWanted) };
  }

  /** Of what is read without a search, which could look for it. */
  const isFiltered = ({ filters }: ChartAsk, resource: Resource): boolean =>
    filters
      .get(resource.resourceType)
      ?.some((conditions) =>
        conditions.every(([key, value]) => compareSearch(resource, key, value, ehrBase) !== 'no'),
      ) === false;

  const isShared = (type: string): boolean => served.get(type)?.kind === 'shared';

  const refersOf = (given: readonly Checked[], isWanted: (type: string) => boolean): string[] =>
    [...referredBy(given, ehrBase)].filter((name) => {
      const type = name.slice(0, name.indexOf('/'));
      return isShared(type) && isWanted(type);
    });

  /** A page that was checked on its bytes: its resources are lines as they came. */
  function passedLines(type: string, { passed }: PassedPage, isWanted: (type: string) => boolean): ChartLines {
    const { entries } = passed;
    // Between the tokens of JSON a line break is a blank; inside a text it is escaped.
    const text = passed.text.replaceAll(BREAKS, ' ');
    const size = entries.reduce((sum, { start, end }) => sum + end - start + 1, 0);
    const bytes = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (const { start, end } of entries) {
      at += bytes.write(text.slice(start, end), at, 'latin1');
      bytes[at] = LINE_FEED;
      at += 1;
    }
    const refers = new Set<string>();
    if ([...served.keys()].some((one) => isShared(one) && isWanted(one)))
      for (const [, of = '', id = ''] of text.matchAll(REFERENCE))
        if (isShared(of) && isWanted(of)) refers.add(`${of}/${id}`);
    return { type, count: entries.length, bytes, refers: [...refers] };
  }

  /** What tells of the Patient itself. */
  async function* aboutPatient(id: string, caller: Caller): AsyncGenerator<Result<readonly Checked[]>, void> {
    const search = provenances.aboutPatient(id, 200);
    const decision = search === null ? null : decide(caller.grant, search, served);
    if (decision?.allow !== true) return;
    const bound = makeBoundPages();
    let from: OwnAddress | null = null;
    do {
      const of = { patient: id, letters: ['s'], shown: new Map() } as const;
      const page: Result<SearchPage> = await runSearch(decision.plan, from, caller, of);
      if (!page.ok) {
        yield page;
        return;
      }
      yield ok(page.value.entries);
      const next = bound(page.value.next);
      if (!next.ok) {
        yield next;
        return;
      }
      from = next.value;
    } while (from !== null);
  }

  /** One search of one type, with what tells of what it finds. */
  async function* ofType(
    type: string,
    conditions: Pairs,
    asked: ChartAsk,
    patient: string,
    caller: Caller,
  ): AsyncGenerator<
    Result<ChartLines & { readonly found: readonly Checked[]; readonly about: readonly Checked[] }>,
    void
  > {
    const isWanted = wants(asked, caller.grant);
    const way = isWanted('Provenance') ? provenances.wayFor(type) : 'none';
    const { clauses, evaluated } = divideConditions(type, conditions, deps.rules);
    const search = searchOf(type, patient, {
      evaluated,
      clauses: [...clauses, ...sinceClause(type, asked, way !== 'none')],
      revinclude: way === 'along' ? 'provenance' : 'none',
    });
    const decision = decide(caller.grant, search, served);
    if (!decision.allow) return;
    // As bytes, where nothing of a resource has to be known or changed.
    const isPrinted =
      way === 'none' && asked.since === null && asked.elementsOf(type) === null && !asked.filters.has(type);
    const bound = makeBoundPages();
    let from: OwnAddress | null = null;
    do {
      const page: Result<SearchPage | PassedPage> = isPrinted
        ? await runToPrint(decision.plan, from, caller)
        : await runSearch(decision.plan, from, caller, { patient, letters: ['s'], shown: new Map() });
      if (!page.ok) {
        yield page;
        return;
      }
      const next = bound(page.value.next);
      if (!next.ok) {
        yield next;
        return;
      }
      from = next.value;
      if ('passed' in page.value) yield ok({ ...passedLines(type, page.value, isWanted), found: [], about: [] });
      else {
        const { entries } = page.value;
        const found = entries.filter(({ resource }) => resource.resourceType === type);
        const along = entries.filter(({ resource }) => resource.resourceType === 'Provenance');
        const about = way === 'by-target' ? await provenances.about(found, patient, caller) : ok(along);
        if (!about.ok) {
          yield about;
          return;
        }
        yield ok({ ...linesOf(type, found, asked, isWanted), found, about: about.value });
      }
    } while (from !== null);
  }

  return {
    mayHave,

    async *lines(asked, patient, caller) {
      const isWanted = wants(asked, caller.grant);
      const told = new Set<string>();
      /** Each once: one may tell of records of several pages. */
      const provenanceLines = (given: readonly Checked[]): ChartLines => {
        const fresh = given.filter(({ resource }) => !told.has(nameOf(resource)));
        for (const { resource } of fresh) told.add(nameOf(resource));
        return linesOf('Provenance', fresh, asked, isWanted);
      };
      if (isWanted('Patient') && !isFiltered(asked, patient)) {
        const sight = await checkedReader.judge.sees(patient, ['r', 's'], caller);
        if (!sight.ok) {
          yield sight;
          return;
        }
        if (sight.value.kind === 'seen')
          yield ok(linesOf('Patient', [{ resource: patient, mode: 'match' }], asked, isWanted));
      }
      if (isWanted('Provenance'))
        for await (const page of aboutPatient(patient.id, caller)) {
          if (!page.ok) {
            yield page;
            return;
          }
          yield ok(provenanceLines(page.value));
        }
      for (const [type, { kind }] of served) {
        if (kind !== 'subject' || !isWanted(type)) continue;
        const queries = asked.filters.get(type) ?? [[]];
        const seen = new Set<string>();
        for (const conditions of queries)
          for await (const page of ofType(type, conditions, asked, patient.id, caller)) {
            if (!page.ok) {
              yield page;
              return;
            }
            const { found, about, ...lines } = page.value;
            if (queries.length === 1) yield ok(lines);
            else {
              const fresh = found.filter(({ resource }) => !seen.has(resource.id));
              for (const { resource } of fresh) seen.add(resource.id);
              yield ok(linesOf(type, fresh, asked, isWanted));
            }
            if (about.length > 0) yield ok(provenanceLines(about));
          }
      }
    },

    async shared(names, asked, caller) {
      const isWanted = wants(asked, caller.grant);
      const found = await checkedReader.findNamed(
        names.filter((name) => localReference(name) !== null),
        isWanted,
        caller,
      );
      if (!found.ok) return found;
      const wanted = found.value.filter(({ resource }) => !isFiltered(asked, resource));
      const byType = Map.groupBy(wanted, ({ resource }) => resource.resourceType);
      return ok([...byType].map(([type, all]) => linesOf(type, all, asked, isWanted)));
    },
  };
}
