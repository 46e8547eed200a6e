import { fail, fault, ok, type Result } from '../../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../../identity/index.ts';
import type { DetailedDelivery, InboxReads, InboxWrites, ListedDelivery } from '../../inbox/index.ts';
import type { LaneReads, LaneWrites, ShownAttempt, WroteResource } from '../../lanes/index.ts';
import type { OperatorReads, OperatorWrites } from '../../operators/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import { readWork } from './delivery-work.ts';
import { deliveryIdOf, findPatients, maySeePatients, showDelivery } from './show-delivery.ts';

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

const showAttempt = ({ startedAt, endedAt, ...rest }: ShownAttempt) => ({
  ...rest,
  startedAt: iso(startedAt),
  endedAt: isoOrNull(endedAt),
  // A clock may have been set back meanwhile.
  durationMs: endedAt === null ? null : Math.max(0, endedAt - startedAt),
});

/** Without what only the gateway needs to be let in. */
function baseOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** `base`: of the EHR; null for who may not see what stands in whose chart. */
const showWrote = ({ resourceType, id, versionId, writtenAt, retractedAt }: WroteResource, base: string | null) => ({
  resourceType,
  ...(id === null || base === null
    ? { reference: null, address: null }
    : { reference: `${resourceType}/${id}`, address: `${base}/${resourceType}/${encodeURIComponent(id)}` }),
  versionId,
  writtenAt: iso(writtenAt),
  retractedAt: isoOrNull(retractedAt),
});

/** One delivery: all that is known of it, and its bytes. */
export function makeOneDeliveryRoutes(deps: {
  readonly tenant: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly operators: Operate<OperatorWrites, OperatorReads>;
  /** The FHIR base of the EHR, as it is called. */
  readonly ehrUrl: string;
}): AdminRoute[] {
  const { tenant, inbox, lanes } = deps;
  const ehrBase = baseOf(deps.ehrUrl);

  async function find(id: string): Promise<Result<DetailedDelivery>> {
    const found = await inbox.read('inbox.get', { tenant, id });
    if (!found.ok) return found;
    return found.value === null ? fail(fault('delivery.not-found')) : ok(found.value);
  }

  /**
   * What a person needs who decides on a delivery: what somebody else changed of it, or what it would take out of the
   * chart.
   */
  async function seenOf({ id, state, reason }: Pick<ListedDelivery, 'id' | 'state' | 'reason'>) {
    if (state !== 'parked' || (reason !== 'conflict' && reason !== 'suspicious')) return ok({});
    const found = await lanes.read('lane.foreign', { tenant, deliveryId: id });
    if (!found.ok) return found;
    const seen = found.value.map(({ name, resourceType, versionId, seenAt, sides }) => ({
      of: { resourceType, name, versionId, seenAt: iso(seenAt) },
      ours: sides?.ours ?? null,
      theirs: sides?.theirs ?? null,
    }));
    return ok(
      reason === 'conflict'
        ? { conflicts: seen.map(({ of, ours, theirs }) => ({ ...of, ours, theirs })) }
        : { withdrawals: seen.map(({ of, theirs }) => ({ ...of, chart: theirs })) },
    );
  }

  return [
    defineRoute('deliveries.get', async ({ params }, { caller, record }) => {
      const id = deliveryIdOf(params.id);
      const found = await find(id);
      if (!found.ok) return found;
      const delivery = found.value;
      const seen = await seenOf(delivery);
      if (!seen.ok) return seen;
      const history = await lanes.read('lane.history', { tenant, deliveryId: id });
      if (!history.ok) return history;
      const whose = await findPatients(deps, [delivery]);
      if (!whose.ok) return whose;
      const { patients, mrnOf } = whose.value;
      const work = await readWork(deps, id);
      if (!work.ok) return work;
      const recorded = await record({ action: 'R', outcome: '0', deliveryId: id, patients });
      if (!recorded.ok) return recorded;
      const { requestId, sender, duplicateOf, hasBody } = delivery;
      const isNamed = maySeePatients(caller);
      return ok({
        ...showDelivery(delivery, isNamed ? { mrn: mrnOf(delivery) } : 'unnamed'),
        requestId,
        sender,
        duplicateOf,
        hasBody,
        ...seen.value,
        ...work.value,
        attempts: history.value.attempts.map(showAttempt),
        wrote: history.value.wrote.map((one) => showWrote(one, isNamed ? ehrBase : null)),
        steps: delivery.steps.map((step) => ({ ...step, at: iso(step.at) })),
      });
    }),

    defineRoute('deliveries.raw', async ({ params }, { reason, record }) => {
      const id = deliveryIdOf(params.id);
      if (reason === null) {
        const refused = await record({ action: 'R', outcome: '4', deliveryId: id });
        return refused.ok ? fail(fault('admin.reason-needed')) : refused;
      }
      const found = await find(id);
      if (!found.ok) return found;
      const stored = await inbox.read('inbox.body', { tenant, id });
      if (!stored.ok) return stored;
      if (stored.value === null) return fail(fault('delivery.no-body'));
      const { body } = stored.value;
      if (body === 'unopenable') return fail(fault('delivery.unopenable'));
      const whose = await findPatients(deps, [found.value]);
      if (!whose.ok) return whose;
      const { patients } = whose.value;
      const recorded = await record({ action: 'R', outcome: '0', deliveryId: id, patients });
      return recorded.ok ? ok({ bytes: body, fileName: `${id}.body` }) : recorded;
    }),
  ];
}
