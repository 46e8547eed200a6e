import {
  makeScanSearchset,
  type LocatedElement,
  type ScannedEntry,
  type ScannedSearchset,
  type ScanSearchset,
} from '../r4/index.ts';
import { elementsOf, isMetByPart, unmetBy, type PageRule } from './check-page.ts';
import { isId, type Search } from './read-request.ts';
import { NAMES_OF_ADDRESSES, type RewriteText } from './rewrite-addresses.ts';
import type { TypeRule } from './served-types.ts';
import type { Json } from './whose.ts';

/**
 * Checks a page on its bytes. Null: it is not beyond doubt, and `checkPage` decides. A page that is passed is one of
 * which `checkPage` would show every entry, and of which nothing would be rewritten.
 */
export type PassPage = (bytes: Uint8Array) => ScannedSearchset | null;

/** The one element of a resource that says whose it is; null where it takes more to know. */
function subjectOf(rule: TypeRule | undefined): string | null {
  if (rule?.kind !== 'subject') return null;
  const [path, ...paths] = rule.subject.paths;
  const [name, ...steps] = path?.steps ?? [];
  return path?.choice === null && paths.length + steps.length === 0 ? (name ?? null) : null;
}

/** Whether type and patient are all that its answer is checked by, and nothing comes along or is cut. */
const isPlain = ({ search, filters }: PageRule): boolean =>
  search.include.length === 0 &&
  search.revinclude === 'none' &&
  search.reverse.length === 0 &&
  search.elements === null &&
  search.summary === 'false' &&
  search.clauses.every(([name]) => name !== '_id') &&
  filters.every((filter) => filter.length === 0);

const SCANS_MAX = 200;
const ASCII = /^[\x00-\x7f]*$/;

const parseJson = (latin1: string): Json =>
  JSON.parse(ASCII.test(latin1) ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8')) as Json;

/**
 * Whether entries meet the conditions of a search. What these look at is mostly in few elements, which neighbours on a
 * page have in common: those alone are read, and the same only once. Else the whole resource is.
 */
function makeMeets(rule: PageRule, text: string): (entry: ScannedEntry) => boolean {
  /** Of the last entry that met them by these alone. */
  let met: readonly LocatedElement[] | null = null;
  const textOf = ({ start, end }: LocatedElement): string => text.slice(start, end);
  const isSame = (one: LocatedElement, other: LocatedElement | undefined): boolean =>
    other !== undefined && one.name === other.name && textOf(one) === textOf(other);

  return ({ type, start, end, located }) => {
    const before = met;
    if (before?.length === located.length && located.every((one, n) => isSame(one, before[n]))) return true;
    let part = `{"resourceType":"${type}"`;
    for (const one of located) part += `,"${one.name}":${textOf(one)}`;
    if (isMetByPart(parseJson(`${part}}`), rule)) {
      met = located;
      return true;
    }
    return unmetBy(parseJson(text.slice(start, end)), rule) === null;
  };
}

/** Makes what passes the pages of a search; null where none of its pages may be passed. */
export function makePassPages(rewriteText: RewriteText): (rule: PageRule) => PassPage | null {
  const scans = new Map<string, ScanSearchset>();

  function scanFor(search: Search, subject: string): ScanSearchset {
    let key = `${subject} ${search.type}`;
    for (const [name] of search.clauses) key += ` ${name}`;
    for (const [name] of search.evaluated) key += ` ${name}`;
    const known = scans.get(key);
    if (known !== undefined) return known;
    const scan = makeScanSearchset({
      subject,
      watched: NAMES_OF_ADDRESSES,
      stays: (value, name, within) => rewriteText(value, name, within) === value,
      located: elementsOf(search),
    });
    if (scans.size >= SCANS_MAX) scans.clear();
    scans.set(key, scan);
    return scan;
  }

  return (rule) => {
    const { search, served, patient } = rule;
    const subject = subjectOf(served.get(search.type));
    if (subject === null || patient === null || !isId(patient) || !isPlain(rule)) return null;
    const scan = scanFor(search, subject);
    const reference = `Patient/${patient}`;
    const isConditional = search.clauses.length + search.evaluated.length > 0;
    return (bytes) => {
      const page = scan(bytes);
      if (page === null) return null;
      const seen = new Set<string>();
      for (const { type, id, subject: of } of page.entries) {
        if (type !== search.type || of !== reference || !isId(id) || seen.has(id)) return null;
        seen.add(id);
      }
      return isConditional && !page.entries.every(makeMeets(rule, page.text)) ? null : page;
    };
  };
}
