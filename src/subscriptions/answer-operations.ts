import { fail, fault, isObject, ok, type Ask, type Result } from '../kernel/index.ts';
import type { Caller, Handle } from '../smart/index.ts';
import { answerOf, type AnswerDeps } from './answer-subscriptions.ts';
import { buildNotification, statusOf } from './build-notification.ts';
import { findOwn, readJson } from './own-subscriptions.ts';
import type { PermitEvents } from './permit-events.ts';
import { CONTENTS, type Content, type Subscription } from './subscription.ts';
import { recordsOf } from './told-records.ts';
import type { Letter } from '../auth/index.ts';

/** How many events one answer has; the next one begins behind its last. */
export const EVENTS_MAX = 100;
const STATUSES_MAX = 200;
const NUMBER = /^\d{1,15}$/;

type Pairs = readonly (readonly [name: string, value: string])[];

/** What an operation is given, in the query or in Parameters. */
async function parametersOf(ask: Ask, query: Pairs): Promise<Result<Pairs>> {
  if (ask.request.method !== 'POST') return ok(query);
  const body = await readJson(ask);
  if (!body.ok) return body;
  if (body.value === null) return ok(query);
  const list = isObject(body.value) ? body.value['parameter'] : null;
  if (!isObject(body.value) || body.value['resourceType'] !== 'Parameters') return fail(fault('read.body'));
  const given = (Array.isArray(list) ? (list as unknown[]) : []).flatMap((one): [string, string][] => {
    const { name, ...rest } = isObject(one) ? one : {};
    const value = Object.entries(rest).find(([key]) => key.startsWith('value'))?.[1];
    return typeof name === 'string' && (typeof value === 'string' || typeof value === 'number')
      ? [[name, String(value)]]
      : [];
  });
  return ok([...query, ...given]);
}

const valueOf = (pairs: Pairs, name: string): string | undefined => pairs.find(([one]) => one === name)?.[1];

/** `$status` and `$events` of the guide. */
export function makeAnswerOperations(
  deps: AnswerDeps & {
    readonly permit: PermitEvents;
    readonly listOwn: (
      letter: Letter,
      caller: Caller,
      after: number,
      limit: number,
    ) => Promise<Result<readonly Subscription[]>>;
  },
) {
  const { tenant, kit, subscriptions, clock, permit } = deps;
  const { ownBase } = kit;

  async function answerStatus(found: readonly Subscription[], self: string, caller: Caller) {
    const recorded = await kit.record(
      {
        type: 'fhir.subscribe',
        interaction: 'operation',
        resourceType: 'Subscription',
        outcome: '0',
        action: 'R',
        count: found.length,
      },
      caller,
    );
    if (!recorded.ok) return recorded;
    const entry = found.map((subscription) => {
      const resource = statusOf({ subscription, type: 'query-status', events: [], ownBase });
      return { fullUrl: `urn:uuid:${resource.id}`, resource, search: { mode: 'match' } };
    });
    return ok(
      answerOf(200, {
        resourceType: 'Bundle',
        type: 'searchset',
        timestamp: clock.now().toISOString(),
        total: found.length,
        link: [{ relation: 'self', url: self }],
        ...(entry.length === 0 ? {} : { entry }),
      }),
    );
  }

  const status: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'r', caller);
    return found.ok ? answerStatus([found.value], `${ownBase}/Subscription/${id}/$status`, caller) : found;
  };

  const statuses: Handle = async (ask, { query }, caller) => {
    const given = await parametersOf(ask, query);
    if (!given.ok) return given;
    const many = (name: string): string[] =>
      given.value.filter(([one]) => one === name).flatMap(([, value]) => value.split(','));
    const [ids, states] = [many('id'), many('status')];
    const listed = await deps.listOwn('r', caller, 0, 10_000);
    if (!listed.ok) return listed;
    const found = listed.value.filter(
      (one) => (ids.length === 0 || ids.includes(one.id)) && (states.length === 0 || states.includes(one.state)),
    );
    return answerStatus(found.slice(0, STATUSES_MAX), `${ownBase}/Subscription/$status`, caller);
  };

  const events: Handle = async (ask, { segments: [, id = ''], query }, caller) => {
    const found = await findOwn(deps, id, 'r', caller);
    if (!found.ok) return found;
    const given = await parametersOf(ask, query);
    if (!given.ok) return given;
    const subscription = found.value;
    const [since, until] = [
      valueOf(given.value, 'eventsSinceNumber') ?? '1',
      valueOf(given.value, 'eventsUntilNumber') ?? String(subscription.lastNumber),
    ];
    if (!NUMBER.test(since) || !NUMBER.test(until))
      return fail(fault('read.parameter', { problems: ['eventsSinceNumber and eventsUntilNumber are whole numbers'] }));
    const content = (valueOf(given.value, 'content') ?? subscription.content) as Content;
    if (!CONTENTS.includes(content))
      return fail(fault('read.parameter', { problems: [`content is one of ${CONTENTS.join(', ')}`] }));
    const numbered = await subscriptions.read('subscription.events', {
      tenant,
      seq: subscription.seq,
      from: Number(since),
      to: Number(until),
      limit: EVENTS_MAX,
    });
    if (!numbered.ok) return numbered;
    const { grant, requestId, log } = caller;
    const told = await permit({ subscription, events: numbered.value, content, grant, requestId, log });
    if (!told.ok) return told;
    const at = clock.now();
    const records = recordsOf({
      subscription,
      grant,
      type: 'query-event',
      content,
      events: numbered.value,
      told: told.value,
      requestId,
    });
    const recorded = await subscriptions.write('subscription.record', { tenant, at, records });
    if (!recorded.ok) return recorded;
    return ok(answerOf(200, buildNotification({ subscription, type: 'query-event', events: told.value, ownBase, at })));
  };

  return { status, statuses, events };
}
