import { z } from 'zod';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { clientUuid, dateTime, userId, type SourceUserId } from './envelope.ts';

/** An integration event of the source; never health data. */
export interface Notification {
  readonly clientUuid: string;
  readonly userId: SourceUserId;
  readonly dataSource: string | null;
  readonly action: string;
  readonly level: string | null;
  readonly message: string | null;
  readonly at: string | null;
  readonly environment: string | null;
}

const word = z.string().max(2_000).nullish();
const shape = z
  .looseObject({
    client_uuid: clientUuid,
    user_id: userId,
    data_source: word,
    action: z.string().min(1).max(100),
    level: word,
    message: word,
    action_datetime: dateTime.nullish(),
    environment: word,
  })
  .transform((n): Notification => ({
    clientUuid: n.client_uuid,
    userId: n.user_id,
    dataSource: n.data_source ?? null,
    action: n.action,
    level: n.level ?? null,
    message: n.message ?? null,
    at: n.action_datetime ?? null,
    environment: n.environment ?? null,
  }));

export function parseNotification(value: unknown): Result<Notification> {
  const parsed = shape.safeParse(value);
  return parsed.success
    ? ok(parsed.data)
    : fail(fault('payload.shape', { at: parsed.error.issues[0]?.path.join('.') ?? '' }));
}
