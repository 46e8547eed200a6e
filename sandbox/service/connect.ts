import type { Kit } from './kit.ts';
import { keyOf, type Connection } from './state.ts';

/** How long a provider takes to carry out a revocation: the specification says hours. */
export const REVOCATION_MS = 2 * 3_600_000;

export const connectionOf = (kit: Kit, client: string, user: string, dataSource: string): Connection | undefined =>
  kit.state.connections.get(keyOf(client, user, dataSource));

export const isAuthorized = (connection: Connection | undefined): boolean =>
  connection !== undefined && connection.state !== 'disconnected';

export const connectionsOf = (kit: Kit, client: string, user: string): readonly Connection[] =>
  kit.state.connections
    .all()
    .map(([, one]) => one)
    .filter((one) => one.client === client && one.user === user);

/** A user is there from the first thing that happens to it; asking about it is not one. */
export function seeUser(kit: Kit, client: string, user: string): void {
  const key = keyOf(client, user);
  if (kit.state.users.get(key) !== undefined) return;
  kit.state.users.put(key, { client, user, createdAt: kit.clock.now().getTime() });
  kit.tell({ kind: 'user-created', client, user });
}

export type NewConnection = Pick<Connection, 'client' | 'user' | 'dataSource' | 'kind' | 'account' | 'granted'> & {
  readonly state: 'connected' | 'incomplete';
};

export function connect(kit: Kit, given: NewConnection): void {
  seeUser(kit, given.client, given.user);
  const connection: Connection = { ...given, connectedAt: kit.clock.now().getTime(), endedAt: null, dataUntil: null };
  kit.state.connections.put(keyOf(given.client, given.user, given.dataSource), connection);
  kit.tell({ kind: 'connected', connection });
}

/**
 * Ends one connection. At a provider it takes hours, during which data may still come; on a device it is done at once.
 */
export function disconnect(kit: Kit, connection: Connection, by: 'client' | 'provider' | 'app'): void {
  if (!isAuthorized(connection)) return;
  const endedAt = kit.clock.now().getTime();
  const ended: Connection = {
    ...connection,
    state: 'disconnected',
    endedAt,
    dataUntil: connection.kind === 'api' ? endedAt + REVOCATION_MS : endedAt,
  };
  kit.state.connections.put(keyOf(connection.client, connection.user, connection.dataSource), ended);
  kit.tell({ kind: 'disconnected', connection: ended, by });
}
