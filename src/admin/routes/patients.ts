import { ok, type Clock, type Result } from '../../kernel/index.ts';
import {
  isOverdue,
  readDocument,
  type Enrol,
  type Enrolled,
  type FindUser,
  type KnownConnection,
  type KnownRequest,
  type MonitoringRule,
  type RequestKind,
} from '../../enrol/index.ts';
import type { InboxReads, InboxWrites } from '../../inbox/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';

/** Google-based providers answer 403 disallowed_useragent to an embedded web view. */
const WARNING =
  'Open this address in the system browser or in an in-app browser tab, never in an embedded web view: some providers refuse it.';

const shownConnection = ({ askedAt, changedAt, failure, ...rest }: KnownConnection) => ({
  ...rest,
  askedAt: askedAt === null ? null : iso(askedAt),
  changedAt: iso(changedAt),
  failure: failure === null ? null : { ...failure, at: iso(failure.at) },
});

function stateOf(askedAt: number, deliveryId: string | null, nowMs: number) {
  if (deliveryId !== null) return 'arrived' as const;
  return isOverdue({ askedAt, deliveryId }, nowMs) ? ('overdue' as const) : ('received' as const);
}

type Action = 'C' | 'R' | 'U' | 'E';
const NOBODY = { enrolled: null, mrns: [] } as const;

/** The health data service's operations, by MRN. */
export function makePatientRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly users: FindUser;
  readonly enrol: Enrol;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  /** Ends the link of a patient who has left; null where what was charted stays, and with it the link. */
  readonly leave:
    ((user: Enrolled, by: AdminContext['actor']) => Promise<Result<{ readonly retracting: number }>>) | null;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, users, enrol } = deps;

  /** What a person did is recorded with how it ended, before anybody hears of it. */
  async function done<T>(
    { record }: AdminContext,
    action: Action,
    of: { readonly enrolled: Enrolled | null; readonly mrns: readonly string[] },
    result: Result<T>,
  ): Promise<Result<T>> {
    const recorded = await record({
      action,
      outcome: result.ok ? '0' : '8',
      ...(of.enrolled === null ? {} : { linkId: of.enrolled.linkId }),
      patients: of.mrns.map((mrn) => ({ system: deps.mrnSystem, mrn })),
    });
    return recorded.ok ? result : recorded;
  }

  /** Something with a patient who has a source user. */
  async function known<T>(
    mrn: string,
    action: Action,
    context: AdminContext,
    act: (of: Enrolled) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const of = await users.known(mrn);
    return of.ok ? done(context, action, { enrolled: of.value, mrns: [mrn] }, await act(of.value)) : of;
  }

  /** The same; one who has none gets one, unless the service cannot be asked for this part. */
  async function made<T>(
    mrn: string,
    part: 'access' | 'lab',
    context: AdminContext,
    act: (of: Enrolled) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const ready = enrol.ready(part);
    if (!ready.ok) return ready;
    const of = await users.made(mrn, context.actor);
    return of.ok ? done(context, 'C', { enrolled: of.value, mrns: [mrn] }, await act(of.value)) : of;
  }

  async function shownRequests(of: Enrolled, kind: RequestKind) {
    const shown = await enrol.show(of);
    if (!shown.ok) return shown;
    const nowMs = deps.clock.now().getTime();
    const list = [];
    for (const request of shown.value.requests.filter((one) => one.kind === kind))
      list.push(await shownRequest(request, nowMs));
    return ok({ userId: of.user, requests: list });
  }

  /** `received` until the result is there; then the state of the delivery that brought it. */
  async function shownRequest({ id, askedAt, deliveryId, arrivedAt, ...rest }: KnownRequest, nowMs: number) {
    const delivery = deliveryId === null ? null : await deps.inbox.read('inbox.get', { tenant, id: deliveryId });
    return {
      id,
      ...rest,
      state: stateOf(askedAt, deliveryId, nowMs),
      askedAt: iso(askedAt),
      arrivedAt: arrivedAt === null ? null : iso(arrivedAt),
      deliveryId,
      deliveryState: delivery?.ok === true ? (delivery.value?.state ?? null) : null,
    };
  }

  const ruleAnswer = (rule: Result<MonitoringRule | null>) => (rule.ok ? ok({ rule: rule.value }) : rule);

  return [
    defineRoute('patients.connections', ({ params: { mrn } }, context) =>
      known(mrn, 'R', context, async (of) => {
        const shown = await enrol.show(of);
        if (!shown.ok) return shown;
        const { connections, revokedAt, late } = shown.value;
        return ok({
          userId: of.user,
          connections: connections.map(shownConnection),
          revokedAt: revokedAt === null ? null : iso(revokedAt),
          lateDeliveries: late,
        });
      }),
    ),
    defineRoute('patients.connection', ({ params: { mrn, data_source: dataSource } }, context) =>
      known(mrn, 'R', context, async (of) => {
        const said = await enrol.look(of, dataSource);
        if (!said.ok) return said;
        const shown = await enrol.show(of);
        if (!shown.ok) return shown;
        const found = shown.value.connections.find((one) => one.dataSource === dataSource);
        const { authorized } = said.value;
        return ok({
          userId: of.user,
          dataSource,
          authorized,
          known: found === undefined ? null : shownConnection(found),
        });
      }),
    ),
    defineRoute('patients.connect', ({ params: { mrn, data_source: dataSource }, body }, context) =>
      made(mrn, 'access', context, async (of) => {
        const said = await enrol.connect(of, dataSource, body.redirect_url ?? null);
        if (!said.ok) return said;
        const { authorized, authorizationUrl } = said.value;
        const warning = authorizationUrl === null ? null : WARNING;
        return ok({ userId: of.user, dataSource, authorized, authorizationUrl, warning });
      }),
    ),
    defineRoute('patients.revoke', ({ params: { mrn } }, context) =>
      known(mrn, 'E', context, async (of) => {
        const revoked = await enrol.revoke(of);
        if (!revoked.ok) return revoked;
        const left = deps.leave === null ? ok({}) : await deps.leave(of, context.actor);
        return left.ok ? ok({ userId: of.user, revoked: true as const, ...left.value }) : left;
      }),
    ),
    defineRoute('patients.bind', ({ params: { mrn }, body }, context) =>
      made(mrn, 'access', context, async (of) => {
        // It opens the binding, is shown this once and kept nowhere.
        const salt = body.salt ?? enrol.newSalt();
        const bound = await enrol.bind(of, {
          clientName: body.client_name,
          tycUrl: body.tyc_url ?? null,
          supportUrl: body.support_url ?? null,
          completeLogOut: body.complete_log_out ?? null,
          salt,
        });
        return bound.ok ? ok({ userId: of.user, ...bound.value, salt }) : bound;
      }),
    ),
    defineRoute('patients.labs', ({ params: { mrn } }, context) =>
      known(mrn, 'R', context, (of) => shownRequests(of, 'lab')),
    ),
    defineRoute('patients.submitLab', async ({ params: { mrn }, query }, context) => {
      const file = await readDocument(context.request);
      if (!file.ok) return file;
      return made(mrn, 'lab', context, async (of) => {
        const sent = await enrol.submitLab(of, mrn, file.value, query.timezone);
        return sent.ok ? ok({ userId: of.user, documentId: sent.value, state: 'received' as const }) : sent;
      });
    }),
    defineRoute('patients.profiles', ({ params: { mrn } }, context) =>
      known(mrn, 'R', context, (of) => shownRequests(of, 'profile')),
    ),
    defineRoute('patients.requestProfile', ({ params: { mrn } }, context) =>
      known(mrn, 'C', context, async (of) => {
        const sent = await enrol.requestProfile(of, mrn);
        return sent.ok ? ok({ userId: of.user, requestId: sent.value, state: 'received' as const }) : sent;
      }),
    ),
    defineRoute('patients.rule', ({ params: { mrn } }, context) =>
      known(mrn, 'R', context, async (of) => ruleAnswer(await enrol.readRule(of))),
    ),
    defineRoute('patients.replaceRule', ({ params: { mrn }, body }, context) =>
      known(mrn, 'U', context, async (of) => ruleAnswer(await enrol.replaceRule(of, body))),
    ),
    defineRoute('monitoring.rule', async (_input, context) =>
      done(context, 'R', NOBODY, ruleAnswer(await enrol.readRule(null))),
    ),
    defineRoute('monitoring.replaceRule', async ({ body }, context) =>
      done(context, 'U', NOBODY, ruleAnswer(await enrol.replaceRule(null, body))),
    ),
    defineRoute('patients.overdue', async (_input, context) => {
      const overdue = await enrol.overdue();
      if (!overdue.ok) return overdue;
      const requests = overdue.value.map(({ id, kind, mrn, askedAt }) => ({ id, kind, mrn, askedAt: iso(askedAt) }));
      const mrns = [...new Set(requests.map(({ mrn }) => mrn))];
      return done(context, 'R', { enrolled: null, mrns }, ok({ requests }));
    }),
  ];
}
