/**
 * What the process takes before it holds any data (code, four threads, the validators), and what a byte costs in each
 * of its forms at its dearest. Measured by test/chaos/memory.ts.
 */
export const MEMORY = {
  programBytes: 368 * 1024 * 1024,
  cost: {
    /** As it came, sealed, and on its way to the database. */
    body: 8,
    /** Read from the database, parsed, checked and translated. */
    document: 14,
    /** Parsed, checked and written anew. */
    answer: 8,
    /** A translation that waits to be written, for each byte of its document. */
    translation: 8,
    /** A file of rows, as bytes and as text; and each of its rows. */
    table: 8,
    row: 720,
  },
} as const;

/** How long anybody waits for room who is himself waited for. */
export const ROOM_WAIT_MS = 5_000;

/** What somebody was given of a budget. It is given back once, however often `release` is called. */
export interface Room {
  release(): void;
}

/**
 * Room that all share. Whoever asks first is served first, so that a large wish is not put off by small ones for ever;
 * one that is larger than the whole is served alone.
 */
export interface Budget {
  /** Null where there was no room within `waitMs`. */
  take(bytes: number, waitMs: number): Promise<Room | null>;
  /** For what can be done without: null where there is no room at this moment, or others wait for some. */
  takeNow(bytes: number): Room | null;
  /** `giveWay` gives back some of what can be done without, before anybody waits; false where it has nothing left. */
  onShortage(giveWay: () => boolean): void;
  inUse(): number;
  waiting(): number;
}

interface Wish {
  readonly bytes: number;
  readonly settle: (room: Room | null) => void;
}

export function makeBudget(total: number): Budget {
  let used = 0;
  const line: Wish[] = [];
  const yielding: (() => boolean)[] = [];
  const fits = (bytes: number): boolean => used === 0 || used + bytes <= total;

  function give(bytes: number): Room {
    used += bytes;
    let isHeld = true;
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        used -= bytes;
        serve();
      },
    };
  }

  function serve(): void {
    for (let next = line[0]; next !== undefined && fits(next.bytes); next = line[0]) {
      line.shift();
      next.settle(give(next.bytes));
    }
  }

  /** Whether it fits, if need be after what can be done without is gone. */
  function makesRoom(bytes: number): boolean {
    while (!fits(bytes) && yielding.some((giveWay) => giveWay()));
    return fits(bytes);
  }

  return {
    takeNow: (bytes) => (line.length === 0 && fits(bytes) ? give(bytes) : null),
    onShortage: (giveWay) => void yielding.push(giveWay),
    take(bytes, waitMs) {
      if (line.length === 0 && makesRoom(bytes)) return Promise.resolve(give(bytes));
      return new Promise((resolve) => {
        const wish: Wish = {
          bytes,
          settle: (room) => {
            clearTimeout(timer);
            resolve(room);
          },
        };
        const timer =
          waitMs === Infinity
            ? undefined
            : setTimeout(() => {
                line.splice(line.indexOf(wish), 1);
                resolve(null);
                // Whoever stood behind it may need less.
                serve();
              }, waitMs).unref();
        line.push(wish);
      });
    },
    inUse: () => used,
    waiting: () => line.length,
  };
}

/** Holds room while `work` goes on, whatever becomes of it. Null where there was none in time. */
export async function withRoom<T>(
  budget: Budget,
  bytes: number,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T | null> {
  const room = await budget.take(bytes, waitMs);
  if (room === null) return null;
  try {
    return await work();
  } finally {
    room.release();
  }
}
