import { ok, type Clock, type Result } from '../kernel/index.ts';
import type { SourceUser } from '../identity/index.ts';
import type { Operate } from '../store/index.ts';
import type { EnrolReads, EnrolWrites } from './commands.ts';
import { readNews, readTime, type SourceEvent } from './read-source-event.ts';

const EVERY_MS = 5_000;
const REVOKED_MAX = 10_000;

/** The finding of a delivery that came after its user's access was revoked. It is taken all the same. */
export const LATE = 'enrolment.late user_id';

const keyOf = ({ client, user }: SourceUser): string => JSON.stringify([client, user]);

export interface Followed {
  readonly id: string;
  readonly seq: number;
  readonly user: SourceUser | null;
  readonly hook: 'data' | 'notification';
  readonly told: SourceEvent | null;
}

/**
 * Keeps the enrolment up to date with what is delivered. It is told before a delivery is settled, and may be told
 * twice. Who was revoked is held in memory, so that an ordinary delivery costs nothing here; another process hears of a
 * revocation within some seconds.
 */
export function followDeliveries(deps: {
  readonly tenant: string;
  readonly enrolment: Operate<EnrolWrites, EnrolReads>;
  readonly clock: Clock;
}) {
  const { tenant, enrolment, clock } = deps;
  let revoked: ReadonlySet<string> = new Set();

  async function refresh(): Promise<void> {
    const users = await enrolment.read('enrol.revoked', { tenant, limit: REVOKED_MAX });
    if (users.ok) revoked = new Set(users.value.map(keyOf));
  }

  async function hear(user: SourceUser, told: SourceEvent, { id, seq }: Followed): Promise<Result<null>> {
    const at = clock.now();
    if (told.kind !== 'notification')
      return enrolment.writeBehind('enrol.arrive', {
        tenant,
        user,
        at,
        deliveryId: id,
        deliverySeq: seq,
        ...told,
      });
    const news = readNews(told);
    if (news === null) return ok(null);
    const done = await enrolment.writeBehind('enrol.news', {
      tenant,
      user,
      at: readTime(told.at, at),
      heardAt: at,
      news,
      deliverySeq: seq,
    });
    if (news.state === 'connected') await refresh();
    return done;
  }

  let timer: NodeJS.Timeout | undefined;
  return {
    refresh,
    async start(): Promise<void> {
      await refresh();
      timer = setInterval(() => void refresh(), EVERY_MS).unref();
    },
    /** What is to be added to the findings of the delivery. A fault: it must wait. */
    async follow(delivery: Followed): Promise<Result<readonly string[]>> {
      const { seq, user, hook, told } = delivery;
      if (user === null) return ok([]);
      if (told !== null) {
        const heard = await hear(user, told, delivery);
        if (!heard.ok) return heard;
      }
      if (hook !== 'data' || !revoked.has(keyOf(user))) return ok([]);
      const counted = await enrolment.writeBehind('enrol.late', { tenant, user, deliverySeq: seq });
      return counted.ok ? ok([LATE]) : counted;
    },
    stop: (): void => clearInterval(timer),
  };
}
export type FollowDeliveries = ReturnType<typeof followDeliveries>;
