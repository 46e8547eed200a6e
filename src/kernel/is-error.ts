/** Also true of errors that were made in another realm or thread, of which `instanceof` knows nothing. */
export const isError = (thrown: unknown): thrown is Error =>
  thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';

/** The `code` that Node, PostgreSQL and others put on their errors, as text. */
export function errorCode(thrown: unknown): string | null {
  if (!isError(thrown) || !('code' in thrown)) return null;
  return typeof thrown.code === 'string' || typeof thrown.code === 'number' ? String(thrown.code) : null;
}
