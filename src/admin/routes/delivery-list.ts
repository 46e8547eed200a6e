import { fail, fault, ok, type AdminCaller, type Result } from '../../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../../identity/index.ts';
import type { DeliveryFilter, InboxReads, InboxWrites, ListedDelivery } from '../../inbox/index.ts';
import { isFaultCode } from '../../judge/index.ts';
import type { OperatorReads, OperatorWrites } from '../../operators/index.ts';
import type { Operate } from '../../store/index.ts';
import type { InputOf } from '../contract/define-contract.ts';
import type { ContractOf } from '../contract/index.ts';
import { beforeOfFiltered, toFilteredCursor } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import { findPatients, maySeePatients, NOBODYS, showDelivery } from './show-delivery.ts';

type Query = InputOf<ContractOf<'deliveries.list'>>['query'];

const LIST = 'd';
const msOf = (instant: string | undefined): number | null => (instant === undefined ? null : Date.parse(instant));

/** The list of deliveries: what an operator knows of one, and where it is. */
export function makeDeliveryListRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly mrnSystem: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly operators: Operate<OperatorWrites, OperatorReads>;
}): AdminRoute[] {
  const { tenant, inbox, identity, mrnSystem, operators } = deps;

  /** A user id means nothing without its client, and a client alone is no filter. */
  function userOf({ user_id: user, client_uuid: given }: Query): Result<DeliveryFilter['user']> {
    const client = given ?? deps.clientUuid;
    if (user === undefined) return given === undefined ? ok(null) : fail(fault('admin.parameter', { at: 'user_id' }));
    return client === null ? fail(fault('admin.parameter', { at: 'client_uuid' })) : ok({ client, user });
  }

  const isOperatorId = (text: string): boolean => /^opr_[0-9A-Za-z]{26}$/.test(text);

  /** By id also somebody who is gone: what they looked after still waits for others. */
  async function assignedOf(
    given: string | undefined,
    caller: AdminCaller,
  ): Promise<Result<DeliveryFilter['assigned']>> {
    if (given === undefined) return ok(null);
    if (given === 'nobody') return ok({ kind: 'nobody' });
    const unknown = fail(fault('admin.parameter', { at: 'assigned_to' }));
    if (given === 'me') return caller.kind === 'person' ? ok({ kind: 'operator', id: caller.id }) : unknown;
    if (isOperatorId(given)) return ok({ kind: 'operator', id: given });
    const found = await operators.read('operator.by-name', { tenant, name: given });
    if (!found.ok) return found;
    return found.value === null ? unknown : ok({ kind: 'operator', id: found.value.id });
  }

  async function filterOf(query: Query, caller: AdminCaller): Promise<Result<DeliveryFilter>> {
    const { fault: faultCode = null, mrn } = query;
    if (faultCode !== null && !isFaultCode(faultCode)) return fail(fault('admin.parameter', { at: 'fault' }));
    const user = userOf(query);
    if (!user.ok) return user;
    const users =
      mrn === undefined ? ok(null) : await identity.read('identity.users-of', { tenant, patient: { mrnSystem, mrn } });
    if (!users.ok) return users;
    const assigned = await assignedOf(query.assigned_to, caller);
    if (!assigned.ok) return assigned;
    return ok({
      tenant,
      state: query.state ?? null,
      reason: query.reason ?? null,
      faultCode,
      dataStructure: query.data_structure ?? null,
      finding: query.finding ?? null,
      word: query.word ?? null,
      requestId: query.request_id ?? null,
      user: user.value,
      users: users.value,
      assigned: assigned.value,
      receivedFrom: msOf(query.received_from),
      receivedTo: msOf(query.received_to),
    });
  }

  return [
    defineRoute('deliveries.list', async ({ query }, { caller, record, withheld }) => {
      const { limit, cursor, with_total: isCounted, ...filters } = query;
      if (query.mrn !== undefined && !maySeePatients(caller))
        return fail(fault('admin.forbidden', { at: 'patients.read' }));
      const before = beforeOfFiltered(LIST, cursor, filters);
      if (!before.ok) return before;
      const filter = await filterOf(query, caller);
      if (!filter.ok) return filter;
      const page = await inbox.read('inbox.list', { ...filter.value, before: before.value, limit });
      if (!page.ok) return page;
      const total = isCounted ? await inbox.read('inbox.count', filter.value) : ok(null);
      if (!total.ok) return total;
      const { deliveries, next } = page.value;
      // Whoever asks for somebody by name is asked why; in a list of many, who is restricted is not named.
      const isByName = query.mrn !== undefined || query.user_id !== undefined;
      const whose = isByName || maySeePatients(caller) ? await findPatients(deps, deliveries) : ok(NOBODYS);
      if (!whose.ok) return whose;
      const { mrnOf, patients: found } = whose.value;
      const hidden = isByName ? ok([]) : await withheld(found);
      if (!hidden.ok) return hidden;
      const hiddenMrns = new Set(hidden.value.map(({ mrn }) => mrn));
      // Whoever is shown, and whoever was asked for though nothing was found.
      const isMissing = query.mrn !== undefined && deliveries.length === 0;
      const patients = isMissing
        ? [{ system: mrnSystem, mrn: query.mrn ?? '' }]
        : found.filter(({ mrn }) => !hiddenMrns.has(mrn));
      const recorded = await record({ action: 'R', outcome: '0', count: deliveries.length, patients });
      if (!recorded.ok) return recorded;
      const whoseIs = (one: ListedDelivery) => {
        const mrn = mrnOf(one);
        return !maySeePatients(caller) || hiddenMrns.has(mrn ?? '') ? 'unnamed' : { mrn };
      };
      return ok({
        deliveries: deliveries.map((one) => showDelivery(one, whoseIs(one))),
        next: next === null ? null : toFilteredCursor(LIST, next, filters),
        ...(total.value === null ? {} : { total: total.value }),
      });
    }),
  ];
}
