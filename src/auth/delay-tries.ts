import type { Clock } from '../kernel/index.ts';
import { groupOf } from './limit-tries.ts';

/** Wrong passwords for one account from one address before the next must wait. */
const FREE = 5;
/** Many addresses that try one account: each of them has one. The owner, who knows the password, needs no more. */
const FREE_UNDER_ATTACK = 1;
const ATTACK_FROM = 50;
const WAIT_FIRST_MS = 10_000;
const WAIT_MOST_MS = 5 * 60_000;
/** Beyond that many the pair that was heard of longest ago is forgotten. */
const PAIRS_MAX = 10_000;

/** Doubles with every try beyond the free ones. */
export const waitAfter = (tries: number, free: number): number =>
  tries < free ? 0 : Math.min(WAIT_MOST_MS, WAIT_FIRST_MS * 2 ** (tries - free));

export interface DelayTries {
  /**
   * Whether the try is looked at. It is counted as wrong until somebody says otherwise, so that many at once are as
   * many in a row. What was counted before the account was unlocked counts no more.
   */
  take(address: string, name: string, wrongBefore: number, unlockedAtMs?: number | null): boolean;
  /** The password was not checked, so the try does not count. */
  giveBack(address: string, name: string): void;
  /** The try was right: the pair begins anew. */
  forget(address: string, name: string): void;
}

/**
 * Makes a pair of address and account wait after wrong passwords. Nobody else waits: who guesses elsewhere cannot keep
 * the owner out, and the right password gets through once the wait is over. A name that nobody has is treated alike.
 */
export function makeDelayTries(clock: Clock): DelayTries {
  const pairs = new Map<
    string,
    { readonly tries: number; readonly untilMs: number; readonly unlockedAtMs: number | null }
  >();
  const keyOf = (address: string, name: string): string => JSON.stringify([groupOf(address), name.toLowerCase()]);

  return {
    take(address, name, wrongBefore, unlockedAtMs = null) {
      const key = keyOf(address, name);
      const now = clock.monotonicMs();
      const found = pairs.get(key);
      const known = found?.unlockedAtMs === unlockedAtMs ? found : undefined;
      if (known !== undefined && now < known.untilMs) return false;
      const tries = (known?.tries ?? 0) + 1;
      pairs.delete(key);
      const untilMs = now + waitAfter(tries, wrongBefore < ATTACK_FROM ? FREE : FREE_UNDER_ATTACK);
      pairs.set(key, { tries, untilMs, unlockedAtMs });
      const [oldest] = pairs.keys();
      if (pairs.size > PAIRS_MAX && oldest !== undefined) pairs.delete(oldest);
      return true;
    },
    giveBack(address, name) {
      const key = keyOf(address, name);
      const known = pairs.get(key);
      if (known !== undefined) pairs.set(key, { ...known, tries: known.tries - 1, untilMs: 0 });
    },
    forget: (address, name) => void pairs.delete(keyOf(address, name)),
  };
}
