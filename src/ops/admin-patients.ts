import {
  fail,
  fault,
  jsonAnswer,
  ok,
  type Answer,
  type Ask,
  type Clock,
  type Result,
  type Route,
} from '../kernel/index.ts';
import {
  isOverdue,
  isTimezone,
  readDocument,
  type Enrol,
  type Enrolled,
  type FindUser,
  type KnownConnection,
  type KnownRequest,
  type LabFile,
  type MonitoringRule,
  type RequestKind,
} from '../enrol/index.ts';
import { isMrn } from '../identity/index.ts';
import type { InboxReads, InboxWrites } from '../inbox/index.ts';
import type { Operate } from '../store/index.ts';
import { adminRoute as admin, iso, queryOf } from './admin-query.ts';
import { isWebAddress, readObject, type Fields } from './read-json.ts';
import type { RecordAct } from './record-act.ts';

const BODY_BYTES_MAX = 64 * 1024;
const DATA_SOURCE = /^[A-Za-z0-9_-]{1,64}$/;

/** Google-based providers answer 403 disallowed_useragent to an embedded web view. */
const WARNING =
  'Open this address in the system browser or in an in-app browser tab, never in an embedded web view: some providers refuse it.';

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 200;

const BINDING: Fields = {
  client_name: { isRequired: true, isGood: isText },
  tyc_url: { isGood: isWebAddress },
  support_url: { isGood: isWebAddress },
  complete_log_out: { isGood: (value) => value === null || typeof value === 'boolean' },
  salt: { isGood: (value) => typeof value === 'string' && /^[^\p{Cc}]{4,6}$/u.test(value) },
};

const shownConnection = ({ askedAt, changedAt, failure, ...rest }: KnownConnection) => ({
  ...rest,
  askedAt: askedAt === null ? null : iso(askedAt),
  changedAt: iso(changedAt),
  failure: failure === null ? null : { ...failure, at: iso(failure.at) },
});

type Action = 'C' | 'R' | 'U' | 'E';
type Act<P> = (of: Enrolled, prepared: P, mrn: string) => Promise<Result<Answer>>;
type Prepare<P> = (ask: Ask) => Result<P> | Promise<Result<P>>;
const nothing: Prepare<null> = () => ok(null);
const NOBODY = { enrolled: null, mrns: [] } as const;

/** The health data service's operations, by MRN. */
export function makePatientRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly users: FindUser;
  readonly enrol: Enrol;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly record: RecordAct;
  /** Ends the link of a patient who has left; null where what was charted stays, and with it the link. */
  readonly leave: ((user: Enrolled, requestId: string) => Promise<Result<{ readonly retracting: number }>>) | null;
  readonly clock: Clock;
}): Route[] {
  const { tenant, users, enrol, record } = deps;

  /** What a person did is recorded with how it ended, before anybody hears of it. */
  async function done(
    ask: Ask,
    action: Action,
    why: string,
    of: { readonly enrolled: Enrolled | null; readonly mrns: readonly string[] },
    result: Result<Answer>,
  ) {
    const recorded = await record(ask, {
      action,
      outcome: result.ok ? '0' : '8',
      why,
      ...(of.enrolled === null ? {} : { linkId: of.enrolled.linkId }),
      patients: of.mrns.map((mrn) => ({ system: deps.mrnSystem, mrn })),
    });
    return recorded.ok ? result : recorded;
  }

  /**
   * `made`: a patient who has no source user gets one. What is asked is read first, so that a mistake makes no user.
   */
  const patient =
    <P>(who: 'known' | 'made', action: Action, why: string, prepare: Prepare<P>, act: Act<P>) =>
    async (ask: Ask): Promise<Result<Answer>> => {
      const mrn = ask.params['mrn'] ?? '';
      if (!isMrn(mrn)) return fail(fault('admin.parameter', { at: 'mrn' }));
      const prepared = await prepare(ask);
      if (!prepared.ok) return prepared;
      const of = who === 'known' ? await users.known(mrn) : await users.made(mrn, ask.requestId);
      if (!of.ok) return of;
      return done(ask, action, why, { enrolled: of.value, mrns: [mrn] }, await act(of.value, prepared.value, mrn));
    };

  /** What the service cannot be asked for makes no user either. */
  const whenReady =
    <P>(part: 'access' | 'lab', prepare: Prepare<P>): Prepare<P> =>
    async (ask) => {
      const prepared = await prepare(ask);
      if (!prepared.ok) return prepared;
      const ready = enrol.ready(part);
      return ready.ok ? prepared : ready;
    };

  const sourceOf: Prepare<string> = ({ params }) => {
    const name = params['data_source'] ?? '';
    return DATA_SOURCE.test(name) ? ok(name) : fail(fault('admin.parameter', { at: 'data_source' }));
  };

  async function shownRequests(of: Enrolled, kind: RequestKind): Promise<Result<Answer>> {
    const shown = await enrol.show(of);
    if (!shown.ok) return shown;
    const nowMs = deps.clock.now().getTime();
    const list = [];
    for (const request of shown.value.requests.filter((one) => one.kind === kind))
      list.push(await shownRequest(request, nowMs));
    return ok(jsonAnswer(200, { userId: of.user, requests: list }));
  }

  /** `received` until the result is there; then the state of the delivery that brought it. */
  async function shownRequest(
    { id, askedAt, deliveryId, arrivedAt, ...rest }: Omit<KnownRequest, 'kind'>,
    nowMs: number,
  ) {
    const delivery = deliveryId === null ? null : await deps.inbox.read('inbox.get', { tenant, id: deliveryId });
    return {
      id,
      ...rest,
      state: deliveryId === null ? (isOverdue({ askedAt, deliveryId }, nowMs) ? 'overdue' : 'received') : 'arrived',
      askedAt: iso(askedAt),
      arrivedAt: arrivedAt === null ? null : iso(arrivedAt),
      deliveryId,
      deliveryState: delivery?.ok === true ? (delivery.value?.state ?? null) : null,
    };
  }

  const objectOf =
    (fields: Fields | 'any'): Prepare<Readonly<Record<string, unknown>>> =>
    ({ request }) =>
      readObject(request, BODY_BYTES_MAX, fields);
  const ruleAnswer = (rule: Result<MonitoringRule | null>): Result<Answer> =>
    rule.ok ? ok(jsonAnswer(200, { rule: rule.value })) : rule;

  const listConnections = patient('known', 'R', 'connections', nothing, async (of) => {
    const shown = await enrol.show(of);
    if (!shown.ok) return shown;
    const { connections, revokedAt, late } = shown.value;
    return ok(
      jsonAnswer(200, {
        userId: of.user,
        connections: connections.map(shownConnection),
        revokedAt: revokedAt === null ? null : iso(revokedAt),
        lateDeliveries: late,
      }),
    );
  });

  const lookAtConnection = patient('known', 'R', 'connection', sourceOf, async (of, dataSource) => {
    const said = await enrol.look(of, dataSource);
    if (!said.ok) return said;
    const shown = await enrol.show(of);
    if (!shown.ok) return shown;
    const known = shown.value.connections.find((one) => one.dataSource === dataSource);
    const { authorized } = said.value;
    return ok(
      jsonAnswer(200, {
        userId: of.user,
        dataSource,
        authorized,
        known: known === undefined ? null : shownConnection(known),
      }),
    );
  });

  const readConnect: Prepare<{ dataSource: string; redirectUrl: string | null }> = async (ask) => {
    const dataSource = await sourceOf(ask);
    if (!dataSource.ok) return dataSource;
    const body = await objectOf({ redirect_url: { isGood: isWebAddress } })(ask);
    if (!body.ok) return body;
    return ok({
      dataSource: dataSource.value,
      redirectUrl: (body.value['redirect_url'] as string | undefined) ?? null,
    });
  };
  const connect = patient(
    'made',
    'C',
    'connect',
    whenReady('access', readConnect),
    async (of, { dataSource, redirectUrl }) => {
      const said = await enrol.connect(of, dataSource, redirectUrl);
      if (!said.ok) return said;
      const { authorized, authorizationUrl } = said.value;
      const warning = authorizationUrl === null ? null : WARNING;
      return ok(jsonAnswer(200, { userId: of.user, dataSource, authorized, authorizationUrl, warning }));
    },
  );

  const bind = patient('made', 'C', 'binding', whenReady('access', objectOf(BINDING)), async (of, given) => {
    const salt = (given['salt'] as string | undefined) ?? enrol.newSalt();
    const bound = await enrol.bind(of, {
      clientName: given['client_name'] as string,
      tycUrl: (given['tyc_url'] as string | undefined) ?? null,
      supportUrl: (given['support_url'] as string | undefined) ?? null,
      completeLogOut: (given['complete_log_out'] as boolean | null | undefined) ?? null,
      salt,
    });
    if (!bound.ok) return bound;
    const answer = jsonAnswer(200, { userId: of.user, ...bound.value, salt });
    // It opens the binding, is shown this once and kept nowhere.
    return ok({ ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store' } });
  });

  const readLab: Prepare<{ file: LabFile; timezone: string }> = async (ask) => {
    const query = queryOf(ask, ['timezone']);
    if (!query.ok) return query;
    const timezone = query.value.get('timezone') ?? '';
    if (!isTimezone(timezone)) return fail(fault('admin.parameter', { at: 'timezone' }));
    const file = await readDocument(ask.request);
    return file.ok ? ok({ file: file.value, timezone }) : file;
  };
  const submitLab = patient('made', 'C', 'lab', whenReady('lab', readLab), async (of, { file, timezone }, mrn) => {
    const sent = await enrol.submitLab(of, mrn, file, timezone);
    return sent.ok ? ok(jsonAnswer(202, { userId: of.user, documentId: sent.value, state: 'received' })) : sent;
  });

  const base = '/admin/api/patients/:mrn';
  return [
    admin('get', `${base}/connections`, listConnections),
    admin('get', `${base}/connections/:data_source`, lookAtConnection),
    admin('post', `${base}/connections/:data_source`, connect),
    admin(
      'post',
      `${base}/revoke`,
      patient(
        'known',
        'E',
        'revoke',
        ({ requestId }) => ok(requestId),
        async (of, requestId) => {
          const revoked = await enrol.revoke(of);
          if (!revoked.ok) return revoked;
          const left = deps.leave === null ? ok({}) : await deps.leave(of, requestId);
          return left.ok ? ok(jsonAnswer(200, { userId: of.user, revoked: true, ...left.value })) : left;
        },
      ),
    ),
    admin('post', `${base}/binding`, bind),
    admin(
      'get',
      `${base}/labs`,
      patient('known', 'R', 'labs', nothing, (of) => shownRequests(of, 'lab')),
    ),
    admin('post', `${base}/labs`, submitLab),
    admin(
      'get',
      `${base}/profile`,
      patient('known', 'R', 'profiles', nothing, (of) => shownRequests(of, 'profile')),
    ),
    admin(
      'post',
      `${base}/profile`,
      patient('known', 'C', 'profile', nothing, async (of, _nothing, mrn) => {
        const sent = await enrol.requestProfile(of, mrn);
        return sent.ok ? ok(jsonAnswer(202, { userId: of.user, requestId: sent.value, state: 'received' })) : sent;
      }),
    ),
    admin(
      'get',
      `${base}/monitoring-rules`,
      patient('known', 'R', 'rules', nothing, async (of) => ruleAnswer(await enrol.readRule(of))),
    ),
    admin(
      'put',
      `${base}/monitoring-rules`,
      patient('known', 'U', 'rules', objectOf('any'), async (of, rule) =>
        ruleAnswer(await enrol.replaceRule(of, rule)),
      ),
    ),
    admin('get', '/admin/api/monitoring-rules', async (ask) =>
      done(ask, 'R', 'general rules', NOBODY, ruleAnswer(await enrol.readRule(null))),
    ),
    admin('put', '/admin/api/monitoring-rules', async (ask) => {
      const rule = await objectOf('any')(ask);
      return rule.ok
        ? done(ask, 'U', 'general rules', NOBODY, ruleAnswer(await enrol.replaceRule(null, rule.value)))
        : rule;
    }),
    admin('get', '/admin/api/overdue', async (ask) => {
      const overdue = await enrol.overdue();
      if (!overdue.ok) return overdue;
      const list = overdue.value.map(({ id, kind, mrn, askedAt }) => ({ id, kind, mrn, askedAt: iso(askedAt) }));
      const mrns = [...new Set(list.map(({ mrn }) => mrn))];
      return done(ask, 'R', 'overdue', { enrolled: null, mrns }, ok(jsonAnswer(200, { requests: list })));
    }),
  ];
}
