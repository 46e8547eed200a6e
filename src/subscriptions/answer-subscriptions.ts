import type { Grant, StandingGrant } from '../auth/index.ts';
import { fail, fault, ok, type Answer, type Chance, type Clock, type NewId, type Result } from '../kernel/index.ts';
import { FHIR_JSON, type Caller, type Handle, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import { applyJsonPatch } from './apply-json-patch.ts';
import type { SubscriptionReads, SubscriptionWrites, WantedSubscription } from './commands.ts';
import type { EndpointGuard } from './guard-endpoint.ts';
import { findOwn, makeRecordSubscription, ownerOf, PATCH_BODY, readJson } from './own-subscriptions.ts';
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
const CHANGE_TURNS = 5;

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

  const record = makeRecordSubscription(kit);

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

  /** `stale`: it has changed since it was found, and what was made of it might undo that. */
  async function change(found: Subscription, wanted: unknown, caller: Caller): Promise<Result<Answer | 'stale'>> {
    const { id, settings } = found;
    const accepted = await accept(wanted, caller);
    if (!accepted.ok) return accepted;
    const { parsed } = accepted.value;
    if ((wanted as Json)['id'] !== id || !isSame(found, parsed))
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
      foundAt: found.changedAt,
      state: parsed.state,
      content: parsed.content,
      endAt: earlier(parsed.endAt, next.grant.untilMs),
      // What an endpoint was to be sent is not for another one.
      settings: { ...next, headers: parsed.headers ?? (next.endpoint === settings.endpoint ? settings.headers : []) },
    });
    if (!changed.ok) return changed;
    if (changed.value === null) return fail(fault('subscription.not-found'));
    if (changed.value === 'stale') return ok('stale');
    if (typeof changed.value === 'string') return fail(fault(`subscription.${changed.value}`));
    deps.onDue();
    return ok(answerOf(200, showSubscription(changed.value, parsed.headers === null ? {} : { headers: true })));
  }

  /** Changes a subscription as it is now; what is wanted is made anew whenever it has changed in between. */
  async function changeOwn(
    id: string,
    caller: Caller,
    wantedOf: (found: Subscription) => Result<unknown>,
  ): Promise<Result<Answer>> {
    for (let turn = 0; turn < CHANGE_TURNS; turn += 1) {
      const found = await findOwn(deps, id, 'u', caller);
      if (!found.ok) return found;
      const wanted = wantedOf(found.value);
      if (!wanted.ok) return wanted;
      const changed = await change(found.value, wanted.value, caller);
      if (!changed.ok) return changed;
      if (changed.value !== 'stale') return ok(changed.value);
    }
    return fail(fault('subscription.changing'));
  }

  const update: Handle = async (ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'u', caller);
    if (!found.ok) return found;
    const body = await readJson(ask);
    return body.ok ? changeOwn(id, caller, () => body) : body;
  };

  /** Of what a read shows: headers and secrets are not in it, and stay as they are unless the patch names headers. */
  const patch: Handle = async (ask, { segments: [, id = ''] }, caller) => {
    const found = await findOwn(deps, id, 'u', caller);
    if (!found.ok) return found;
    const body = await readJson(ask, PATCH_BODY);
    if (!body.ok) return body;
    return changeOwn(id, caller, (now) => {
      const patched = applyJsonPatch(showSubscription(now), body.value);
      // One in error is greeted anew by any change; no app asks for an error.
      return patched.ok && patched.value['status'] === 'error'
        ? ok({ ...patched.value, status: 'requested' })
        : patched;
    });
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

  return { create, read, update, patch, remove, rotate };
}
