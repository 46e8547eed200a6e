import { authenticateClient } from './authenticate.ts';
import { connectionOf, connectionsOf, disconnect, isAuthorized } from './connect.ts';
import { API_SOURCES, apiSource } from './data-sources.ts';
import type { Kit } from './kit.ts';
import { isUserId, isWebAddress } from './read-request.ts';
import { isReply, json, oddParameter, refuse, type Asked, type Handle, type Reply } from './reply.ts';

const PENDING_MS = 3_600_000;
/** An address that has expired is known as such for a day. */
const FORGOTTEN_MS = 24 * 3_600_000;

/** An authorization that was begun and not yet used is offered again, so that asking for the status leaves no trail. */
export function authorizationUrl(
  kit: Kit,
  client: string,
  user: string,
  dataSource: string,
  redirectUrl: string | null,
): string {
  const nowMs = kit.clock.now().getTime();
  for (const [key, { expiresAt }] of kit.state.pending.all())
    if (expiresAt + FORGOTTEN_MS <= nowMs) kit.state.pending.remove(key);
  const known = kit.state.pending
    .all()
    .find(
      ([, one]) =>
        one.client === client &&
        one.user === user &&
        one.dataSource === dataSource &&
        one.redirectUrl === redirectUrl &&
        one.expiresAt > nowMs,
    );
  const state = known?.[0] ?? kit.newUuid();
  if (known === undefined)
    kit.state.pending.put(state, { client, user, dataSource, redirectUrl, expiresAt: nowMs + PENDING_MS });
  return `${kit.base()}/provider/${dataSource}/authorize?state=${state}`;
}

const resultOf = (kit: Kit, client: string, user: string, dataSource: string, redirectUrl: string | null) =>
  isAuthorized(connectionOf(kit, client, user, dataSource))
    ? { data_source: dataSource, authorized: true }
    : {
        data_source: dataSource,
        authorized: false,
        authorization_url: authorizationUrl(kit, client, user, dataSource, redirectUrl),
      };

/** The user and the address to return to, or the refusal of either. */
function readAsk(asked: Asked): { readonly user: string; readonly redirectUrl: string | null } | Reply {
  const user = asked.params['user_id'] ?? '';
  if (!isUserId(user)) return refuse(asked, 400, 'user_id must have 1 to 50 characters');
  const odd = oddParameter(asked.url, ['redirect_url']);
  if (odd !== null) return refuse(asked, 400, 'unknown or repeated query parameter');
  const redirectUrl = asked.url.searchParams.get('redirect_url');
  if (redirectUrl !== null && !isWebAddress(redirectUrl)) return refuse(asked, 400, 'redirect_url must be a URL');
  return { user, redirectUrl };
}

/** 4.1 */
export const makeAuthorizer =
  (kit: Kit): Handle =>
  (asked) => {
    const client = authenticateClient(kit.state, asked, 'secretKey');
    if (isReply(client)) return client;
    const read = readAsk(asked);
    if (isReply(read)) return read;
    const source = apiSource(asked.params['data_source'] ?? '');
    if (source === undefined)
      return refuse(asked, 400, `data_source must be one of ${API_SOURCES.map(({ name }) => name).join(', ')}`);
    return json(200, resultOf(kit, client.uuid, read.user, source.name, read.redirectUrl));
  };

/** 4.2, deprecated. */
export const makeAuthorizers =
  (kit: Kit): Handle =>
  (asked) => {
    const client = authenticateClient(kit.state, asked, 'secretKey');
    if (isReply(client)) return client;
    if (asked.params['client_uuid'] !== client.uuid)
      return refuse(asked, 403, 'client_uuid is not that of the credentials');
    const read = readAsk(asked);
    if (isReply(read)) return read;
    const all = API_SOURCES.map(({ name }) => resultOf(kit, client.uuid, read.user, name, read.redirectUrl));
    return json(200, { data_sources: all }, { Deprecation: 'true' });
  };

/** 4.3: ends the connections of this client alone; others that share the account keep theirs. */
export const makeRevoke =
  (kit: Kit): Handle =>
  (asked) => {
    const client = authenticateClient(kit.state, asked, 'secretKey');
    if (isReply(client)) return client;
    const user = asked.params['user_id'] ?? '';
    if (!isUserId(user)) return refuse(asked, 400, 'user_id must have 1 to 50 characters');
    if (oddParameter(asked.url, []) !== null) return refuse(asked, 400, 'unknown or repeated query parameter');
    for (const connection of connectionsOf(kit, client.uuid, user)) disconnect(kit, connection, 'client');
    return json(200, { message: 'The user is disconnected from all data sources' });
  };
