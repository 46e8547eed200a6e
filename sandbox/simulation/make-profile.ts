import { buildProfile, type ProfileState } from '../insights/index.ts';
import type { Table } from '../keep/index.ts';
import { addDays, zoneOn } from '../population/index.ts';
import { isActive, keyOf } from '../service/index.ts';
import type { Documents } from './documents.ts';
import { dateOf } from './follow.ts';
import { sourceDaysAt, summaryOf, type Whom } from './work-day.ts';

const LOOKED_AT_DAYS = 37;

/** What was asked for, if there is enough to make it of. */
export function makeProfile(
  deps: { readonly documents: Documents; readonly profiles: Table<ProfileState> },
  whom: Whom,
  requestId: string,
  at: number,
): 'sent' | 'not-enough' {
  const { client, user, world } = whom;
  const { sex, birthYear, country } = world.person;
  const today = dateOf(world, at);
  const days = Array.from({ length: LOOKED_AT_DAYS }, (_, i) => addDays(today, i - LOOKED_AT_DAYS)).flatMap(
    (date) => summaryOf(whom, sourceDaysAt(whom, date, at)) ?? [],
  );
  const key = keyOf(client.uuid, user);
  const zone = isActive(client, 'time_zone') ? zoneOn(world.seed, world.person, today) : null;
  const made = buildProfile(deps.profiles.get(key) ?? null, {
    whose: { client: client.uuid, user },
    requestId,
    at,
    demographics: { sex, birthYear, country, zone },
    days,
  });
  if (made === null) return 'not-enough';
  deps.profiles.put(key, made.state);
  deps.documents.emit(made.payload, made.payload.user_profile_data.metadata.datetime_string);
  return 'sent';
}
