import type { Grant } from '../auth/index.ts';
import type { EventItem } from '../events/index.ts';
import { ok, type Log, type RequestId, type Result } from '../kernel/index.ts';
import { decide, filtersFor, type Caller, type Instance, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import type { ToldEvent } from './build-notification.ts';
import type { SubscriptionReads, SubscriptionWrites } from './commands.ts';
import { holds } from './match.ts';
import type { Content, NumberedEvent, Subscription } from './subscription.ts';

/** What of these events the app may be told now: by its grant, the links and what the EHR shows at this moment. */
export type PermitEvents = (asked: {
  readonly subscription: Subscription;
  readonly events: readonly NumberedEvent[];
  readonly content: Content;
  readonly grant: Grant;
  readonly requestId: RequestId;
  readonly log: Log;
}) => Promise<Result<readonly ToldEvent[]>>;

type ChartItem = Exclude<EventItem, { kind: 'patient-connection' }>;

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
}): PermitEvents {
  const { tenant, kit, subscriptions } = deps;

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
  ): Promise<Result<ToldEvent['told']>> {
    const reference = `${type}/${id}`;
    if (content === 'id-only') return ok({ kind: 'named', reference, method, resource: null });
    const resource = await read(type, id, caller);
    if (!resource.ok) return resource;
    return ok(resource.value === null ? EMPTY : { kind: 'named', reference, method, resource: resource.value });
  }

  const methodOf = (item: ChartItem): 'POST' | 'PUT' => (item.act === 'written' ? 'POST' : 'PUT');

  return async ({ subscription, events, content, grant, requestId, log }) => {
    if (content === 'empty') return ok(events.map(({ number, atMs }) => ({ number, atMs, told: EMPTY })));
    const linked = await subscriptions.read('subscription.linked', {
      tenant,
      patients: [...new Set(events.map(({ patient }) => patient))],
    });
    if (!linked.ok) return linked;
    const caller: Caller = { grant, requestId, log };
    // Whoever asks may be launched for another patient than the token that made the subscription.
    const isSameContext = grant.patient !== null && grant.patient === subscription.settings.grant.patient;
    const told: ToldEvent[] = [];
    for (const { number, atMs, patient, item } of events) {
      const isLinked = linked.value.includes(patient);
      const reach = {
        isContext: isLinked && isSameContext && subscription.settings.contextPatients.includes(patient),
        isLinked: isLinked || (kit.reach === 'all' && item?.kind !== 'patient-connection'),
      };
      const type = item === null || item.kind === 'patient-connection' ? 'Patient' : item.type;
      const labels = item === null || item.kind === 'patient-connection' ? [] : item.labels;
      let one: ToldEvent['told'] = EMPTY;
      if (item !== null && kit.isOffered(type) && mayRead(grant, type, labels, reach)) {
        const id = item.kind === 'patient-connection' ? await deps.findPatient(item.mrn, requestId) : ok(item.id);
        if (!id.ok) return id;
        const method = item.kind === 'patient-connection' ? 'PUT' : methodOf(item);
        const asked = id.value === null ? ok(EMPTY) : await named(type, id.value, method, content, caller);
        if (!asked.ok) return asked;
        one = asked.value;
      }
      told.push({ number, atMs, told: one });
    }
    return ok(told);
  };
}
