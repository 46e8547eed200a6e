import type { Grant, Letter } from '../auth/index.ts';
import { fail, fault, ok, readBody, type Ask, type Result } from '../kernel/index.ts';
import { isId, type Caller, type ReadKit } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import type { Owner, SubscriptionReads, SubscriptionWrites } from './commands.ts';
import { levelsFor } from './reach.ts';
import type { Subscription } from './subscription.ts';

const BODY_BYTES_MAX = 64 * 1024;
const JSON_BODY = /^application\/(fhir\+json|json)\s*(;|$)/i;
export const PATCH_BODY = /^application\/json-patch\+json\s*(;|$)/i;

export const ownerOf = ({ issuer, clientId, subject }: Grant): Owner => ({ issuer, clientId, subject });

/** Records what an app did with subscriptions of its own. */
export const makeRecordSubscription =
  (kit: ReadKit) =>
  (
    interaction: string,
    action: 'C' | 'R' | 'U' | 'D',
    caller: Caller,
    more: { readonly id?: string; readonly count?: number } = {},
  ) =>
    kit.record(
      { type: 'fhir.subscribe', interaction, resourceType: 'Subscription', outcome: '0', action, ...more },
      caller,
    );

/** A token that is bound to a patient sees what was made for that patient. */
export const isSeenBy = (grant: Grant, letter: Letter, { settings }: Subscription): boolean => {
  const levels = levelsFor(grant, letter);
  return levels.has('user') || levels.has('system') || settings.grant.patient === grant.patient;
};

/** A subscription of the caller's, by its id; one of somebody else is not there. */
export async function findOwn(
  deps: { readonly tenant: string; readonly subscriptions: Operate<SubscriptionWrites, SubscriptionReads> },
  id: string,
  letter: Letter,
  { grant }: Caller,
): Promise<Result<Subscription>> {
  if (levelsFor(grant, letter).size === 0) return fail(fault('read.scope'));
  // An id of ours has a prefix with an underscore, which the ids of FHIR do not have.
  if (!isId(id)) return fail(fault('subscription.not-found'));
  const found = await deps.subscriptions.read('subscription.get', { tenant: deps.tenant, id, owner: ownerOf(grant) });
  if (!found.ok) return found;
  return found.value === null || !isSeenBy(grant, letter, found.value)
    ? fail(fault('subscription.not-found'))
    : ok(found.value);
}

/** The JSON of a request; null where it has no body. */
export async function readJson({ request }: Ask, taken = JSON_BODY): Promise<Result<unknown>> {
  const bytes = await readBody(request, BODY_BYTES_MAX);
  if (!bytes.ok) return bytes;
  if (bytes.value.length === 0) return ok(null);
  if (!taken.test(request.headers['content-type'] ?? '')) return fail(fault('read.media'));
  try {
    return ok(JSON.parse(bytes.value.toString('utf8')) as unknown);
  } catch {
    return fail(fault('read.body'));
  }
}
