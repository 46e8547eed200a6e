import type { Result } from '../kernel/index.ts';

const ENTRIES_MAX = 2_000;

type Read = (name: string, args: unknown) => Promise<Result<unknown>>;

export interface KeptAnswers {
  readonly read: Read;
  /** To be called before whoever wrote hears that it was done. */
  written(names: readonly string[]): void;
}

/**
 * Answers to reads, until a command other than those of `adding` was carried out. For a store that one process has to
 * itself.
 */
export function rememberAnswers(read: Read, adding: ReadonlySet<string>): KeptAnswers {
  const kept = new Map<string, Promise<Result<unknown>>>();
  let generation = 0;

  async function ask(key: string, name: string, args: unknown): Promise<Result<unknown>> {
    const asked = generation;
    const answer = await read(name, args);
    if (!answer.ok || asked !== generation) return answer;
    if (kept.size >= ENTRIES_MAX) kept.clear();
    kept.set(key, Promise.resolve(answer));
    return answer;
  }

  return {
    read: (name, args) => {
      const key = `${name} ${JSON.stringify(args)}`;
      return kept.get(key) ?? ask(key, name, args);
    },
    written: (names) => {
      if (names.every((name) => adding.has(name))) return;
      generation += 1;
      kept.clear();
    },
  };
}
