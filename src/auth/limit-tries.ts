import { isIPv6 } from 'node:net';
import type { Clock } from '../kernel/index.ts';

export interface Allowance {
  /** So many at once. */
  readonly most: number;
  /** And from then on one in this time. */
  readonly everyMs: number;
}
/** The limit for wrong passwords. A whole ward behind one address makes fewer mistakes than this. */
export const SIGN_INS: Allowance = { most: 30, everyMs: 10_000 };
/**
 * Requests of apps: each is kept for half an hour, whoever made it. A hospital behind one address starts fewer apps.
 */
export const REQUESTS: Allowance = { most: 600, everyMs: 100 };
/**
 * Beyond that many the address that was heard of longest ago is forgotten: what is remembered does not grow with an
 * attack.
 */
const ADDRESSES_MAX = 10_000;

/** Addresses of IPv6 count by their /64, which one client usually owns. */
export function groupOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.toLowerCase().split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter((one) => one !== ''));
  const zeros = Array<string>(Math.max(0, 8 - (first?.length ?? 0) - (last?.length ?? 0))).fill('0');
  const whole = [...(first ?? []), ...(plain.includes('::') ? zeros : []), ...(last ?? [])];
  return whole
    .slice(0, 4)
    .map((one) => one.replace(/^0+(?=.)/, ''))
    .join(':');
}

export interface LimitTries {
  /** Whether the address may try once more; the try is counted. */
  take(address: string): boolean;
  /** The try was right, so that it does not count. */
  giveBack(address: string): void;
}

/** Limits tries by address: one password on many names, or authorization requests that are never continued. */
export function makeLimitTries(clock: Clock, { most, everyMs }: Allowance): LimitTries {
  /** When the last of its tries will have been forgiven. */
  const untilMs = new Map<string, number>();
  function keep(address: string, until: number): void {
    untilMs.delete(address);
    untilMs.set(address, until);
    const [oldest] = untilMs.keys();
    if (untilMs.size > ADDRESSES_MAX && oldest !== undefined) untilMs.delete(oldest);
  }
  return {
    take(address) {
      const now = clock.monotonicMs();
      const group = groupOf(address);
      const until = Math.max(now, untilMs.get(group) ?? now) + everyMs;
      if (until - now > most * everyMs) return false;
      keep(group, until);
      return true;
    },
    giveBack(address) {
      const group = groupOf(address);
      const until = untilMs.get(group);
      if (until !== undefined) keep(group, until - everyMs);
    },
  };
}
