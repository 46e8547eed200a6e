import type Provider from 'oidc-provider';
import type { Visit } from './visit.ts';

/** The session of the browser; a new one, of nobody, where it has none. */
export const sessionOf = (provider: Provider, { request, response }: Pick<Visit, 'request' | 'response'>) =>
  provider.Session.get(provider.createContext(request, response));

/**
 * Ends the session, and with it every token that was to end with it. Answers whose it was; null where nobody was signed
 * in.
 */
export async function endSession(provider: Provider, visit: Visit): Promise<string | null> {
  const session = await sessionOf(provider, visit);
  const { accountId } = session;
  if (accountId === undefined) return null;
  await session.destroy();
  return accountId;
}
