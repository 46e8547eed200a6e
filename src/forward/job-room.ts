import { MEMORY, ROOM_WAIT_MS, type Budget, type Room } from '../kernel/index.ts';
import type { Claimed } from '../lanes/index.ts';

/** Whatever is smaller than this costs nothing worth waiting for. */
const SMALL_BYTES = 64 * 1024;
/**
 * A body comes with its claim, before anybody knows its size: after more than this, lanes are claimed one at a time.
 */
const CLAIM_BYTES = 1024 * 1024;
const CLAIM = { first: 4, most: 16 } as const;

const NOTHING_HELD: Room = { release: () => undefined };
const bytesOf = ({ body }: Claimed): number => (body instanceof Uint8Array ? body.byteLength : 0);

/** What lanes take of the memory: a document is read and translated again where it was not kept from judging. */
export function makeJobRoom(budget: Budget) {
  let waiting = 0;
  let atOnce: number = CLAIM.first;
  return {
    /** How many lanes one claim may bring: none while a body that came with the last one waits for room. */
    claimable: (): number => (waiting > 0 ? 0 : atOnce),
    /** What a claim brought. */
    learn(claimed: readonly Claimed[]): void {
      const bytes = claimed.reduce((sum, one) => sum + bytesOf(one), 0);
      atOnce = bytes > CLAIM_BYTES ? 1 : Math.min(CLAIM.most, atOnce * 2);
    },
    /** Null where there was no room in time: the lane is given back, and another process may have some. */
    async take(claimed: Claimed): Promise<Room | null> {
      const bytes = bytesOf(claimed);
      if (bytes <= SMALL_BYTES) return NOTHING_HELD;
      waiting += 1;
      return budget.take(bytes * MEMORY.cost.document, ROOM_WAIT_MS).finally(() => (waiting -= 1));
    },
  };
}
export type JobRoom = ReturnType<typeof makeJobRoom>;
