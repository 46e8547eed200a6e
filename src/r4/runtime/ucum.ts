import { createRequire } from 'node:module';

/** Loaded with the first unit: it takes 30 ms and 15 MB, which a process that meets no unit need not spend. */
const require = createRequire(import.meta.url);

/** Real feeds use some hundreds of units. When the cache is full it starts again: bounded, and no book-keeping per hit. */
const CACHE_MAX = 2_000;
const CODE_LENGTH_MAX = 200;
const known = new Map<string, boolean>();

interface UcumUtils {
  validateUnitString(code: string): { readonly status: string; readonly ucumCode: string | null };
}

let utils: UcumUtils | undefined;

function askLibrary(code: string): boolean {
  // The library prints to the console on blanks, and takes long on long input.
  if (code.length > CODE_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(code)) return false;
  utils ??= (require('@lhncbc/ucum-lhc') as { UcumLhcUtils: { getInstance(): UcumUtils } }).UcumLhcUtils.getInstance();
  try {
    const answer = utils.validateUnitString(code);
    return answer.status === 'valid' && answer.ucumCode === code;
  } catch {
    return false;
  }
}

/** Whether `code` is a valid, case-sensitive UCUM code. */
export function isUcum(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  const before = known.get(code);
  if (before !== undefined) return before;
  if (known.size >= CACHE_MAX) known.clear();
  const isValid = askLibrary(code);
  known.set(code, isValid);
  return isValid;
}
