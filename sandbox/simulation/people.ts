import { createHash } from 'node:crypto';
import type { Keep } from '../keep/index.ts';
import { makePerson, type Person } from '../population/index.ts';
import { isActive, keyOf, type Connection, type DemoService } from '../service/index.ts';
import { beginSpan, dateOf, type Followed, type Span, type World } from './follow.ts';
import type { Whom } from './work-day.ts';

/** Which person of the world a user is, and how far their time was worked off. */
interface UserRow {
  readonly client: string;
  readonly user: string;
  readonly n: number;
  /** The local date of the first connection. */
  readonly since: string;
  /** Everything that was due until then is done, and kept. */
  readonly workedUntil: number;
}

const PEOPLE = 1_000_000;

/**
 * An account that is called `person-17` is that of the person 17; every other account is somebody's, the same for the
 * same client and user.
 */
function numberOf({ client, user, account }: Connection): number {
  const named = /^person-(\d{1,6})$/.exec(account)?.[1];
  if (named !== undefined) return Number(named);
  return createHash('sha256').update(keyOf(client, user)).digest().readUInt32BE(0) % PEOPLE;
}

export interface NewlyFollowed {
  readonly followed: Followed;
  readonly span: Span;
}

export interface People {
  keys(): readonly string[];
  whom(key: string): Whom | null;
  workedUntil(key: string): number;
  since(client: string, user: string): string;
  keepWorked(key: string, until: number): void;
  /** Null where the connection is followed already. */
  connect(connection: Connection): NewlyFollowed | null;
  disconnect(connection: Connection): void;
}

/** The users whom anything was ever connected for. */
export function openPeople(service: DemoService, kept: Keep, seed: number): People {
  const users = kept.table<UserRow>('sim_user');
  const sources = kept.table<readonly Span[]>('sim_source');
  const persons = new Map<number, Person>();
  const followedOf = new Map<string, Map<string, Followed>>();

  const personOf = (n: number): Person => {
    const known = persons.get(n) ?? makePerson(seed, n);
    persons.set(n, known);
    return known;
  };
  const worldOf = ({ n }: UserRow): World => ({ seed, person: personOf(n) });

  function remember(userKey: string, followed: Followed): void {
    const known = followedOf.get(userKey) ?? new Map<string, Followed>();
    known.set(followed.dataSource, followed);
    followedOf.set(userKey, known);
  }
  for (const [key, spans] of sources.all()) {
    const [client = '', user = '', dataSource = ''] = JSON.parse(key) as string[];
    remember(keyOf(client, user), { dataSource, spans });
  }

  /** The same account under another user of the same client, now or before. */
  const isAccountLinkedBefore = ({ client, user, dataSource, account }: Connection): boolean =>
    service.state.connections
      .all()
      .some(
        ([, one]) =>
          one.client === client && one.user !== user && one.dataSource === dataSource && one.account === account,
      );

  function keep({ client, user }: Connection, followed: Followed): void {
    sources.put(keyOf(client, user, followed.dataSource), followed.spans);
    remember(keyOf(client, user), followed);
  }

  return {
    keys: () => users.all().map(([key]) => key),
    whom(key) {
      const row = users.get(key);
      const client = service.state.clients.get(row?.client ?? '');
      if (row === undefined || client === undefined) return null;
      return { client, user: row.user, world: worldOf(row), sources: [...(followedOf.get(key)?.values() ?? [])] };
    },
    workedUntil: (key) => users.get(key)?.workedUntil ?? 0,
    since: (client, user) => users.get(keyOf(client, user))?.since ?? '',
    keepWorked(key, until) {
      const row = users.get(key);
      if (row !== undefined) users.put(key, { ...row, workedUntil: until });
    },
    connect(connection) {
      const { client, user, dataSource, connectedAt, granted } = connection;
      const userKey = keyOf(client, user);
      const known = followedOf.get(userKey)?.get(dataSource);
      const before = users.get(userKey);
      // Never in a time that was worked off: what is due then would be taken for done.
      const at = Math.max(connectedAt, (before?.workedUntil ?? 0) + 1);
      if (known?.spans.at(-1)?.until === null) return null;
      const row = before ?? { client, user, n: numberOf(connection), since: '', workedUntil: connectedAt - 1 };
      const world = worldOf(row);
      const owner = service.state.clients.get(client);
      const isPreExisting = known === undefined && owner !== undefined && isActive(owner, 'pre_existing_data');
      const span = beginSpan(world, dataSource, {
        at,
        granted: granted.includes('all') ? null : granted,
        preExisting: isPreExisting ? 'due' : 'none',
        isAccountLinkedBefore: isAccountLinkedBefore(connection),
      });
      const followed: Followed = { dataSource, spans: [...(known?.spans ?? []), span] };
      kept.together(() => {
        if (before === undefined) users.put(userKey, { ...row, since: dateOf(world, at) });
        keep(connection, followed);
      });
      return { followed, span };
    },
    disconnect(connection) {
      const known = followedOf.get(keyOf(connection.client, connection.user))?.get(connection.dataSource);
      const last = known?.spans.at(-1);
      if (known === undefined || last?.until !== null) return;
      const ended = { ...last, until: connection.dataUntil ?? connection.endedAt ?? last.from };
      keep(connection, { ...known, spans: [...known.spans.slice(0, -1), ended] });
    },
  };
}
