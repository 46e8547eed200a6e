import type { Grant, Letter, StandingGrant } from '../auth/index.ts';
import { fail, fault, ok, type Answer, type Chance, type Clock, type NewId, type Result } from '../kernel/index.ts';
import { FHIR_JSON, type Caller, type Handle, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import type { SubscriptionReads, SubscriptionWrites, WantedSubscription } from './commands.ts';
import type { EndpointGuard } from './guard-endpoint.ts';
import { findOwn, isSeenBy, ownerOf, readJson } from './own-subscriptions.ts';
import { parseSubscription, type ParsedSubscription } from './parse-subscription.ts';
import { levelsFor, reachOf, type TopicReach } from './reach.ts';
import { showSubscription } from './show-subscription.ts';
import { newSecret } from './sign.ts';
import type { Subscription } from './subscription.ts';

export interface AnswerDeps {
  readonly tenant: string;
  readonly kit: ReadKit;
  readonly subscriptions: Operate<SubscriptionWrites, SubscriptionReads>;
  readonly guard: EndpointGuard;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly clock: Clock;
  /** Told that there is something to send. */
  readonly onDue: () => void;
}

type Json = Readonly<Record<string, unknown>>;
type Mrns = WantedSubscription['context'];

/** A rotated secret signs beside the new one for a day. */
const ROTATION_MS = 86_400_000;
const PAGE = { otherwise: 50, most: 200 } as const;
const ROWS_AT_ONCE = 500;

export type ListOwn = (
  letter: Letter,
  caller: Caller,
  of: { readonly after: number; readonly limit: number; readonly isWanted: (one: Subscription) => boolean },
) => Promise<Result<readonly Subscription[]>>;

export const answerOf = (status: number, body: Json, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { 'Content-Type': FHIR_JSON, ...headers },
  body: JSON.stringify(body),
});

/** A token whose issuer cannot be asked anew stands for itself, and as long as it would. */
const standingOf = (grant: Grant): StandingGrant =>
  grant.standing ?? {
    issuer: grant.issuer,
    clientId: grant.clientId,
    accountId: null,
    subject: grant.subject,
    grantId: null,
    sessionUid: null,
    scope: [...grant.scopes.map(({ text }) => text), ...grant.words].join(' '),
    patient: grant.patient,
    untilMs: grant.expiresAt.getTime(),
  };

const settingsOf = (parsed: ParsedSubscription, grant: Grant) => ({
  endpoint: parsed.endpoint.href,
  headers: parsed.headers ?? [],
  criteria: parsed.criteria,
  reason: parsed.reason,
  payload: parsed.payload,
  heartbeatMs: parsed.heartbeatMs,
  timeoutMs: parsed.timeoutMs,
  countMax: parsed.countMax,
  grant: standingOf(grant),
});

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** What apps do with subscriptions of their own. */
export function makeAnswerSubscriptions(deps: AnswerDeps) {
  const { tenant, kit, subscriptions, guard, clock } = deps;
  const { links, mrnSystem, ownBase } = kit;

  const record = (
    interaction: string,
    action: 'C' | 'R' | 'U' | 'D',
    caller: Caller,
    more: { id?: string; count?: number } = {},
  ) =>
    kit.record(
      { type: 'fhir.subscribe', interaction, resourceType: 'Subscription', outcome: '0', action, ...more },
      caller,
    );

  /** The same refusal for a patient who is not linked and for one who is not there. */
  async function mrnsOf(ids: readonly string[], caller: Caller): Promise<Result<Mrns>> {
    const mrns: { mrnSystem: string; mrn: string }[] = [];
    for (const id of ids) {
      const found = await links.mrnsOf(id, caller);
      if (!found.ok) return found;
      if (found.value.length === 0) return fail(fault('read.other-patient'));
      mrns.push(...found.value.map((mrn) => ({ mrnSystem, mrn })));
    }
    return ok(mrns);
  }

  /** What is asked for, as far as it is done here and the token may have it. */
  async function accept(
    body: unknown,
    { grant }: Caller,
  ): Promise<Result<{ readonly parsed: ParsedSubscription; readonly reach: TopicReach }>> {
    const read = parseSubscription(body, ownBase, clock.now());
    if (!read.ok) return read;
    const parsed = read.value;
    if (!kit.isOffered(parsed.topic.type))
      return fail(fault('subscription.unsupported', { at: 'Subscription.criteria', detail: 'another topic' }));
    const reach = reachOf(grant, parsed.topic, parsed.patients);
    if (typeof reach === 'string') return fail(fault(`read.${reach}`));
    const endpoint = await guard.check(parsed.endpoint);
    if (endpoint.kind === 'refused')
      return fail(fault('subscription.endpoint', { at: 'Subscription.channel.endpoint' }));
    return ok({ parsed, reach });
  }

  const create: Handle = async (ask, _target, caller) => {
    const { grant } = caller;
    if (levelsFor(grant, 'c').size === 0) return fail(fault('read.scope'));
    const body = await readJson(ask);
    if (!body.ok) return body;
    const accepted = await accept(body.value, caller);
    if (!accepted.ok) return accepted;
    const { parsed, reach } = accepted.value;
    const [patients, context] = [
      reach.patients === null ? ok(null) : await mrnsOf(reach.patients, caller),
      grant.patient === null ? ok([]) : await mrnsOf([grant.patient], caller),
    ];
    if (!patients.ok) return patients;
    if (!context.ok) return context;
    const id = deps.newId('sub').replace('_', '-');
    const recorded = await record('create', 'C', caller, { id });
    if (!recorded.ok) return recorded;
    const secret = newSecret(deps.chance);
    const made = await subscriptions.write('subscription.add', {
      tenant,
      id,
      at: clock.now(),
      owner: ownerOf(grant),
      kind: parsed.topic.kind,
      filters: { all: parsed.conditions, within: reach.within },
      patients: patients.value,
      context: context.value,
      content: parsed.content,
      settings: { ...settingsOf(parsed, grant), secrets: [{ value: secret, untilMs: null }] },
      endAt: earlier(parsed.endAt, standingOf(grant).untilMs),
    });
    if (!made.ok) return made;
    if (made.value === 'too-many') return fail(fault('subscription.too-many'));
    deps.onDue();
    const location = `${ownBase}/Subscription/${id}`;
    return ok(answerOf(201, showSubscription(made.value, { headers: true, secret }), { Location: location }));
  };

  const read: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'r', caller);
    if (!found.ok) return found;
    const recorded = await record('read', 'R', caller, { id });
    return recorded.ok ? ok(answerOf(200, showSubscription(found.value))) : recorded;
  };

  /** Same topic, filters and patient: the numbers of a subscription are about one thing. */
  const isSame = (s: Subscription, { topic, criteria }: ParsedSubscription): boolean =>
    topic.kind === s.kind && JSON.stringify(criteria) === JSON.stringify(s.settings.criteria);

  const update: Handle = async (ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'u', caller);
    if (!found.ok) return found;
    const body = await readJson(ask);
    if (!body.ok) return body;
    const accepted = await accept(body.value, caller);
    if (!accepted.ok) return accepted;
    const { parsed } = accepted.value;
    const { settings } = found.value;
    if ((body.value as Json)['id'] !== id || !isSame(found.value, parsed))
      return fail(
        fault('subscription.unsupported', {
          at: 'Subscription.criteria',
          detail: 'id, topic and filters as it was made with',
        }),
      );
    if (settings.grant.patient !== caller.grant.patient) return fail(fault('read.other-patient'));
    const recorded = await record('update', 'U', caller, { id });
    if (!recorded.ok) return recorded;
    const next = settingsOf(parsed, caller.grant);
    const changed = await subscriptions.write('subscription.change', {
      tenant,
      id,
      owner: ownerOf(caller.grant),
      at: clock.now(),
      state: parsed.state,
      content: parsed.content,
      endAt: earlier(parsed.endAt, next.grant.untilMs),
      // What an endpoint was to be sent is not for another one.
      settings: { ...next, headers: parsed.headers ?? (next.endpoint === settings.endpoint ? settings.headers : []) },
    });
    if (!changed.ok) return changed;
    if (changed.value === null) return fail(fault('subscription.not-found'));
    if (typeof changed.value === 'string') return fail(fault(`subscription.${changed.value}`));
    deps.onDue();
    return ok(answerOf(200, showSubscription(changed.value, parsed.headers === null ? {} : { headers: true })));
  };

  const remove: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'd', caller);
    if (!found.ok) return found;
    const recorded = await record('delete', 'D', caller, { id });
    if (!recorded.ok) return recorded;
    const removed = await subscriptions.write('subscription.remove', { tenant, id, owner: ownerOf(caller.grant) });
    return removed.ok ? ok({ status: 204, body: '' }) : removed;
  };

  const rotate: Handle = async (_ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'u', caller);
    if (!found.ok) return found;
    const recorded = await record('operation', 'U', caller, { id });
    if (!recorded.ok) return recorded;
    const [secret, at] = [newSecret(deps.chance), clock.now()];
    const beforeUntil = new Date(at.getTime() + ROTATION_MS);
    const owner = ownerOf(caller.grant);
    const done = await subscriptions.write('subscription.rotate', { tenant, id, owner, at, secret, beforeUntil });
    if (!done.ok) return done;
    if (done.value === null) return fail(fault('subscription.not-found'));
    const parameter = [{ name: 'secret', valueString: secret }];
    return ok(answerOf(200, { resourceType: 'Parameters', parameter }));
  };

  /**
   * Those of the caller that a letter lets it see and that are wanted, in the order of their making. What is not seen is
   * passed over here, so that neither the length of a page nor its next link tells of it.
   */
  const listOwn: ListOwn = async (letter, { grant }, { after, limit, isWanted }) => {
    if (levelsFor(grant, letter).size === 0) return fail(fault('read.scope'));
    const found: Subscription[] = [];
    for (let from = after; ;) {
      const of = { tenant, owner: ownerOf(grant), after: from, limit: ROWS_AT_ONCE };
      const listed = await subscriptions.read('subscription.list-own', of);
      if (!listed.ok) return listed;
      found.push(...listed.value.filter((one) => isSeenBy(grant, letter, one) && isWanted(one)));
      if (found.length >= limit || listed.value.length < ROWS_AT_ONCE) return ok(found.slice(0, limit));
      from = listed.value.at(-1)?.seq ?? from;
    }
  };

  const SEARCH: Readonly<Record<string, (s: Subscription, value: string) => boolean>> = {
    _id: (s, value) => value.split(',').includes(s.id),
    status: (s, value) => value.split(',').includes(s.state),
    url: (s, value) => s.settings.endpoint === value,
    type: (_s, value) => value.split(',').includes('rest-hook'),
    payload: (s, value) => value.split(',').includes(s.settings.payload),
    criteria: (s, value) => showSubscription(s)['criteria'] === value,
  };

  const search: Handle = async (_ask, { query }, caller) => {
    const conditions = query.filter(([name]) => !['_count', '_after', '_format', '_total'].includes(name));
    const odd = conditions.find(([name]) => !Object.hasOwn(SEARCH, name));
    if (odd !== undefined) return fail(fault('read.parameter', { problems: ['a parameter that is not known here'] }));
    const asked = (name: string): number => Number(query.find(([one]) => one === name)?.[1] ?? NaN);
    const size = Math.min(PAGE.most, Math.max(1, Math.trunc(asked('_count')) || PAGE.otherwise));
    const after = Math.max(0, Math.trunc(asked('_after')) || 0);
    const isWanted = (one: Subscription): boolean =>
      conditions.every(([name, value]) => SEARCH[name]?.(one, value) ?? false);
    const listed = await listOwn('s', caller, { after, limit: size + 1, isWanted });
    if (!listed.ok) return listed;
    const found = listed.value.slice(0, size);
    const recorded = await record('search-type', 'R', caller, { count: found.length });
    if (!recorded.ok) return recorded;
    const next = new URLSearchParams(
      [...conditions, ['_count', String(size)], ['_after', String(found.at(-1)?.seq ?? 0)]].map(
        ([name = '', value = '']): [string, string] => [name, value],
      ),
    );
    const self = new URLSearchParams(conditions.map(([name, value]): [string, string] => [name, value]));
    return ok(
      answerOf(200, {
        resourceType: 'Bundle',
        type: 'searchset',
        link: [
          { relation: 'self', url: `${ownBase}/Subscription${conditions.length === 0 ? '' : `?${self}`}` },
          ...(listed.value.length > size ? [{ relation: 'next', url: `${ownBase}/Subscription?${next}` }] : []),
        ],
        entry: found.map((one) => ({
          fullUrl: `${ownBase}/Subscription/${one.id}`,
          resource: showSubscription(one),
          search: { mode: 'match' },
        })),
      }),
    );
  };

  return { create, read, update, remove, rotate, search, listOwn };
}
