import { hash } from 'node:crypto';

/** RFC 9562, version 8: the same parts have the same UUID. */
export function stableUuid(...parts: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify(parts));
  const variant = ((parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
