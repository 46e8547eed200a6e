import { fail, fault, isObject, ok, type Ask, type Result } from '../kernel/index.ts';
import type { Caller, Handle } from '../smart/index.ts';
import { answerOf, type AnswerDeps } from './answer-subscriptions.ts';
import type { ListOwn } from './search-subscriptions.ts';
import { buildNotification, statusOf } from './build-notification.ts';
import { SUBSCRIPTIONS_MAX } from './commands.ts';
import { findOwn, readJson } from './own-subscriptions.ts';
import type { PermitEvents } from './permit-events.ts';
import { CONTENTS, type Content, type Subscription } from './subscription.ts';
import { recordsOf } from './notification-records.ts';

/** How many events one answer has; the next one begins behind its last. */
export const EVENTS_MAX = 100;
/** As many as an app can have that are not off: only those that are off make another page. */
const STATUSES_MAX = SUBSCRIPTIONS_MAX;
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
    readonly listOwn: ListOwn;
  },
) {
  const { tenant, kit, subscriptions, clock, permit } = deps;
  const { ownBase } = kit;

  async function answerStatus(
    found: readonly Subscription[],
    links: { readonly self: string; readonly next: string | null; readonly isFirst: boolean },
    caller: Caller,
  ) {
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
        ...(links.isFirst && links.next === null ? { total: found.length } : {}),
        link: [
          { relation: 'self', url: links.self },
          ...(links.next === null ? [] : [{ relation: 'next', url: links.next }]),
        ],
        ...(entry.length === 0 ? {} : { entry }),
      }),
    );
  }

  const status: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'r', caller);
    if (!found.ok) return found;
    return answerStatus(
      [found.value],
      { self: `${ownBase}/Subscription/${id}/$status`, next: null, isFirst: true },
      caller,
    );
  };

  const statuses: Handle = async (ask, { query }, caller) => {
    const given = await parametersOf(ask, query);
    if (!given.ok) return given;
    const many = (name: string): string[] =>
      given.value.filter(([one]) => one === name).flatMap(([, value]) => value.split(','));
    const [ids, states] = [many('id'), many('status')];
    const numberOf = (name: string): number => Math.trunc(Number(valueOf(given.value, name) ?? NaN)) || 0;
    const size = Math.min(STATUSES_MAX, Math.max(0, numberOf('_count')) || STATUSES_MAX);
    const after = Math.max(0, numberOf('_after'));
    const listed = await deps.listOwn('r', caller, {
      after,
      limit: size + 1,
      isWanted: ({ id, state }) =>
        (ids.length === 0 || ids.includes(id)) && (states.length === 0 || states.includes(state)),
    });
    if (!listed.ok) return listed;
    const found = listed.value.slice(0, size);
    const self = `${ownBase}/Subscription/$status`;
    const onward = new URLSearchParams([
      ...ids.map((id): [string, string] => ['id', id]),
      ...states.map((state): [string, string] => ['status', state]),
      ['_count', String(size)],
      ['_after', String(found.at(-1)?.seq ?? 0)],
    ]);
    const next = listed.value.length > size ? `${self}?${onward}` : null;
    return answerStatus(found, { self, next, isFirst: after === 0 }, caller);
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
    const permitted = await permit({ subscription, events: numbered.value, content, grant, requestId, log });
    if (!permitted.ok) return permitted;
    const at = clock.now();
    const records = recordsOf({
      subscription,
      grant,
      type: 'query-event',
      content,
      events: numbered.value,
      permitted: permitted.value,
      requestId,
    });
    const recorded = await subscriptions.write('subscription.record', { tenant, at, records });
    if (!recorded.ok) return recorded;
    return ok(
      answerOf(200, buildNotification({ subscription, type: 'query-event', events: permitted.value, ownBase, at })),
    );
  };

  return { status, statuses, events };
}
