import { isError, type FaultCode } from '../../kernel/index.ts';

/** Primary result codes, https://sqlite.org/rescode.html; the low byte of an extended code. */
const PRIMARY: Readonly<Record<number, FaultCode>> = {
  5: 'store.busy',
  6: 'store.busy',
  7: 'store.io',
  8: 'store.io',
  10: 'store.io',
  11: 'store.io',
  13: 'store.full',
  14: 'store.io',
  26: 'store.io',
};

/** A flush that failed may have dropped the pages that it was for; trying again would report success for nothing. */
const FLUSH_FAILED = new Set([1034 /* IOERR_FSYNC */, 1290 /* IOERR_DIR_FSYNC */]);
const CORRUPT = new Set([11, 26]);

const codeOf = (thrown: unknown): number | null =>
  isError(thrown) && 'errcode' in thrown && typeof thrown.errcode === 'number' ? thrown.errcode : null;

/** The fault of an error that concerns the database as a whole; null for the fault of one command alone. */
export function storeFault(thrown: unknown): FaultCode | null {
  const code = codeOf(thrown);
  return code === null ? null : (PRIMARY[code & 0xff] ?? null);
}

/** After this nothing that the file says can be trusted in this process. */
export function isBeyondTrust(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code !== null && (FLUSH_FAILED.has(code) || CORRUPT.has(code & 0xff));
}
