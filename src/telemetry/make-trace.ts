import { hash } from 'node:crypto';
import {
  traceOf,
  type Chance,
  type Clock,
  type HttpFields,
  type Span,
  type Trace,
  type Traced,
} from '../kernel/index.ts';
import type { FinishedSpan } from './finished-span.ts';

/** The id of a step that others must find: of its seed alone, so that nobody has to be told of it. */
export const spanIdOf = (seed: string): string => hash('sha256', `step\n${seed}`).slice(0, 16);

/** More than that, and the wall clock was set. */
const DRIFT_MS = 50;

/** The wall clock with the fractions of the other one, so that a step never ends after the one that it is a part of. */
function makeWallMs({ now, monotonicMs }: Clock): () => number {
  let offsetMs = now().getTime() - monotonicMs();
  return () => {
    const ms = offsetMs + monotonicMs();
    const driftMs = now().getTime() - ms;
    if (Math.abs(driftMs) <= DRIFT_MS) return ms;
    offsetMs += driftMs;
    return ms + driftMs;
  };
}

const nameOfHttp = (fields: HttpFields): string =>
  [fields['http.request.method'], fields['http.route'] ?? fields['url.template'] ?? ''].join(' ').trim();

/**
 * Which traces are told of is decided by the trace's id and a key that nobody outside has: all steps of a trace agree,
 * in whichever process they happen, and a caller who chooses an id cannot choose one that is told of.
 */
export function makeIsWatched(share: number, key: string): (traceId: string) => boolean {
  if (share >= 1) return () => true;
  if (share <= 0) return () => false;
  const limit = share * 0x1_0000_0000;
  return (traceId) => Number.parseInt(hash('sha256', `${key}\n${traceId}`).slice(0, 8), 16) < limit;
}

export function makeTrace(deps: {
  readonly isWatched: (traceId: string) => boolean;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly onEnded: (span: FinishedSpan) => void;
}): Trace {
  const wallMs = makeWallMs(deps.clock);
  const newSpanId = (): string => Buffer.from(deps.chance(8)).toString('hex');

  function begin(
    of: Pick<FinishedSpan, 'traceId' | 'parentId' | 'isParentRemote'>,
    spanId: string,
    startMs: number,
  ): Span {
    const { traceId } = of;
    const tell = (what: Pick<FinishedSpan, 'kind' | 'name' | 'fields'>): void =>
      deps.onEnded({ ...of, spanId, startMs, endMs: Math.max(startMs, wallMs()), ...what });
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      begin: (seed) =>
        begin(
          { traceId, parentId: spanId, isParentRemote: false },
          seed === undefined ? newSpanId() : spanIdOf(seed),
          wallMs(),
        ),
      end: (name, fields = {}) => tell({ kind: 'internal', name, fields }),
      endHttp: (kind, fields) => tell({ kind, name: nameOfHttp(fields), fields }),
    };
  }

  const traceIdOf = ({ traceId, requestId }: Traced): string => traceId ?? traceOf(requestId);

  return {
    request(of) {
      const traceId = traceIdOf(of);
      if (!deps.isWatched(traceId)) return null;
      return begin({ traceId, parentId: of.parent, isParentRemote: of.parent !== null }, newSpanId(), wallMs());
    },
    step(of) {
      const traceId = traceIdOf(of);
      if (!deps.isWatched(traceId)) return null;
      const parent = { traceId, parentId: spanIdOf(of.seed), isParentRemote: false };
      const nowMs = wallMs();
      return begin(parent, newSpanId(), Math.min(of.sinceMs ?? nowMs, nowMs));
    },
  };
}
