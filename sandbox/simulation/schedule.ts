/** Something that is due at a simulated time, for one user. */
export interface Due {
  readonly at: number;
  /** Key of the user. */
  readonly user: string;
  readonly what:
    /** The days of a source are looked at one after the other, since each day brings things of its own times. */
    | { readonly kind: 'day-begins'; readonly dataSource: string; readonly date: string }
    /** A source has a new revision of a day, or is newly connected and has it already. */
    | { readonly kind: 'synced'; readonly date: string }
    | { readonly kind: 'sampled'; readonly date: string }
    | { readonly kind: 'polled'; readonly date: string }
    | { readonly kind: 'scored'; readonly date: string }
    | { readonly kind: 'profile'; readonly request: string };
}

export interface Schedule {
  add(due: Due): void;
  /** When the next is due; null where nothing is. */
  nextAt(): number | null;
  /** Everything that is due next for one user at one time. */
  take(): readonly Due[];
  size(): number;
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.user < b.user);

/** A heap: the order of adding does not matter, so that a restart comes to the same. */
export function makeSchedule(): Schedule {
  const heap: Due[] = [];

  function add(due: Due): void {
    let i = heap.push(due) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || !isBefore(due, parent)) break;
      heap[i] = parent;
      i = up;
    }
    heap[i] = due;
  }

  function pop(): Due | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) break;
      const [child, at] = b !== undefined && isBefore(b, a) ? [b, left + 1] : [a, left];
      if (!isBefore(child, last)) break;
      heap[i] = child;
      i = at;
    }
    heap[i] = last;
    return first;
  }

  return {
    add,
    nextAt: () => heap[0]?.at ?? null,
    size: () => heap.length,
    take() {
      const first = pop();
      if (first === undefined) return [];
      const all = [first];
      for (let next = heap[0]; next !== undefined && next.at === first.at && next.user === first.user; next = heap[0]) {
        all.push(next);
        pop();
      }
      return all;
    },
  };
}
