import { dropBytes, ok, type Result } from '../kernel/index.ts';
import type { LeaseOutcome, Segment } from './commands.ts';
import { pack } from './packed.ts';

/** How many bytes of lines one segment has, more or less; and how many of several types wait together. */
const SEGMENT_BYTES = 1024 * 1024;
const OPEN_BYTES = 2 * SEGMENT_BYTES;
/** So much that is compressed is handed on before the end of the patient. */
const READY_BYTES = 1024 * 1024;

/** Lines of one type. */
export interface Lines {
  readonly type: string;
  readonly count: number;
  readonly bytes: Uint8Array;
}

export const toSegment = async (
  lines: Omit<Segment, 'data' | 'bytes'> & { readonly lines: readonly Uint8Array[] },
): Promise<Segment> => {
  const { lines: parts, ...of } = lines;
  const [only] = parts;
  const whole = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  const bytes = whole.length;
  const data = await pack(whole);
  for (const one of [whole, ...parts]) dropBytes(one);
  return { ...of, bytes, data };
};

interface Open {
  readonly parts: Uint8Array[];
  bytes: number;
  count: number;
}

export interface SegmentWriter {
  /** `lost`: whoever stores them takes no more. */
  add(lines: Lines): Promise<Result<LeaseOutcome>>;
  /** What was not handed on yet. */
  finish(): Promise<readonly Segment[]>;
  counts(): Readonly<Record<string, number>>;
}

/**
 * Gathers the lines of one patient into segments, each of one type and so large that a file is read in few steps. What
 * is in memory at once is bounded, however much the patient has.
 */
export function makeSegmentWriter(put: (segments: readonly Segment[]) => Promise<Result<LeaseOutcome>>): SegmentWriter {
  const open = new Map<string, Open>();
  const counted = new Map<string, number>();
  let ready: Segment[] = [];
  let next = 0;

  async function close(type: string): Promise<void> {
    const one = open.get(type);
    if (one === undefined) return;
    open.delete(type);
    const before = counted.get(type) ?? 0;
    counted.set(type, before + one.count);
    const n = next;
    next += 1;
    ready.push(await toSegment({ n, type, resources: one.count, before, lines: one.parts }));
  }

  const largest = (): string => [...open].sort(([, a], [, b]) => b.bytes - a.bytes)[0]?.[0] ?? '';
  const openBytes = (): number => [...open.values()].reduce((sum, one) => sum + one.bytes, 0);

  return {
    async add({ type, count, bytes }) {
      if (count === 0) return ok('held');
      const one = open.get(type) ?? { parts: [], bytes: 0, count: 0 };
      open.set(type, one);
      one.parts.push(bytes);
      one.bytes += bytes.length;
      one.count += count;
      if (one.bytes >= SEGMENT_BYTES) await close(type);
      while (openBytes() > OPEN_BYTES) await close(largest());
      if (ready.reduce((sum, { data }) => sum + data.length, 0) < READY_BYTES) return ok('held');
      const some = ready;
      ready = [];
      return put(some);
    },
    async finish() {
      for (const type of [...open.keys()]) await close(type);
      return ready;
    },
    counts: () => Object.fromEntries(counted),
  };
}
