import { randomFillSync } from 'node:crypto';
import type { Chance } from './id.ts';

const POOL_BYTES = 4_096;

/**
 * Random bytes of the operating system, asked for by the pool: a call for every few bytes costs more than the bytes. No
 * byte is given twice.
 */
export function makePooledChance(): Chance {
  const pool = Buffer.alloc(POOL_BYTES);
  let at = POOL_BYTES;
  return (bytes) => {
    if (bytes > POOL_BYTES / 4) return randomFillSync(Buffer.alloc(bytes));
    if (at + bytes > POOL_BYTES) {
      randomFillSync(pool);
      at = 0;
    }
    const out = Buffer.from(pool.subarray(at, at + bytes));
    pool.fill(0, at, at + bytes);
    at += bytes;
    return out;
  };
}
