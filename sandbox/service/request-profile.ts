import { isObject } from '../../src/kernel/index.ts';
import { isActive } from './add-ons.ts';
import { authenticateClient } from './authenticate.ts';
import { admitProfileRequest, PROFILE_LIMITS } from './count-profile-requests.ts';
import type { Kit } from './kit.ts';
import { readJson } from './read-request.ts';
import { isReply, json, oddParameter, refuse, type Handle } from './reply.ts';
import { keyOf } from './state.ts';

/** 4.5, with every row of its error table in section 7. */
export const makeRequestProfile =
  (kit: Kit): Handle =>
  async (asked) => {
    const client = authenticateClient(kit.state, asked, 'password');
    if (isReply(client)) return client;
    if (!isActive(client, 'user_health_profile')) return refuse(asked, 403, 'feature_not_included');
    if (oddParameter(asked.url, []) !== null) return refuse(asked, 400, 'unknown or repeated query parameter');
    const type = asked.request.headers['content-type'] ?? '';
    if (!/^application\/json\s*(;|$)/i.test(type)) return refuse(asked, 400, 'Content-Type must be application/json');
    const parsed = await readJson(asked);
    if (isReply(parsed)) return parsed;
    const { value } = parsed;
    if (!isObject(value)) return refuse(asked, 422, 'request body must be a JSON object');
    const { user_id: user, ...others } = value;
    if ('client_uuid' in others) return refuse(asked, 400, 'client_uuid is taken from the credentials');
    if (Object.keys(others).length > 0) return refuse(asked, 400, 'unknown field in the request body');
    if (user === undefined || user === '') return refuse(asked, 400, 'user_id is required');
    if (typeof user !== 'string') return refuse(asked, 422, 'user_id must be a string');

    const key = keyOf(client.uuid, user);
    const admission = admitProfileRequest(kit.state.profileCounts.get(key), kit.clock.now().getTime());
    if (!admission.admitted)
      return refuse(asked, 429, 'rate_limit_exceeded', {
        'X-RateLimit-Limit-Hour': String(PROFILE_LIMITS.hour),
        'X-RateLimit-Remaining-Hour': String(admission.remainingHour),
        'X-RateLimit-Limit-Day': String(PROFILE_LIMITS.day),
        'X-RateLimit-Remaining-Day': String(admission.remainingDay),
        // The caller waits in real time.
        'Retry-After': String(Math.max(1, Math.ceil(kit.clock.realMs(admission.waitMs) / 1000))),
      });
    kit.state.profileCounts.put(key, admission.count);
    const id = kit.newUuid();
    kit.state.profileRequests.put(id, { client: client.uuid, user, requestedAt: kit.clock.now().getTime() });
    kit.tell({ kind: 'profile-requested', id, client: client.uuid, user });
    return json(202, { message: 'The user profile request has been queued', request_id: id });
  };
