import pg from 'pg';
import { errorCode, type FaultCode } from '../../kernel/index.ts';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** What the server itself said; an error of a command's own making is none, whatever code or words it has. */
export const sqlState = (thrown: unknown): string | null =>
  thrown instanceof pg.DatabaseError ||
  (thrown as { constructor?: { name?: string } } | null)?.constructor?.name === 'DatabaseError'
    ? errorCode(thrown)
    : null;

/**
 * By SQLSTATE class: the fault of an answer that concerns the server as a whole; null for that of one command alone.
 */
export function storeFault(thrown: unknown): FaultCode | null {
  const state = sqlState(thrown);
  if (state === null) return null;
  if (state === '53100' || state === '53200') return 'store.full';
  // 26000: a prepared statement that this connection remembers and the server does not.
  if (/^(08|57P|53)/.test(state) || state === '25006' || state === '26000') return 'store.unreachable';
  return /^(58|XX)/.test(state) ? 'store.io' : null;
}

/**
 * Another transaction was in the way: deadlock, serialization, lock or statement timeout. The command may be tried
 * again.
 */
export const wasInTheWay = (thrown: unknown): boolean =>
  ['40P01', '40001', '55P03', '57014'].includes(sqlState(thrown) ?? '');

/** Worth waiting for at start; anything else, such as a wrong password, will not mend itself. */
export function mayComeUp(thrown: unknown): boolean {
  const state = sqlState(thrown);
  if (state !== null) return state.startsWith('57P') || state.startsWith('53');
  return (
    NETWORK.has(errorCode(thrown) ?? '') ||
    /^(timeout expired|Connection terminated)/.test((thrown as Error | undefined)?.message ?? '')
  );
}
