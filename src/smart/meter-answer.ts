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

/** Null where there is no room to begin with. Without a promise where there is room at this moment. */
export function meterAnswer(budget: Budget): Meter | Promise<Meter | null> {
  const first = budget.takeNow(FIRST_BYTES * MEMORY.cost.answer);
  return first === null
    ? budget
        .take(FIRST_BYTES * MEMORY.cost.answer, ROOM_WAIT_MS)
        .then((room) => (room === null ? null : makeMeter(budget, room)))
    : makeMeter(budget, first);
}

function makeMeter(budget: Budget, first: Room): Meter {
  const rooms = [first];
  let left = FIRST_BYTES;
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
