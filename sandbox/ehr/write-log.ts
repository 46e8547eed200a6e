/**
 * One write that this server carried out, in the order of its commits. A checker compares these with what was promised.
 */
export interface Write {
  readonly n: number;
  readonly at: string;
  readonly requestId: string;
  readonly kind: 'create' | 'update' | 'delete';
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly type: string;
  readonly id: string;
  /** Which version of the resource it is, counted from 1, whatever clients know it by. */
  readonly versionId: number;
  /** The resource as it was stored; null for a deletion. */
  readonly json: string | null;
}

/** One request, from its arrival to its answer. Two that overlap for one patient are a violation of order. */
export interface Seen {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly began: number;
  ended: number | null;
  status: number | null;
}

/** Append only: nothing in here can be taken back. */
export interface WriteLog {
  writes(afterN?: number): readonly Write[];
  requests(): readonly Seen[];
  /** The writes of one commit. */
  add(writes: readonly Omit<Write, 'n'>[]): void;
  begin(requestId: string, method: string, path: string): Seen;
  end(seen: Seen, status: number | null): void;
}

export function makeWriteLog(past: readonly Write[], append: (writes: readonly Write[]) => void): WriteLog {
  const writes: Write[] = [...past];
  const requests: Seen[] = [];
  let tick = 0;
  return {
    // `n` is the place in the list, so what comes after `n` is a slice.
    writes: (afterN = 0) => writes.slice(afterN),
    requests: () => requests,
    add(next) {
      const logged = next.map((write, i) => ({ n: writes.length + i + 1, ...write }));
      writes.push(...logged);
      append(logged);
    },
    begin(requestId, method, path) {
      const seen: Seen = { requestId, method, path, began: (tick += 1), ended: null, status: null };
      requests.push(seen);
      return seen;
    },
    end(seen, status) {
      seen.ended = tick += 1;
      seen.status = status;
    },
  };
}
