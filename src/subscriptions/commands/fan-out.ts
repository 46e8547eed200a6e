import { forgetEvents, queuedEvents, type EventItem, type QueuedEvent } from '../../events/index.ts';
import {
  all,
  among,
  EARLIER,
  fragment,
  insert,
  rowsOf,
  runEach,
  tryLock,
  typed,
  words,
  type CommandContext,
  type Program,
  type Vault,
} from '../../store/index.ts';
import { FAN_OUT_BOUNDS, type SubscriptionWrites } from '../commands.ts';
import { isWanted, type Filters } from '../match.ts';
import { filtersOf, sealNumbered, type Row } from '../rows.ts';
import { claim } from './send.ts';

/** Whoever holds it hands out events. */
const FAN_OUT_KEY = 0x73_75_62_73_66_61_6en;

const EVENTS = rowsOf('subscription_event', {
  subscription_seq: 'bigint',
  last_number: 'bigint',
  first_number: 'bigint',
  tenant: 'text',
  at: 'bigint',
  user_index: 'bytea',
  patient_index: 'bytea',
  items_sealed: 'bytea',
});

const WANTING = words('s.seq, s.topic, s.filters, s.last_number');
/** One that was greeted before is told of what happens while its app changes it and it is greeted anew. */
const IS_WANTING = words(`(s.state IN ('active','error') OR (s.state = 'requested' AND s.sent_at IS NOT NULL))`);

interface Wanting {
  readonly seq: number;
  readonly kind: EventItem['kind'];
  readonly filters: Filters;
  last: number;
}

/** The subscriptions that may want something of these patients: those to all, and those to one of them. */
function* findWanting(
  tenant: string,
  patients: readonly string[],
): Program<{ readonly toAll: readonly Wanting[]; readonly byPatient: ReadonlyMap<string, readonly Wanting[]> }> {
  const toAll = yield* all`
    SELECT ${WANTING} FROM subscription s WHERE s.tenant = ${tenant} AND s.patients = 'any' AND ${IS_WANTING}
    ORDER BY s.seq`;
  const named = yield* all`
    SELECT ${WANTING}, p.patient_index FROM subscription_patient p JOIN subscription s ON s.seq = p.subscription_seq
    WHERE p.patient_index ${among('bytea', patients)} AND s.tenant = ${tenant} AND ${IS_WANTING} ORDER BY s.seq`;
  const known = new Map<number, Wanting>();
  const toWanting = (row: Row): Wanting => {
    const seq = Number(row['seq']);
    const one = known.get(seq) ?? {
      seq,
      kind: row['topic'] as EventItem['kind'],
      filters: filtersOf(row),
      last: Number(row['last_number']),
    };
    known.set(seq, one);
    return one;
  };
  const byPatient = new Map<string, Wanting[]>();
  for (const row of named) {
    const patient = Buffer.from(row['patient_index'] as Uint8Array).toString('hex');
    byPatient.set(patient, [...(byPatient.get(patient) ?? []), toWanting(row)]);
  }
  return { toAll: toAll.map(toWanting), byPatient };
}

interface Match {
  readonly event: QueuedEvent;
  readonly wanting: Wanting;
  readonly items: readonly EventItem[];
}

/**
 * Who wants what of these events, in their order: of as many as fill a commit, and of one at least. What is left stands
 * in the queue before everything that comes later.
 */
function matchEvents(
  events: readonly QueuedEvent[],
  wantingOf: (event: QueuedEvent) => readonly Wanting[],
  most: { readonly rows: number; readonly tries: number },
): { readonly taken: readonly QueuedEvent[]; readonly matches: readonly Match[] } {
  const matches: Match[] = [];
  let tries = 0;
  for (const [at, event] of events.entries()) {
    const wantings = wantingOf(event);
    tries += wantings.length * event.items.length;
    const isFull = tries > most.tries;
    const found = (isFull && at > 0 ? [] : wantings).flatMap((wanting) => {
      const items = event.items.filter((item) => isWanted(item, wanting.kind, wanting.filters));
      return items.length === 0 ? [] : [{ event, wanting, items }];
    });
    if (at > 0 && (isFull || matches.length + found.length > most.rows)) return { taken: events.slice(0, at), matches };
    matches.push(...found);
  }
  return { taken: events, matches };
}

/** Under the next numbers. */
function number(vault: Vault, tenant: string, { event, wanting, items }: Match) {
  const first = wanting.last + 1;
  wanting.last += items.length;
  return {
    subscription_seq: wanting.seq,
    last_number: wanting.last,
    first_number: first,
    tenant,
    at: event.atMs,
    user_index: event.user,
    patient_index: event.patient,
    items_sealed: sealNumbered(vault, wanting.seq, wanting.last, items),
  };
}

type FanOut = SubscriptionWrites['subscription.fan-out'];

export function* fanOut(
  context: CommandContext,
  { tenant, at, limit, most = FAN_OUT_BOUNDS, claim: wish }: FanOut['args'],
): Program<FanOut['out']> {
  if (!(yield* tryLock(FAN_OUT_KEY))) return { kind: 'busy' };
  const events = yield* queuedEvents(context, tenant, limit);
  if (events.length === 0) return { kind: 'done', events: 0, touched: 0, isMore: false, due: [] };
  const hexOf = ({ patient }: QueuedEvent): string => Buffer.from(patient).toString('hex');
  const { toAll, byPatient } = yield* findWanting(tenant, [...new Set(events.map(hexOf))]);
  const wantingOf = (event: QueuedEvent): readonly Wanting[] => [...toAll, ...(byPatient.get(hexOf(event)) ?? [])];
  const { taken, matches } = matchEvents(events, wantingOf, most);
  const touched = new Set(matches.map(({ wanting }) => wanting));
  const rows = matches.map((match) => number(context.vault, tenant, match));
  // A subscription that was removed meanwhile has its number no more, and its events are nobody's.
  yield* runEach(
    [...touched].map(
      ({ seq, last }) => fragment`
        UPDATE subscription SET last_number = ${last},
          next_at = CASE WHEN failures = 0 THEN ${EARLIER}(next_at, ${typed('bigint', at.getTime())}) ELSE next_at END
        WHERE seq = ${seq}`,
    ),
  );
  yield* insert(EVENTS, rows);
  yield* forgetEvents(taken.map(({ seq }) => seq));
  const due = touched.size === 0 || wish === null ? [] : yield* claim(context, { ...wish, tenant, at });
  const isMore = taken.length < events.length || events.length === limit;
  return { kind: 'done', events: taken.length, touched: touched.size, isMore, due };
}
