import { fail, fault, ok, type Clock, type Result } from '../kernel/index.ts';
import { makeIssuerMetadata } from './external.ts';
import { fetchBounded } from './fetch-bounded.ts';
import type { ExternalIssuer } from './verify-external.ts';

/** No token of anybody's. */
const NO_TOKEN = 'chartgate-check';

async function lookAtKeys(url: string): Promise<Result<null>> {
  const answer = await fetchBounded(url, { headers: { accept: 'application/json' } });
  const { keys } = (await answer.json()) as { keys?: unknown };
  return answer.status === 200 && Array.isArray(keys) && keys.length > 0 ? ok(null) : fail(fault('auth.issuer'));
}

async function lookAtIntrospection(url: string, clientId: string, secret: string): Promise<Result<null>> {
  const answer = await fetchBounded(url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ token: NO_TOKEN }).toString(),
  });
  const { active } = (await answer.json()) as { active?: unknown };
  return answer.status === 200 && active === false ? ok(null) : fail(fault('auth.issuer'));
}

/**
 * Whether an external issuer answers as the verification of its tokens needs it: metadata under its own name, and keys
 * or introspection.
 */
export async function lookAtIssuer({ issuer, check }: ExternalIssuer, clock: Clock): Promise<Result<null>> {
  const metadata = await makeIssuerMetadata(issuer, clock)();
  if (!metadata.ok) return metadata;
  try {
    return await (check.by === 'keys'
      ? lookAtKeys(check.jwksUrl)
      : lookAtIntrospection(check.url, check.clientId, check.secret.reveal()));
  } catch (cause) {
    return fail(fault('auth.issuer', { cause }));
  }
}
