/** Files that are sent at once by one process, and those of one client among them. */
const STREAMS_MAX = 16;
const STREAMS_OF_CLIENT_MAX = 4;
/** An answer that is not sent after all, such as to a HEAD, gives its place back by then. */
const WAIT_MS = 30_000;

export interface StreamSlot {
  /** From now on it is given back by `leave` alone. */
  begin(): void;
  leave(): void;
}

/** Counted when it is asked for, so that many who ask at once do not all find room. Null: there is none. */
export function makeStreamSlots(): (client: string) => StreamSlot | null {
  const held = new Set<{ readonly client: string }>();
  return (client) => {
    const own = [...held].filter((one) => one.client === client).length;
    if (held.size >= STREAMS_MAX || own >= STREAMS_OF_CLIENT_MAX) return null;
    const place = { client };
    held.add(place);
    const waiting = setTimeout(() => held.delete(place), WAIT_MS).unref();
    return {
      begin() {
        clearTimeout(waiting);
        held.add(place);
      },
      leave() {
        clearTimeout(waiting);
        held.delete(place);
      },
    };
  };
}
