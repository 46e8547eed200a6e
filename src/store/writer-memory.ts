/** Something that commands remember, and how it is when nothing is remembered yet. */
export interface Memorable<T> {
  readonly fresh: () => T;
}

export interface WriterMemory {
  /** The same value at each call, for the command to change, until everything is forgotten. */
  recall<T>(what: Memorable<T>): T;
  /** To be called whenever anything that this writer did was undone, or may have been. */
  forget(): void;
}

/**
 * What commands know of the database because they wrote it themselves, from one to the next. A writer that loses its
 * connection has lost its memory with it.
 */
export function makeWriterMemory(): WriterMemory {
  const kept = new Map<Memorable<unknown>, unknown>();
  return {
    recall<T>(what: Memorable<T>): T {
      const known = kept.get(what) as T | undefined;
      if (known !== undefined) return known;
      const fresh = what.fresh();
      kept.set(what, fresh);
      return fresh;
    },
    forget: () => kept.clear(),
  };
}
