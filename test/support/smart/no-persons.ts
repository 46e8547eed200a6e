import { ok } from '../../../src/kernel/index.ts';
import type { Persons } from '../../../src/persons/index.ts';

/** An index of nobody, for what never looks for people. */
export const NO_PERSONS: Persons = {
  find: () => Promise.resolve(ok({ persons: [], total: 0, next: null })),
  notice: () => undefined,
  doubt: () => undefined,
  tend: () => Promise.resolve(),
};
