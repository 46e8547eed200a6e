import { secret } from '../kernel/index.ts';
import type { SignInConfig } from './config.ts';
import type { KeyName, Settled, Values } from './keys.ts';
import type { Problem } from './read-values.ts';

type SignInProvider = NonNullable<SignInConfig['provider']>;

function toMapping(v: Settled): SignInProvider['mapping'] {
  const claim = v.CHARTGATE_SIGN_IN_USER_CLAIM;
  switch (v.CHARTGATE_SIGN_IN_PRACTITIONER) {
    case 'reference':
      return { by: 'reference', claim };
    case 'identifier':
      return { by: 'identifier', claim, system: v.CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM ?? '' };
    case 'account':
      return { by: 'account' };
  }
}

const toCredential = (v: Settled): SignInProvider['credential'] =>
  v.CHARTGATE_SIGN_IN_PRIVATE_KEY === undefined
    ? { kind: 'secret', secret: secret(v.CHARTGATE_SIGN_IN_CLIENT_SECRET ?? '') }
    : { kind: 'key', key: secret(v.CHARTGATE_SIGN_IN_PRIVATE_KEY) };

export const toSignIn = (v: Settled): SignInConfig => ({
  provider:
    v.CHARTGATE_SIGN_IN_ISSUER === undefined
      ? null
      : {
          issuer: v.CHARTGATE_SIGN_IN_ISSUER,
          clientId: v.CHARTGATE_SIGN_IN_CLIENT_ID ?? '',
          credential: toCredential(v),
          scope: v.CHARTGATE_SIGN_IN_SCOPE,
          mapping: toMapping(v),
          groupsClaim: v.CHARTGATE_SIGN_IN_GROUPS_CLAIM,
          groups: v.CHARTGATE_SIGN_IN_GROUPS ?? [],
        },
  localAccounts: v.CHARTGATE_SIGN_IN_LOCAL,
  secondFactor: v.CHARTGATE_SIGN_IN_SECOND_FACTOR,
  frameAncestors: v.CHARTGATE_FRAME_ANCESTORS ?? [],
  styleUrl: v.CHARTGATE_SMART_STYLE_URL ?? null,
});

const OF_PROVIDER = [
  'CHARTGATE_SIGN_IN_CLIENT_ID',
  'CHARTGATE_SIGN_IN_CLIENT_SECRET',
  'CHARTGATE_SIGN_IN_PRIVATE_KEY',
  'CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM',
  'CHARTGATE_SIGN_IN_GROUPS',
] as const;

/** What of the settings for users of apps does not go together. */
export function checkSignIn(v: Values, has: (key: KeyName) => boolean): Problem[] {
  const problems: Problem[] = [];
  const problem = (key: KeyName, text: string): void => void problems.push({ key, text });
  const isEmbedded = v.CHARTGATE_AUTH_ISSUER === 'embedded' || v.CHARTGATE_AUTH_ISSUER === undefined;
  const all = ['CHARTGATE_SIGN_IN_ISSUER', 'CHARTGATE_FRAME_ANCESTORS', 'CHARTGATE_SMART_STYLE_URL'] as const;
  if (!isEmbedded)
    for (const key of all.filter(has)) problem(key, 'has no effect with an external CHARTGATE_AUTH_ISSUER');
  if (has('CHARTGATE_FRAME_ANCESTORS') && v.CHARTGATE_PUBLIC_URL?.startsWith('https:') !== true)
    problem('CHARTGATE_FRAME_ANCESTORS', 'needs an https CHARTGATE_PUBLIC_URL: in a frame, cookies go over TLS alone');
  if (!has('CHARTGATE_SIGN_IN_ISSUER')) {
    for (const key of OF_PROVIDER.filter(has)) problem(key, 'has no effect without CHARTGATE_SIGN_IN_ISSUER');
    if (v.CHARTGATE_SIGN_IN_LOCAL === 'off') problem('CHARTGATE_SIGN_IN_LOCAL', 'is off, and nobody could sign in');
    return problems;
  }
  if (!has('CHARTGATE_SIGN_IN_CLIENT_ID'))
    problem('CHARTGATE_SIGN_IN_CLIENT_ID', 'is needed by CHARTGATE_SIGN_IN_ISSUER');
  if (has('CHARTGATE_SIGN_IN_CLIENT_SECRET') === has('CHARTGATE_SIGN_IN_PRIVATE_KEY'))
    problem(
      'CHARTGATE_SIGN_IN_CLIENT_SECRET',
      'or CHARTGATE_SIGN_IN_PRIVATE_KEY, one of them, is needed by CHARTGATE_SIGN_IN_ISSUER',
    );
  const isByIdentifier = v.CHARTGATE_SIGN_IN_PRACTITIONER === 'identifier';
  if (isByIdentifier !== has('CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM'))
    problem('CHARTGATE_SIGN_IN_IDENTIFIER_SYSTEM', 'and CHARTGATE_SIGN_IN_PRACTITIONER=identifier go together');
  return problems;
}
