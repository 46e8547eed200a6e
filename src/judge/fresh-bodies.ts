import { dropBytes, MEMORY, type Budget, type Room } from '../kernel/index.ts';
import type { FreshDelivery } from '../inbox/index.ts';

interface Held {
  readonly fresh: FreshDelivery;
  readonly room: Room;
}

export interface TakenFresh {
  readonly one: FreshDelivery;
  readonly onJudged: () => void;
}

/**
 * Keeps the bytes of deliveries between their acknowledgement and their verdict, so that they are not read back from
 * the store, opened and copied between threads. The store has them all: what is not kept here, because memory is short
 * or the process ends, is read from there.
 */
export function makeFreshBodies(budget: Budget) {
  let held: Held[] = [];
  /** Something that is to be judged may be in the store alone: below the oldest that is held, or anywhere. */
  const missing = { below: false, anywhere: false };

  /** The newest, since it is judged last. */
  function giveWay(): boolean {
    const newest = held.pop();
    if (newest === undefined) return false;
    missing.anywhere = true;
    newest.room.release();
    dropBytes(newest.fresh.body);
    return true;
  }
  budget.onShortage(giveWay);

  return {
    keep(fresh: FreshDelivery): void {
      const room = budget.takeNow(fresh.body.byteLength * MEMORY.cost.document);
      if (room === null) {
        missing.anywhere = true;
        dropBytes(fresh.body);
      } else held.push({ fresh, room });
    },
    /** Something may be in the store that never was here: `anywhere` where it was stored after what is held. */
    miss(where: keyof typeof missing): void {
      missing[where] = true;
    },
    isMissing: (): boolean => missing.below || missing.anywhere,
    /** Whether the store is to be asked for what is below the oldest that is held. */
    takeMissing(): boolean {
      const was = missing.below || missing.anywhere;
      missing.below = false;
      if (held.length === 0) missing.anywhere = false;
      return was;
    },
    /** Everything below this place must be asked for; null: everything. */
    oldestSeq: (): number | null => held[0]?.fresh.seq ?? null,
    /** The next of them in the order of arrival. The room of each is given back by `onJudged`. */
    take(countMax: number): readonly TakenFresh[] {
      const taken = held.slice(0, countMax);
      held = held.slice(countMax);
      return taken.map(({ fresh, room }) => ({ one: fresh, onJudged: () => room.release() }));
    },
  };
}
export type FreshBodies = ReturnType<typeof makeFreshBodies>;
