import { errorCode, isError, type FaultCode } from '../../kernel/index.ts';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code);

/** The server answered, so it is known what became of the statement. */
export const wasAnswered = (thrown: unknown): boolean => {
  const code = errorCode(thrown);
  return code !== null && isSqlState(code) && !code.startsWith('08') && !code.startsWith('57P');
};

/** The fault of an error that concerns the server as a whole; null for the fault of one command alone. SQLSTATE by class. */
export function storeFault(thrown: unknown): FaultCode | null {
  const code = errorCode(thrown);
  // pg throws plain errors for a connection that ended under a query.
  if (code === null)
    return isError(thrown) && /connection|timeout|ended|closed/i.test(thrown.message) ? 'store.unreachable' : null;
  if (NETWORK.has(code)) return 'store.unreachable';
  if (code === '53100' || code === '53200') return 'store.full';
  if (code.startsWith('08') || code.startsWith('57P') || code.startsWith('53')) return 'store.unreachable';
  if (code.startsWith('58') || code.startsWith('XX')) return 'store.io';
  if (code === '25006') return 'store.unreachable';
  return null;
}

/** Another transaction was in the way: the command may be tried again. Deadlock, serialization, lock or statement timeout. */
export const wasInTheWay = (thrown: unknown): boolean => ['40P01', '40001', '55P03', '57014'].includes(errorCode(thrown) ?? '');

/** Worth waiting for at start; anything else, such as a wrong password, will not mend itself. */
export const mayComeUp = (thrown: unknown): boolean => {
  const code = errorCode(thrown);
  return storeFault(thrown) === 'store.unreachable' || (code !== null && code.startsWith('57P'));
};
