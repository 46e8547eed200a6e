import { createHmac } from 'node:crypto';
import type { Chance } from '../kernel/index.ts';
import type { SigningSecret } from './subscription.ts';

/* Standard Webhooks: https://www.standardwebhooks.com */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newSecret = (chance: Chance): string => `${PREFIX}${Buffer.from(chance(SECRET_BYTES)).toString('base64')}`;

/** Every secret that is still good signs: who has either verifies. */
export function signatureHeaders(
  message: { readonly id: string; readonly body: string; readonly at: Date },
  secrets: readonly SigningSecret[],
): Readonly<Record<string, string>> {
  const seconds = Math.floor(message.at.getTime() / 1_000);
  const signatures = secrets
    .filter(({ untilMs }) => untilMs === null || untilMs > message.at.getTime())
    .map(({ value }) => {
      const key = Buffer.from(value.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${message.id}.${seconds}.${message.body}`).digest('base64')}`;
    });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
