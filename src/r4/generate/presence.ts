const BITS = 30;

/** Hands out the bits in which a generated function remembers what it saw. */
export interface Presence {
  readonly mark: (name: string) => string;
  readonly test: (name: string) => string;
  /** `let` line, and the arguments that carry the bits into an invariant's own function. */
  readonly declare: () => string;
  readonly variables: () => string;
}

export function makePresence(names: readonly string[]): Presence {
  const index = new Map(names.map((name, i) => [name, i]));
  const words = Math.max(1, Math.ceil(names.length / BITS));
  const variables = Array.from({ length: words }, (_, i) => `m${i}`);
  const place = (name: string): { word: string; mask: number } | null => {
    const i = index.get(name);
    return i === undefined ? null : { word: `m${Math.floor(i / BITS)}`, mask: 2 ** (i % BITS) };
  };
  return {
    mark: (name) => {
      const at = place(name);
      return at === null ? '' : `${at.word}|=${at.mask};`;
    },
    test: (name) => {
      const at = place(name);
      if (at === null) throw new Error(`No bit for ${name}`);
      return `((${at.word}&${at.mask})!==0)`;
    },
    declare: () => `let n=0,${variables.map((v) => `${v}=0`).join()};`,
    variables: () => variables.join(),
  };
}
