import type { Grant } from '../auth/index.ts';
import type { EventItem } from '../events/index.ts';
import {
  fail,
  fault,
  ok,
  type Clock,
  type Fault,
  type FaultCode,
  type Log,
  type RequestId,
  type Result,
} from '../kernel/index.ts';
import { decide, filtersFor, type Caller, type Instance, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import type { PermittedEvent } from './build-notification.ts';
import type { SubscriptionReads, SubscriptionWrites } from './commands.ts';
import { holds } from './match.ts';
import type { Content, NumberedEvent, Subscription } from './subscription.ts';

/**
 * What of these events the app may be told now: by its grant, the links and what the EHR shows at this moment. Those
 * before the first that cannot be read now, or not in time; a fault where that is the first of them.
 */
export type PermitEvents = (asked: {
  readonly subscription: Subscription;
  readonly events: readonly NumberedEvent[];
  readonly content: Content;
  readonly grant: Grant;
  readonly requestId: RequestId;
  readonly log: Log;
  /** The first one was tried often enough: where it cannot be read, its number alone is told. */
  readonly isFirstLeft?: boolean;
}) => Promise<Result<readonly PermittedEvent[]>>;

type ChartItem = Exclude<EventItem, { kind: 'patient-connection' }>;

/** Reading for one answer ends after so long, well before the lease of whoever sends it. */
const READING_MS = 20_000;

async function inTime<T>(asked: Promise<Result<T>>, leftMs: number): Promise<Result<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result<T>>((resolve) => {
    timer = setTimeout(() => resolve(fail(fault('ehr.timeout'))), leftMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

/** What an EHR answers that is away, busy or knows us no more: it says nothing of the resource that was asked for. */
const ABOUT_ALL: ReadonlySet<FaultCode> = new Set([
  'ehr.unreachable',
  'ehr.tls',
  'ehr.busy',
  'ehr.paused',
  'ehr.unauthorized',
  'ehr.token',
  'ehr.token-unavailable',
] as const);
const isAboutOne = ({ kind, code }: Fault): boolean => kind !== 'overloaded' && !ABOUT_ALL.has(code);

const EMPTY = { kind: 'empty' } as const;

const readOf = (type: string, id: string): Instance => ({
  kind: 'read',
  type,
  id,
  versionId: null,
  elements: null,
  summary: 'false',
  count: null,
  since: null,
  used: [],
});

/** Whether a scope that the app still has lets it see what has these labels, of a patient whom it reaches so. */
function mayRead(
  grant: Grant,
  type: string,
  labels: readonly string[],
  reach: { isContext: boolean; isLinked: boolean },
) {
  return filtersFor(grant, type, ['r'], reach).some((filter) =>
    filter.every(
      ([name, value]) =>
        (name === 'code' || name === 'category') && holds({ param: name, values: value.split(',') }, labels),
    ),
  );
}

export function makePermitEvents(deps: {
  readonly tenant: string;
  readonly kit: Pick<ReadKit, 'runRead' | 'rewrite' | 'served' | 'isOffered' | 'reach'>;
  readonly subscriptions: Operate<SubscriptionWrites, SubscriptionReads>;
  /** The id of the patient with this MRN at the EHR; null where there is none, or several. */
  readonly findPatient: (mrn: string, requestId: string) => Promise<Result<string | null>>;
  readonly clock: Clock;
}): PermitEvents {
  const { tenant, kit, subscriptions, clock } = deps;

  /** Null: hidden or gone, which look the same to an app. */
  async function read(
    type: string,
    id: string,
    caller: Caller,
  ): Promise<Result<Readonly<Record<string, unknown>> | null>> {
    const decision = decide(caller.grant, readOf(type, id), kit.served);
    if (!decision.allow) return ok(null);
    const found = await kit.runRead.one(decision.plan, caller);
    if (found.ok) return ok(kit.rewrite(found.value.read.resource));
    return found.fault.why === 'ehr' ? { ok: false, fault: found.fault.fault } : ok(null);
  }

  async function named(
    type: string,
    id: string,
    method: 'POST' | 'PUT',
    content: Content,
    caller: Caller,
  ): Promise<Result<PermittedEvent['focus']>> {
    const reference = `${type}/${id}`;
    if (content === 'id-only') return ok({ kind: 'named', reference, method, resource: null });
    const resource = await read(type, id, caller);
    if (!resource.ok) return resource;
    return ok(resource.value === null ? EMPTY : { kind: 'named', reference, method, resource: resource.value });
  }

  const methodOf = (item: ChartItem): 'POST' | 'PUT' => (item.act === 'written' ? 'POST' : 'PUT');

  async function namedOf(item: EventItem, type: string, content: Content, caller: Caller) {
    if (item.kind !== 'patient-connection') return named(type, item.id, methodOf(item), content, caller);
    const id = await deps.findPatient(item.mrn, caller.requestId);
    if (!id.ok) return id;
    return id.value === null ? ok(EMPTY) : named(type, id.value, 'PUT', content, caller);
  }

  return async ({ subscription, events, content, grant, requestId, log, isFirstLeft = false }) => {
    const startedMs = clock.monotonicMs();
    if (content === 'empty') return ok(events.map(({ number, atMs }) => ({ number, atMs, focus: EMPTY })));
    const linked = await subscriptions.read('subscription.linked', {
      tenant,
      patients: [...new Set(events.map(({ patient }) => patient))],
    });
    if (!linked.ok) return linked;
    const caller: Caller = { grant, requestId, log };
    // Whoever asks may be launched for another patient than the token that made the subscription.
    const isSameContext = grant.patient !== null && grant.patient === subscription.settings.grant.patient;
    const permitted: PermittedEvent[] = [];
    for (const { number, atMs, patient, item } of events) {
      const isLinked = linked.value.includes(patient);
      const reach = {
        isContext: isLinked && isSameContext && subscription.settings.contextPatients.includes(patient),
        isLinked: isLinked || (kit.reach === 'all' && item?.kind !== 'patient-connection'),
      };
      const type = item === null || item.kind === 'patient-connection' ? 'Patient' : item.type;
      const labels = item === null || item.kind === 'patient-connection' ? [] : item.labels;
      let one: PermittedEvent['focus'] = EMPTY;
      if (item !== null && kit.isOffered(type) && mayRead(grant, type, labels, reach)) {
        const leftMs = startedMs + READING_MS - clock.monotonicMs();
        if (leftMs <= 0 && permitted.length > 0) return ok(permitted);
        const asked = await inTime(namedOf(item, type, content, caller), leftMs);
        if (!asked.ok && permitted.length > 0) return ok(permitted);
        if (!asked.ok && !(isFirstLeft && isAboutOne(asked.fault))) return asked;
        one = asked.ok ? asked.value : EMPTY;
      }
      permitted.push({ number, atMs, focus: one });
    }
    return ok(permitted);
  };
}
