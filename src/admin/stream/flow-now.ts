import type { FlowCounts } from '../../inbox/index.ts';
import type { EventOf } from '../contract/define-contract.ts';
import type { ContractOf } from '../contract/index.ts';
import { iso } from '../cursor.ts';

type StreamEvent = EventOf<ContractOf<'flow.stream'>>;
export type EventData<K extends StreamEvent['kind']> = Extract<StreamEvent, { readonly kind: K }>['data'];

/** What was counted at a time. */
export interface Look {
  readonly atMs: number;
  readonly found: FlowCounts;
}

/** Over how long a rate is told. */
export const RATE_MS = 10_000;
const WAITING = ['received', 'queued', 'sending', 'unknown'] as const;

/** To a tenth a second. A count that went back is of a delivery that was taken out again: no rate is below 0. */
function rateOf(first: Look, last: Look, count: (found: FlowCounts) => number): number | null {
  const seconds = (last.atMs - first.atMs) / 1_000;
  return seconds <= 0 ? null : Math.max(0, Math.round(((count(last.found) - count(first.found)) / seconds) * 10) / 10);
}

/** The part of the state of the EHR that all may see who may watch. */
export const targetNow = (
  { breaker, inFlight, limit }: Omit<EventData<'flow'>['target'], 'forwarding'>,
  { state }: { readonly state: EventData<'flow'>['target']['forwarding'] },
): EventData<'flow'>['target'] => ({ breaker, forwarding: state, inFlight, limit });

/** `first`: the earliest look that still counts for the rates. */
export function flowNow(first: Look, last: Look, target: EventData<'flow'>['target']): Omit<EventData<'flow'>, 'at'> {
  const { acknowledged, byState } = last.found.counts;
  const { oldestAt } = last.found;
  return {
    acknowledged,
    byState,
    rates: {
      received: rateOf(first, last, ({ counts }) => counts.acknowledged),
      delivered: rateOf(first, last, ({ counts }) => counts.byState.delivered),
    },
    waiting: {
      deliveries: WAITING.reduce((sum, state) => sum + byState[state], 0),
      oldestAt: oldestAt === null ? null : iso(oldestAt),
    },
    target,
  };
}

export const newProblems = (
  { problems, isExact }: FlowCounts['problems'],
  fromMs: number,
  toMs: number,
): EventData<'problems'> => ({ from: iso(fromMs), to: iso(toMs), problems, isExact });
