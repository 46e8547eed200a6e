import type { AskStanding, Grant } from '../auth/index.ts';
import { faultFields, ok, type Chance, type Clock, type Log, type NewId, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { askGrant, shareAnswers } from './ask-grant.ts';
import { buildNotification, type NotificationType } from './build-notification.ts';
import type { Due, SendOutcome, SubscriptionReads, SubscriptionWrites } from './commands.ts';
import type { PermitEvents } from './permit-events.ts';
import type { Post } from './post-notification.ts';
import { retryAt } from './retry.ts';
import { signatureHeaders } from './sign.ts';
import { recordsOf } from './notification-records.ts';

export interface SendDeps {
  readonly tenant: string;
  readonly ownBase: string;
  readonly subscriptions: Operate<SubscriptionWrites, SubscriptionReads>;
  readonly askStanding: AskStanding;
  readonly permit: PermitEvents;
  readonly post: Post;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly clock: Clock;
  readonly log: Log;
}

/** So often an event is tried that the EHR does not show; then its number is sent alone, and the others go on. */
const EHR_TRIES = 5;

/** What is to be sent of a subscription that is due; null: nothing. */
function typeOf({ subscription: s, events }: Due, nowMs: number): Exclude<NotificationType, `query-${string}`> | null {
  if (s.state === 'requested') return 'handshake';
  if (events.length > 0) return 'event-notification';
  const { heartbeatMs } = s.settings;
  return heartbeatMs !== null && nowMs - (s.sentAt ?? 0) >= heartbeatMs ? 'heartbeat' : null;
}

const headersOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));

/** Sends what is due of one subscription: asked anew, recorded, signed, and only then sent. `more`: there is more of it. */
export function makeSendNotification(deps: SendDeps): (due: Due) => Promise<'more' | 'done'> {
  const { subscriptions, clock, log, newId } = deps;
  const askStanding = shareAnswers(deps.askStanding);

  async function settle({ lease, subscription }: Due, outcome: SendOutcome): Promise<'more' | 'done'> {
    const settled = await subscriptions.write('subscription.settle', { lease, at: clock.now(), outcome });
    if (!settled.ok) log.warn('subscription.failed', faultFields(settled.fault));
    const isOver = outcome.kind === 'off' || (outcome.kind === 'failed' && outcome.retryAt === null);
    if (isOver)
      log.warn('subscription.ended', { reason: outcome.because, state: outcome.kind === 'off' ? 'off' : 'error' });
    else if (outcome.kind === 'failed' && subscription.failures === 0)
      log.info('subscription.refused', { reason: outcome.because });
    return settled.ok && settled.value === 'more' ? 'more' : 'done';
  }

  function failed({ subscription: s }: Due, because: string): SendOutcome {
    const nowMs = clock.now().getTime();
    const [failures, failingSince] = [s.failures + 1, s.failingSince ?? nowMs];
    const share = (deps.chance(1)[0] ?? 0) / 255;
    const state = s.state === 'requested' ? 'requested' : 'active';
    return { kind: 'failed', because, retryAt: retryAt({ failures, failingSince, nowMs, state, because, share }) };
  }

  async function send(
    due: Due,
    type: Exclude<NotificationType, `query-${string}`>,
    grant: Grant,
  ): Promise<Result<SendOutcome | 'lost'>> {
    const { subscription: s, lease } = due;
    const requestId = newId('req');
    const permitted = await deps.permit({
      subscription: s,
      events: due.events,
      content: s.content,
      grant,
      requestId,
      log,
      isFirstLeft: s.because === 'ehr' && s.failures >= EHR_TRIES,
    });
    if (!permitted.ok) return ok(failed(due, 'ehr'));
    const events = due.events.slice(0, permitted.value.length);
    const at = clock.now();
    const body = JSON.stringify(
      buildNotification({ subscription: s, type, events: permitted.value, ownBase: deps.ownBase, at }),
    );
    const records = recordsOf({
      subscription: s,
      grant,
      type,
      content: s.content,
      events,
      permitted: permitted.value,
      requestId,
    });
    const begun = await subscriptions.write('subscription.begin', { lease, at, records });
    if (!begun.ok) return begun;
    if (begun.value === 'lost') return ok('lost');
    const [first, last] = [events[0]?.number ?? s.sentNumber, events.at(-1)?.number ?? s.sentNumber];
    // The same events have the same id however often they are sent, so that a receiver knows them again.
    const id = type === 'event-notification' ? `${s.id}.${first}-${last}` : `${s.id}.${type}.${requestId}`;
    const posted = await deps.post({
      endpoint: new URL(s.settings.endpoint),
      headers: {
        ...headersOf(s.settings.headers),
        'Content-Type': s.settings.payload,
        'X-Request-Id': requestId,
        ...signatureHeaders({ id, body, at }, s.settings.secrets),
      },
      body,
      timeoutMs: s.settings.timeoutMs,
    });
    if (posted.kind === 'refused') return ok(failed(due, posted.because));
    return ok(type === 'handshake' ? { kind: 'greeted' } : { kind: 'sent', upTo: last });
  }

  return async (due) => {
    const { subscription: s, events } = due;
    const nowMs = clock.now().getTime();
    if (s.endAt !== null && s.endAt <= nowMs) return settle(due, { kind: 'off', because: 'ended' });
    const grant = await askGrant(askStanding, s);
    if (!grant.ok) {
      log.warn('subscription.failed', faultFields(grant.fault));
      return 'done';
    }
    if ('ended' in grant.value) return settle(due, { kind: 'off', because: grant.value.ended });
    const type = typeOf(due, nowMs);
    // What was forgotten cannot be sent any more.
    if (s.state === 'active' && events.length === 0 && s.lastNumber > s.sentNumber)
      return settle(due, { kind: 'sent', upTo: s.lastNumber });
    if (type === null) return settle(due, { kind: 'idle' });
    const outcome = await send(due, type, grant.value);
    if (!outcome.ok) {
      log.warn('subscription.failed', faultFields(outcome.fault));
      return 'done';
    }
    return outcome.value === 'lost' ? 'done' : settle(due, outcome.value);
  };
}
