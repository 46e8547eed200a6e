import type { CodeSystem, ValueSet, ValueSetComposeInclude, ValueSetExpansionContains } from '@medplum/fhirtypes';
import { hl7System, hl7ValueSet, type SetRow } from '../definitions/hl7-terminology.ts';
import { loadDefinitions } from '../definitions/load-definitions.ts';
import { indexCodeSystem, indexHl7System, type SystemIndex } from './code-system-index.ts';
import { withoutVersion } from './guide-problem.ts';
import { ANY_SYSTEM, commonOf, intersect, membersOf, restOf, subtract, unite } from './members.ts';
import type { Members, Part, Parts } from './members.ts';
import { applyFilter, type Filter, type NotExpanded } from './value-set-filters.ts';

export type { Members } from './members.ts';
export type { NotExpanded } from './value-set-filters.ts';

export interface TerminologySource {
  readonly valueSets: readonly ValueSet[];
  readonly codeSystems: readonly CodeSystem[];
}

export interface Terminology {
  /** The members of a value set, or why they are not known. Worked out when first asked for. */
  readonly expand: (canonical: string) => Members | NotExpanded;
  /** Whether a system has a code; `unknown` where the system is not loaded, or only in part. */
  readonly hasCode: (system: string, code: string) => 'yes' | 'no' | 'unknown';
  /** Whether a value set of this address is loaded or shipped. A Coding whose system is one is wrong. */
  readonly isValueSet: (canonical: string) => boolean;
}

/** A part of a value set, whether a guide or the committed table defines it. */
interface Include {
  readonly system?: string;
  readonly version?: string;
  readonly codes?: readonly string[];
  readonly filters?: readonly Filter[];
  readonly sets?: readonly string[];
}

interface Definition {
  readonly include: readonly Include[];
  readonly exclude: readonly Include[];
  /** Members that were listed beforehand, all of them. */
  readonly listed?: Parts;
}

/** Real sets are made of sets of sets, not more. */
const NESTED_MAX = 30;

const cannot = (notExpanded: string): NotExpanded => ({ notExpanded });
const isNotExpanded = (value: object): value is NotExpanded => Object.hasOwn(value, 'notExpanded');

const readInclude = ({ system, version, concept, filter, valueSet }: ValueSetComposeInclude): Include => ({
  ...(system === undefined ? {} : { system }),
  ...(version === undefined ? {} : { version }),
  ...(concept === undefined ? {} : { codes: concept.map(({ code }) => code) }),
  ...(filter === undefined ? {} : { filters: filter }),
  ...(valueSet === undefined ? {} : { sets: valueSet }),
});

function readRow({ include, exclude = [] }: SetRow): Definition {
  const read = ({ filters, ...rest }: SetRow['include'][number]): Include => ({
    ...rest,
    ...(filters === undefined ? {} : { filters: filters.map(([property, op, value]) => ({ property, op, value })) }),
  });
  return { include: include.map(read), exclude: exclude.map(read) };
}

/** An expansion that a server cut off, or a page of one, does not tell who is no member. */
function isWhole({ expansion }: ValueSet): boolean {
  if (expansion?.contains === undefined) return false;
  const { total, offset = 0, extension = [], contains } = expansion;
  const isCut = extension.some(({ url }) => /valueset-(?:toocostly|unclosed)$/i.test(url));
  return !isCut && offset === 0 && (total === undefined || total <= countOf(contains));
}

const countOf = (contains: readonly ValueSetExpansionContains[] = []): number =>
  contains.reduce((sum, one) => sum + 1 + countOf(one.contains), 0);

function listExpansion(contains: readonly ValueSetExpansionContains[] = [], found = new Map<string, Set<string>>()) {
  for (const { system = ANY_SYSTEM, code, abstract, contains: inner } of contains) {
    if (code !== undefined && abstract !== true) found.set(system, (found.get(system) ?? new Set()).add(code));
    listExpansion(inner, found);
  }
  return found;
}

/** `4.0` serves who asks for `4.0.1`: canonical versions differ in their last place by corrections. */
const isVersion = (found: string | undefined, asked: string | undefined): boolean =>
  asked === undefined ||
  found === asked ||
  (found !== undefined && found.split('.').slice(0, 2).join('.') === asked.split('.').slice(0, 2).join('.'));

/** Of what has one address: the first with the version asked for exactly, else the first that is near enough. */
function choose<T extends { version?: string }>(
  all: readonly T[] | undefined,
  asked: string | undefined,
): T | undefined {
  return all?.find(({ version }) => version === asked) ?? all?.find(({ version }) => isVersion(version, asked));
}

const splitCanonical = (canonical: string): [url: string, version: string | undefined] => {
  const bar = canonical.indexOf('|');
  return bar < 0 ? [canonical, undefined] : [canonical.slice(0, bar), canonical.slice(bar + 1)];
};

/**
 * Value sets and code systems of guides, earlier sources first, with HL7's own from the committed tables behind them.
 * Nothing is expanded before it is asked for, and nothing twice.
 */
export function makeTerminology(sources: readonly TerminologySource[]): Terminology {
  const sets = Map.groupBy(
    sources.flatMap(({ valueSets }) => valueSets),
    ({ url = '' }) => url,
  );
  const systems = Map.groupBy(
    sources.flatMap(({ codeSystems }) => codeSystems).filter(({ content }) => content !== 'supplement'),
    ({ url = '' }) => url,
  );
  const indexes = new Map<CodeSystem | string, SystemIndex | undefined>();
  const expanded = new Map<string, Parts | NotExpanded>();
  const members = new Map<string, Members | NotExpanded>();

  function indexOf(url: string, version?: string): SystemIndex | undefined {
    const loaded = choose(systems.get(url), version);
    const key = loaded ?? url;
    if (indexes.has(key)) return indexes.get(key);
    const shipped = loaded === undefined ? hl7System(url) : undefined;
    const made =
      loaded === undefined ? (shipped === undefined ? undefined : indexHl7System(shipped)) : indexCodeSystem(loaded);
    // What is not known is not remembered: anybody's codings may ask for any system.
    if (made !== undefined) indexes.set(key, made);
    return made;
  }

  function partOf(system: string, codes: ReadonlySet<string>): Parts {
    const index = indexOf(system);
    const part: Part = index === undefined ? { codes, isFolded: false } : { codes, isFolded: index.isFolded };
    return new Map(codes.size === 0 ? [] : [[system, part]]);
  }

  function partOfListed(system: string, codes: Iterable<string>): Parts {
    const fold = indexOf(system)?.fold ?? ((code: string) => code);
    return partOf(system, new Set(Iterator.from(codes).map(fold)));
  }

  function expandSystem(system: string, { version, filters = [] }: Include): Parts | NotExpanded {
    const index = indexOf(system, version);
    if (index === undefined)
      return cannot(`the code system ${system}${version === undefined ? '' : `|${version}`} is not loaded`);
    if (index.content !== 'complete')
      return cannot(`only a part of the code system ${system} is loaded (${index.content})`);
    let codes: ReadonlySet<string> = index.codes;
    for (const filter of filters) {
      const left = applyFilter(filter, index);
      if (isNotExpanded(left)) return cannot(`${system}: ${left.notExpanded}`);
      codes = commonOf(codes, left);
    }
    return partOf(system, restOf(codes, index.abstract));
  }

  function expandInclude(include: Include, underWay: readonly string[]): Parts | NotExpanded {
    const { system, codes, filters, sets: imported = [] } = include;
    const parts: Parts[] = [];
    for (const canonical of imported) {
      const found = expandParts(canonical, underWay);
      if (isNotExpanded(found)) return found;
      parts.push(found);
    }
    if (system !== undefined && codes !== undefined) parts.push(partOfListed(system, codes));
    else if (system !== undefined && (filters !== undefined || imported.length === 0)) {
      const found = expandSystem(system, include);
      if (isNotExpanded(found)) return found;
      parts.push(found);
    }
    const [first, ...others] = parts;
    if (first === undefined) return cannot('a part of it names neither a system nor a value set');
    const all = others.reduce(intersect, first);
    // All codes of a system that the imported sets have too: the system itself need not be known.
    return system === undefined ? all : new Map([...all].filter(([one]) => one === system));
  }

  function expandAll(includes: readonly Include[], underWay: readonly string[]): Parts | NotExpanded {
    const parts: Parts[] = [];
    for (const include of includes) {
      const found = expandInclude(include, underWay);
      if (isNotExpanded(found)) return found;
      parts.push(found);
    }
    return unite(parts);
  }

  function expandDefinition(
    { include, exclude, listed }: Definition,
    underWay: readonly string[],
  ): Parts | NotExpanded {
    if (include.length === 0) return listed ?? cannot('it has no definition, and no complete expansion');
    const included = expandAll(include, underWay);
    if (isNotExpanded(included)) return listed ?? included;
    const excluded = expandAll(exclude, underWay);
    if (isNotExpanded(excluded)) return listed ?? excluded;
    return excluded.size === 0 ? included : subtract(included, excluded);
  }

  function definitionOf(url: string, version: string | undefined): Definition | NotExpanded {
    const loaded = choose(sets.get(url), version);
    if (loaded !== undefined) {
      const { compose, expansion } = loaded;
      const listed = isWhole(loaded)
        ? unite([...listExpansion(expansion?.contains)].map(([system, codes]) => partOfListed(system, codes)))
        : undefined;
      return {
        include: (compose?.include ?? []).map(readInclude),
        exclude: (compose?.exclude ?? []).map(readInclude),
        ...(listed === undefined ? {} : { listed }),
      };
    }
    const shipped = hl7ValueSet(url);
    if (shipped !== undefined && isVersion(shipped.version, version)) return readRow(shipped);
    return (
      listedByR4(url, version) ??
      cannot(`the value set ${url}${version === undefined ? '' : `|${version}`} is not loaded`)
    );
  }

  /** R4's own required sets, whose members the validator's table lists. */
  function listedByR4(url: string, version: string | undefined): Definition | undefined {
    const name = url.slice(url.lastIndexOf('/') + 1);
    const { valueSets } = loadDefinitions();
    const isR4 = url === `http://hl7.org/fhir/ValueSet/${name}` && isVersion('4.0.1', version);
    const codes = isR4 && Object.hasOwn(valueSets, name) ? valueSets[name] : undefined;
    if (codes === undefined) return undefined;
    // Where only elements of type code are bound, the table does not say of which systems the codes are.
    const bySystem: [string, readonly string[]][] = isCodeList(codes) ? [[ANY_SYSTEM, codes]] : Object.entries(codes);
    const listed = unite(bySystem.map(([system, list]) => partOfListed(system, list)));
    return { include: [], exclude: [], listed };
  }

  function expandParts(canonical: string, underWay: readonly string[]): Parts | NotExpanded {
    const known = expanded.get(canonical);
    if (known !== undefined) return known;
    const [url, version] = splitCanonical(canonical);
    if (underWay.includes(url)) return cannot(`the value set ${url} contains itself`);
    if (underWay.length >= NESTED_MAX) return cannot(`it is made of sets of sets, more than ${NESTED_MAX} deep`);
    const definition = definitionOf(url, version);
    const found = isNotExpanded(definition) ? definition : expandDefinition(definition, [...underWay, url]);
    expanded.set(canonical, found);
    return found;
  }

  return {
    expand(canonical) {
      const known = members.get(canonical);
      if (known !== undefined) return known;
      const parts = expandParts(canonical, []);
      const made = isNotExpanded(parts) ? parts : membersOf(parts);
      members.set(canonical, made);
      return made;
    },
    hasCode(system, code) {
      const [url, version] = splitCanonical(system);
      const index = indexOf(url, version);
      if (index === undefined) return 'unknown';
      if (index.codes.has(index.fold(code))) return 'yes';
      return index.content === 'complete' ? 'no' : 'unknown';
    },
    isValueSet: (canonical) =>
      sets.has(withoutVersion(canonical)) || hl7ValueSet(withoutVersion(canonical)) !== undefined,
  };
}

const isCodeList = (
  codes: readonly string[] | Readonly<Record<string, readonly string[]>>,
): codes is readonly string[] => Array.isArray(codes);
