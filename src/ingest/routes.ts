import {
  dropBytes,
  fail,
  fault,
  jsonAnswer,
  ok,
  MEMORY,
  readBody,
  ROOM_WAIT_MS,
  type Answer,
  type Ask,
  type Budget,
  type Clock,
  type Fault,
  type Log,
  type NewId,
  type Result,
  type Route,
} from '../kernel/index.ts';
import type { RecordReject } from '../audit/index.ts';
import type { InboxWrites, StoredDelivery } from '../inbox/index.ts';
import type { Authenticator, Head } from './authenticator.ts';
import { HMAC_SCHEMES, hmacMatches } from './hmac-authenticators.ts';
import type { Secret } from '../kernel/index.ts';

/** Why a webhook was not taken: constants, and nothing that a sender says. */
export type Refusal =
  'secret' | 'basic' | 'certificate' | 'signature' | 'not-configured' | 'too-large' | 'cut-short' | 'no-room' | 'store';

/** The part of the inbox that receiving needs. */
export interface Put {
  write(name: 'inbox.put', args: InboxWrites['inbox.put']['args']): Promise<Result<InboxWrites['inbox.put']['out']>>;
}

export interface IngestDeps {
  readonly tenant: string;
  readonly instance: string;
  readonly inbox: Put;
  readonly data: readonly Authenticator[];
  readonly notifications: readonly Authenticator[];
  /** Tries every scheme with these keys and says which one fits, enforcing none; null when that is off. */
  readonly learn: { readonly header: string; readonly keys: readonly Secret[] } | null;
  readonly bodyBytesMax: number;
  readonly budget: Budget;
  readonly rejects: RecordReject;
  /** Called for every webhook that was refused, with a word of ours. */
  readonly onRefused: (why: Refusal) => void;
  readonly newId: NewId;
  readonly clock: Clock;
  /** Called for every delivery that was stored. */
  readonly onStored: (delivery: StoredDelivery) => void;
}

/** Larger ones are read from the store when they are judged. */
const KEPT_BYTES_MAX = 64 * 1024;

export interface Ingest {
  readonly routes: Route[];
  /** How many senders wait for their acknowledgement. */
  readonly waiting: () => number;
}

const headOf = ({ request, params }: Ask): Head => ({
  pathSecret: params['secret'] ?? '',
  headers: request.headers,
  remoteAddress: request.socket.remoteAddress ?? '',
});

function learnScheme(learn: NonNullable<IngestDeps['learn']>, head: Head, body: Buffer, log: Log): void {
  const scheme = HMAC_SCHEMES.find((one) => hmacMatches(one, learn.header, learn.keys, head, body));
  log.warn('webhook.learned', { setting: scheme ?? 'none' });
}

/**
 * Receives one hook: who it is, the bytes, the commit, then 202. What the bytes say is looked at later: an authentic
 * delivery is always stored, whatever is wrong with it, because a refusal would burn one of the sender's few tries.
 */
function makeReceive(
  deps: IngestDeps,
  hook: 'data' | 'notification',
  authenticators: readonly Authenticator[],
  count: (by: number) => void,
) {
  const sender = authenticators.map(({ name }) => name).join('+');
  const refuse = (why: Refusal, refusal: Fault): Result<never> => {
    deps.onRefused(why);
    return fail(refusal);
  };
  const reject = (ask: Ask, head: Head, { name, proves }: Authenticator): Result<never> => {
    deps.rejects.record({ requestId: ask.requestId, why: name, remoteAddress: head.remoteAddress });
    return refuse(proves, fault('webhook.unauthenticated'));
  };

  return async (ask: Ask): Promise<Result<Answer>> => {
    if (authenticators.length === 0) return refuse('not-configured', fault('webhook.not-configured'));
    const head = headOf(ask);
    for (const one of authenticators) if (one.stage === 'head' && !one.check(head)) return reject(ask, head, one);
    // A sender that declares no length may send up to the limit.
    const declared = Number(ask.request.headers['content-length'] ?? deps.bodyBytesMax);
    if (declared > deps.bodyBytesMax) return refuse('too-large', fault('http.too-large'));
    // The room is held until the bytes are stored, because the store's queue refers to them.
    const room = await deps.budget.take(declared * MEMORY.cost.body, ROOM_WAIT_MS);
    if (room === null) return refuse('no-room', fault('webhook.no-room'));
    try {
      return await receive(ask, head);
    } finally {
      room.release();
    }
  };

  async function receive(ask: Ask, head: Head): Promise<Result<Answer>> {
    const body = await readBody(ask.request, deps.bodyBytesMax);
    if (!body.ok) return refuse(body.fault.code === 'http.too-large' ? 'too-large' : 'cut-short', body.fault);
    for (const one of authenticators)
      if (one.stage === 'body' && !one.check(head, body.value)) return reject(ask, head, one);
    if (deps.learn !== null && hook === 'data') learnScheme(deps.learn, head, body.value, ask.log);

    const id = deps.newId('dlv');
    const at = deps.clock.now();
    const step = ask.span?.begin(id);
    count(1);
    const stored = await deps.inbox
      .write('inbox.put', {
        id,
        tenant: deps.tenant,
        hook,
        at,
        requestId: ask.requestId,
        ...(ask.traceId === undefined ? {} : { traceId: ask.traceId }),
        receiver: deps.instance,
        sender,
        body: body.value,
      })
      .finally(() => count(-1));
    const isKept = stored.ok && stored.value.state !== 'duplicate' && body.value.byteLength <= KEPT_BYTES_MAX;
    if (!isKept) dropBytes(body.value);
    step?.end('delivery.store', {
      'chartgate.delivery.id': id,
      'chartgate.delivery.hook': hook,
      ...(stored.ok ? { 'chartgate.delivery.state': stored.value.state } : { 'error.type': stored.fault.code }),
    });
    if (!stored.ok) return refuse('store', stored.fault);
    const { state, seq } = stored.value;
    if (state === 'duplicate') deps.onStored({ kind: 'duplicate' });
    else if (!isKept) deps.onStored({ kind: 'in-store' });
    else {
      const { requestId, traceId } = ask;
      const by = traceId === undefined ? { requestId } : { requestId, traceId };
      const received = { seq, id, hook, ...by, receivedAt: at.getTime(), body: body.value };
      deps.onStored({ kind: 'fresh', received });
    }
    return ok(jsonAnswer(202, { id }));
  }
}

export function makeIngest(deps: IngestDeps): Ingest {
  let waiting = 0;
  const count = (by: number): void => void (waiting += by);
  const hook = (path: string, handle: Route['handle']): Route => ({ method: 'post', path, access: 'source', handle });
  return {
    waiting: () => waiting,
    routes: [
      hook('/webhooks/:secret/data', makeReceive(deps, 'data', deps.data, count)),
      hook('/webhooks/:secret/notifications', makeReceive(deps, 'notification', deps.notifications, count)),
    ],
  };
}
