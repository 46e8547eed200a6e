import { z } from 'zod';
import { list, open, secretKey, set, tokenAddress, words } from './key-kinds.ts';

/** Who operates the gateway, and by which proof. */
export const OPERATOR_KEYS = {
  CHARTGATE_OPERATOR_SECOND_FACTOR: set(
    'word',
    'administrators',
    'of which operators a second factor is asked: `administrators`, `everybody` or `nobody`; who has one is always asked',
    words('administrators', 'everybody', 'nobody'),
  ),
  CHARTGATE_OPERATOR_ISSUER: open('address', 'an OpenID provider at which operators sign in too', tokenAddress),
  CHARTGATE_OPERATOR_CLIENT_ID: open('text', 'our client there'),
  CHARTGATE_OPERATOR_CLIENT_SECRET: secretKey('text', 'and its secret'),
  CHARTGATE_OPERATOR_GROUPS_CLAIM: set(
    'text',
    'groups',
    'the claim that names the groups of a person',
    z.string().regex(/^[^\s"\\]{1,200}$/, 'must be the name of a claim'),
  ),
  CHARTGATE_OPERATOR_GROUPS: open(
    'list of group=role',
    'which group has which role, such as `it-interfaces=engineer,it-leads=administrator`; a group may have several',
    list.pipe(
      z.array(
        z
          .string()
          .regex(
            /^[^=]+=(?:viewer|engineer|clinical-reviewer|registrar|auditor|administrator)$/,
            'must be group=role with a role that exists',
          ),
      ),
    ),
  ),
} as const;
