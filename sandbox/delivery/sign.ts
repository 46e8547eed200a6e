import { createHmac } from 'node:crypto';

/**
 * Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body, so that a receiver sees who
 * sent it and that nobody changed it. The key is base64 behind `whsec_`.
 */
export function signDelivery(
  key: string,
  id: string,
  timestampS: number,
  body: string,
): Readonly<Record<string, string>> {
  const secret = Buffer.from(key.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', secret).update(`${id}.${timestampS}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': `v1,${digest}` };
}
