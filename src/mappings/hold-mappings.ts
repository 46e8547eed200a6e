import { fail, ok, type Result } from '../kernel/index.ts';
import type { Mappings } from './mapping.ts';
import { MappingsError, type Problem } from './problem.ts';

export interface MappingsHolder {
  /** The data in force. Ask once for each document: a reload in between must not show inside one. */
  readonly current: () => Mappings;
  /** Takes the new data when they are sound; else keeps the old and says what is wrong with the new. */
  readonly reload: () => Result<{ readonly version: string; readonly changed: 'changed' | 'same' }, readonly Problem[]>;
}

/** Loads once; throws what `load` throws. */
export function makeMappingsHolder(load: () => Mappings): MappingsHolder {
  let mappings = load();
  return {
    current: () => mappings,
    reload() {
      try {
        const next = load();
        const changed = next.version === mappings.version ? 'same' : 'changed';
        mappings = next;
        return ok({ version: next.version, changed });
      } catch (error) {
        if (error instanceof MappingsError) return fail(error.problems);
        throw error;
      }
    },
  };
}
