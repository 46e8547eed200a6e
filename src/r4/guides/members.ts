/** Codes of one system. Those of a system that ignores case are in lower case. */
export interface Part {
  readonly codes: ReadonlySet<string>;
  readonly isFolded: boolean;
}

/** System → its codes that are in a set. Parts are shared between sets and never changed. */
export type Parts = ReadonlyMap<string, Part>;

/** The members of a value set. */
export interface Members {
  /** Without a system: as `hasCode`. */
  readonly has: (system: string | undefined, code: string) => boolean;
  /** Whether any system has the code in this set: for elements of type code, which name no system. */
  readonly hasCode: (code: string) => boolean;
  readonly size: number;
  readonly systems: readonly string[];
}

const partHas = ({ codes, isFolded }: Part, code: string): boolean => codes.has(isFolded ? code.toLowerCase() : code);

/** What both sets have. The smaller one is walked. */
export function commonOf(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  if (one === other) return one;
  const [few, many] = one.size <= other.size ? [one, other] : [other, one];
  return new Set(few.keys().filter((code) => many.has(code)));
}

/** What the first set has and the second has not. */
export const restOf = (one: ReadonlySet<string>, without: ReadonlySet<string>): ReadonlySet<string> =>
  without.size === 0 ? one : new Set(one.keys().filter((code) => !without.has(code)));

/** Where a list does not say of which system its codes are, they are of any. */
export const ANY_SYSTEM = '';

export function membersOf(parts: Parts): Members {
  const all = [...parts.values()];
  const hasCode = (code: string): boolean => all.some((part) => partHas(part, code));
  return {
    hasCode,
    has(system, code) {
      if (system === undefined) return hasCode(code);
      const part = parts.get(system) ?? parts.get(ANY_SYSTEM);
      return part !== undefined && partHas(part, code);
    },
    size: all.reduce((sum, { codes }) => sum + codes.size, 0),
    systems: [...parts.keys()],
  };
}

export function unite(all: readonly Parts[]): Parts {
  const united = new Map<string, Part>();
  /** Sets that were made here, and may still grow; all others are shared. */
  const growing = new Map<string, Set<string>>();
  for (const parts of all)
    for (const [system, part] of parts) {
      const known = united.get(system);
      if (known === undefined) {
        united.set(system, part);
        continue;
      }
      const codes = growing.get(system) ?? new Set(known.codes);
      for (const code of part.codes) codes.add(code);
      growing.set(system, codes);
      united.set(system, { ...part, codes });
    }
  return united;
}

const keep = (parts: Parts, change: (system: string, part: Part) => ReadonlySet<string>): Parts =>
  new Map(
    [...parts].flatMap(([system, part]) => {
      const codes = change(system, part);
      return codes.size === 0 ? [] : [[system, { ...part, codes }] as const];
    }),
  );

const NONE: ReadonlySet<string> = new Set();

export const intersect = (one: Parts, other: Parts): Parts =>
  keep(one, (system, { codes }) => commonOf(codes, other.get(system)?.codes ?? NONE));

export const subtract = (one: Parts, other: Parts): Parts =>
  keep(one, (system, { codes }) => restOf(codes, other.get(system)?.codes ?? NONE));
