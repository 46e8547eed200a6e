import type { OwnAddress } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';

/** A million resources of one type: more than any chart has. */
const PAGES_MAX = 5_000;

/** Asked with each address at which a search goes on: an EHR whose pages lead back, or never end, is not followed. */
export function makeBoundPages(max = PAGES_MAX): (next: OwnAddress | null) => Result<OwnAddress | null> {
  const seen = new Set<string>();
  return (next) => {
    if (next === null) return ok(null);
    const address = JSON.stringify([next.path, next.query]);
    if (seen.has(address) || seen.size >= max) return fail(fault('ehr.answer-too-large'));
    seen.add(address);
    return ok(next);
  };
}
