import {
  CONTENT_PARTS,
  differingParts,
  hasPart,
  type ChartContent,
  type ContentPart,
  type Fingerprint,
} from '../lanes/index.ts';

/**
 * How an EHR changes what it is given, as seen when it showed what it made of first writes: parts of the content that
 * it gives back otherwise than they were sent are not held against it later. And whether a search finds what was just
 * written.
 */
export interface EhrHabits {
  /** The software that behaves so: another one is learnt anew. */
  readonly software: string;
  readonly types: Readonly<Record<string, TypeHabits>>;
  readonly search: SearchHabit;
  /**
   * `empty`: asked for a minimal answer to a Bundle, it gives none at all, and nobody knows what became of the entries.
   */
  readonly minimal: 'said' | 'empty';
}
export interface TypeHabits {
  /** Parts that were sent at least once and seen again. */
  readonly seen: readonly ContentPart[];
  readonly changed: readonly ContentPart[];
}
/** How often in a row a search found what had just been written; `delayed` once it did not. */
export type SearchHabit = number | 'delayed';

export const noHabits = (software: string): EhrHabits => ({ software, types: {}, search: 0, minimal: 'said' });

/**
 * What makes a statement the statement that it is. An EHR that changes these is told of, and is never believed about
 * them blindly.
 */
export const ESSENTIAL_PARTS: ReadonlySet<ContentPart> = new Set(['status', 'subject', 'value', 'components']);

const of = ({ types }: EhrHabits, type: string): TypeHabits => types[type] ?? { seen: [], changed: [] };

/** Whether this has a part of which it is not known yet what the EHR makes of it. */
export const isNewToEhr = (habits: EhrHabits, type: string, print: Fingerprint): boolean =>
  CONTENT_PARTS.some((part) => hasPart(print, part) && !of(habits, type).seen.includes(part));

/** After the EHR has shown what it made of a resource that we created. The same object where nothing is new. */
export function learnChanges(habits: EhrHabits, type: string, sent: ChartContent, shown: ChartContent): EhrHabits {
  const { seen, changed } = of(habits, type);
  const news = CONTENT_PARTS.filter((part) => sent[part] !== undefined && !seen.includes(part));
  const differ = CONTENT_PARTS.filter((part) => sent[part] !== shown[part] && !changed.includes(part));
  if (news.length === 0 && differ.length === 0) return habits;
  return {
    ...habits,
    types: { ...habits.types, [type]: { seen: [...seen, ...news], changed: [...changed, ...differ] } },
  };
}

const SEARCHES_ENOUGH = 3;
export const isSearchKnown = ({ search }: EhrHabits): boolean => search === 'delayed' || search >= SEARCHES_ENOUGH;
export const findsImmediately = ({ search }: EhrHabits): boolean => search !== 'delayed' && search >= SEARCHES_ENOUGH;

/** After a search for what had just been written. */
export function learnSearch(habits: EhrHabits, found: 'found' | 'not-found'): EhrHabits {
  if (found === 'not-found') return { ...habits, search: 'delayed' };
  return habits.search === 'delayed' ? habits : { ...habits, search: habits.search + 1 };
}

/** What tells nothing of who wrote a resource of this type. */
export interface Excused {
  /** The EHR changes these by itself, or it is not known yet whether it does. */
  readonly always: readonly ContentPart[];
  /** It was never seen what the EHR makes of these: where both sides have one, the EHR may have rewritten it. */
  readonly whereBoth: readonly ContentPart[];
}

const NOT_ESSENTIAL = CONTENT_PARTS.filter((part) => !ESSENTIAL_PARTS.has(part));

/** `seen`: only what the EHR was seen to change. `unseen-too`: also what it was never seen to leave as it is. */
export function excusedParts(habits: TypeHabits | null, how: 'seen' | 'unseen-too'): Excused {
  if (habits === null) return { always: how === 'seen' ? [] : NOT_ESSENTIAL, whereBoth: [] };
  return {
    always: NOT_ESSENTIAL.filter((part) => habits.changed.includes(part)),
    whereBoth: how === 'seen' ? [] : NOT_ESSENTIAL.filter((part) => !habits.seen.includes(part)),
  };
}

/**
 * After the EHR's software has changed: what it changed it may still change, and everything else is to be seen anew.
 */
export const habitsOfNextSoftware = (habits: EhrHabits, software: string): EhrHabits => ({
  ...habits,
  software,
  types: Object.fromEntries(Object.entries(habits.types).map(([type, { changed }]) => [type, { seen: [], changed }])),
  search: habits.search === 'delayed' ? 'delayed' : 0,
});

/** Whether two say the same, but for what the EHR changes by itself. */
export const saysSame = (a: Fingerprint, b: Fingerprint, { always, whereBoth }: Excused): boolean =>
  a === b ||
  differingParts(a, b).every(
    (part) => always.includes(part) || (whereBoth.includes(part) && hasPart(a, part) && hasPart(b, part)),
  );

const union = (a: readonly ContentPart[], b: readonly ContentPart[]): ContentPart[] => [...new Set([...a, ...b])];

/** What two processes have learnt of the same EHR. */
export function joinHabits(a: EhrHabits, b: EhrHabits): EhrHabits {
  const types = new Set([...Object.keys(a.types), ...Object.keys(b.types)]);
  const joined = [...types].map((type): [string, TypeHabits] => {
    const [one, other] = [of(a, type), of(b, type)];
    return [type, { seen: union(one.seen, other.seen), changed: union(one.changed, other.changed) }];
  });
  const search = a.search === 'delayed' || b.search === 'delayed' ? 'delayed' : Math.max(a.search, b.search);
  const minimal = a.minimal === 'empty' || b.minimal === 'empty' ? 'empty' : 'said';
  return { software: a.software, types: Object.fromEntries(joined), search, minimal };
}

/** The form in which habits are stored, and read again; null where it cannot be read. */
export const habitsToText = (habits: EhrHabits): string => JSON.stringify(habits);
export function habitsFromText(text: string): EhrHabits | null {
  try {
    const { software, types, search, minimal } = JSON.parse(text) as Omit<EhrHabits, 'minimal'> & { minimal: unknown };
    const isKnown = (parts: unknown): boolean =>
      Array.isArray(parts) && parts.every((part) => (CONTENT_PARTS as readonly unknown[]).includes(part));
    const isSound =
      typeof software === 'string' &&
      (search === 'delayed' || Number.isInteger(search)) &&
      Object.values(types).every(({ seen, changed }) => isKnown(seen) && isKnown(changed));
    return isSound ? { software, types, search, minimal: minimal === 'empty' ? 'empty' : 'said' } : null;
  } catch {
    return null;
  }
}
