import type { AskStanding } from '../auth/index.ts';
import type { Chance, Clock, Log, NewId, Part, Result, Route } from '../kernel/index.ts';
import type { ReadKit } from '../smart/index.ts';
import type { Store } from '../store/index.ts';
import { makeAnswerOperations } from './answer-operations.ts';
import { makeAnswerSubscriptions } from './answer-subscriptions.ts';
import { subscriptionSet } from './commands.ts';
import { makeEndpointGuard, type Resolve } from './guard-endpoint.ts';
import { makePermitEvents } from './permit-events.ts';
import { makePoster } from './post-notification.ts';
import { runFanOut } from './run-fan-out.ts';
import { runSender } from './run-sender.ts';
import { makeSearchSubscriptions } from './search-subscriptions.ts';
import { makeSendNotification } from './send-notification.ts';

export interface SubscriptionsDeps {
  readonly tenant: string;
  readonly instance: string;
  /** Names us to endpoints. */
  readonly agent: string;
  readonly store: Store;
  readonly kit: ReadKit;
  readonly askStanding: AskStanding;
  readonly findPatient: (mrn: string, requestId: string) => Promise<Result<string | null>>;
  /** Hosts, some with a port, that may be endpoints though they are not on the public internet. */
  readonly privateHosts: readonly string[];
  readonly resolve: Resolve;
  readonly newId: NewId;
  readonly chance: Chance;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Subscriptions extends Part {
  readonly routes: readonly Route[];
  /** Something was written to a chart, or a link has changed. */
  wake(): void;
}

/** Everything that tells apps what happened: their subscriptions, the numbering, the sending. Starts nothing. */
export function makeSubscriptions(deps: SubscriptionsDeps): Subscriptions {
  const { kit } = deps;
  const subscriptions = deps.store.use(subscriptionSet);
  const guard = makeEndpointGuard(deps);
  const poster = makePoster({ guard, agent: deps.agent });
  const permit = makePermitEvents({ ...deps, subscriptions });
  const send = makeSendNotification({
    ...deps,
    ownBase: kit.ownBase,
    subscriptions,
    permit,
    post: poster.post,
  });
  const sender = runSender({ ...deps, subscriptions, send });
  const fanOut = runFanOut({ ...deps, subscriptions, sender });
  const answering = { ...deps, subscriptions, guard, onDue: sender.wake };
  const own = makeAnswerSubscriptions(answering);
  const { search, listOwn } = makeSearchSubscriptions(answering);
  const operations = makeAnswerOperations({ ...answering, permit, listOwn });
  const { route } = kit;
  const path = '/fhir/Subscription';
  return {
    routes: [
      route('get', `${path}/$status`, 'operation', operations.statuses),
      route('post', `${path}/$status`, 'operation', operations.statuses),
      route('get', `${path}/:id/$status`, 'operation', operations.status),
      route('post', `${path}/:id/$status`, 'operation', operations.status),
      route('get', `${path}/:id/$events`, 'operation', operations.events),
      route('post', `${path}/:id/$events`, 'operation', operations.events),
      route('post', `${path}/:id/$rotate-secret`, 'operation', own.rotate),
      route('get', path, 'search-type', search),
      route('post', path, 'create', own.create),
      route('get', `${path}/:id`, 'read', own.read),
      route('put', `${path}/:id`, 'update', own.update),
      route('patch', `${path}/:id`, 'patch', own.patch),
      route('delete', `${path}/:id`, 'delete', own.remove),
    ],
    wake: fanOut.wake,
    async start() {
      await sender.start();
      fanOut.start();
    },
    async stop() {
      await fanOut.stop();
      // What an endpoint has not answered yet is sent once more by whoever comes next.
      const ended = sender.stop();
      poster.close();
      await ended;
    },
  };
}
