import { MEMORY, ROOM_WAIT_MS, type Budget, type Room } from '../kernel/index.ts';

/** Most answers are smaller than this. It is reserved before the EHR is asked. */
const FIRST_BYTES = 256 * 1024;
const STEP_BYTES = 1024 * 1024;

/** Room for one answer of the EHR, whose size is unknown until it has arrived. */
export interface Meter {
  /** Whether so many bytes more may come; false where there was no room for them in time. */
  readonly admit: (bytes: number) => true | Promise<boolean>;
  readonly isRefused: () => boolean;
  release(): void;
}

/** Null where there is no room to begin with. */
export async function meterAnswer(budget: Budget): Promise<Meter | null> {
  const rooms: Room[] = [];
  let left = 0;
  let isRefused = false;

  async function widen(bytes: number): Promise<boolean> {
    const room = await budget.take(bytes * MEMORY.cost.answer, ROOM_WAIT_MS);
    if (room === null) isRefused = true;
    else {
      rooms.push(room);
      left += bytes;
    }
    return room !== null;
  }

  if (!(await widen(FIRST_BYTES))) return null;
  return {
    admit(bytes) {
      left -= bytes;
      return left >= 0 ? true : widen(Math.max(STEP_BYTES, -left));
    },
    isRefused: () => isRefused,
    release() {
      for (const room of rooms.splice(0)) room.release();
    },
  };
}
