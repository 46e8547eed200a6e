import { makeBudget, type Budget, type Room } from '../kernel/index.ts';

/** The largest document that the service takes: of a larger one nothing is held. */
export const SPOOL_BYTES_MAX = 10 * 1024 * 1024;
/** What a part weighs beside its bytes: a document may come byte by byte. */
const PART_BYTES = 256;

export interface Spool {
  /** From the beginning: what was read before, and then the rest as it comes. */
  read(): AsyncGenerator<Uint8Array>;
  /** Whether all that was read so far is still held, so that it can be read again. */
  isWhole(): boolean;
  /** Holds nothing any more. */
  release(): void;
}

/** Where documents are held: all of them together within `bytesMax`, which is a part of what everybody shares. */
export type SpoolRoom = Pick<Budget, 'takeNow'>;

export function makeSpoolRoom(bytesMax: number, budget: SpoolRoom): SpoolRoom {
  const own = makeBudget(bytesMax);
  return {
    takeNow(bytes) {
      const mine = own.takeNow(bytes);
      const shared = mine === null ? null : budget.takeNow(bytes);
      if (shared === null) mine?.release();
      return shared === null
        ? null
        : {
            release() {
              mine?.release();
              shared.release();
            },
          };
    },
  };
}

/** Holds a document while it goes by, if there is memory for it, so that it can be sent a second time. */
export function spool(file: AsyncIterable<Uint8Array>, room: SpoolRoom, bytesMax: number = SPOOL_BYTES_MAX): Spool {
  const from = file[Symbol.asyncIterator]();
  const held = new Map<number, Uint8Array>();
  let count = 0;
  let size = 0;
  const rooms: Room[] = [];
  let isWhole = true;
  let end: { readonly thrown?: unknown } | null = null;
  let pulling: Promise<void> | null = null;

  function release(): void {
    isWhole = false;
    held.clear();
    for (const taken of rooms.splice(0)) taken.release();
  }

  function keep(part: Uint8Array): void {
    size += part.length;
    const taken = isWhole && size <= bytesMax ? room.takeNow(part.length + PART_BYTES) : null;
    if (taken === null) release();
    else rooms.push(taken);
    // The last part is for whoever waits for it now.
    held.set(count, part);
    count += 1;
  }

  async function pull(): Promise<void> {
    try {
      const next = await from.next();
      if (next.done === true) end = {};
      else keep(next.value);
    } catch (thrown) {
      // For every reader: to one that comes later, an end without an error would mean that the document is whole.
      end = { thrown };
    }
    pulling = null;
  }

  return {
    isWhole: () => isWhole,
    release,
    async *read() {
      for (let i = 0; ; i += 1) {
        // A reader that was given up may still wait for the next part: both get it.
        if (i === count && end === null) await (pulling ??= pull());
        if (i === count) {
          if (end !== null && 'thrown' in end) throw end.thrown;
          return;
        }
        const part = held.get(i);
        if (part === undefined) throw new Error('the document is no longer held');
        yield part;
      }
    },
  };
}
