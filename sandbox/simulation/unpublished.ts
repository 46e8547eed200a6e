import { deviceOf, type DaySummary, type SourceDay } from '../population/index.ts';
import { isActive } from '../service/index.ts';
import {
  asSentSummary,
  buildGranularEvents,
  buildHealthScore,
  nextDailySummary,
  SUMMARY_GROUPS,
  type DailySummaryPayload,
  type GranularPayload,
} from '../summaries/index.ts';
import type { Documents } from './documents.ts';
import type { Whom } from './work-day.ts';

/*
 * What the specification names and does not show: summaries, granular events, health scores. It goes to the Data
 * Webhook only of a client whose switch says so.
 */

/** Of one source's day, one payload for each kind of reading; none while Granular Data is not active. */
export function granularOf({ client, user, world }: Whom, day: SourceDay): readonly GranularPayload[] {
  if (!isActive(client, 'granular_data')) return [];
  return buildGranularEvents({
    about: { clientUuid: client.uuid, userId: user },
    day,
    samples: day.samples,
    isTimeZone: isActive(client, 'time_zone'),
    device: isActive(client, 'device_metadata') ? deviceOf(world.person, day.dataSource) : null,
  });
}

export function sendUnpublished(
  documents: Documents,
  whom: Whom,
  summary: DaySummary,
  days: readonly SourceDay[],
): void {
  const { client, user } = whom;
  if (!client.sendsUnpublished) return;
  for (const group of SUMMARY_GROUPS) {
    const previous = documents.read(client.uuid, user, `${group}_summary`, summary.date) as DailySummaryPayload | null;
    const about = { clientUuid: client.uuid, userId: user };
    const next = nextDailySummary(previous === null ? null : asSentSummary(previous), { about, summary, group });
    if (next !== null) documents.emit(next, summary.date);
  }
  for (const day of days)
    for (const payload of granularOf(whom, day)) {
      const name = `${day.dataSource} ${day.date}`;
      // The single readings of a day do not change with its revisions.
      if (documents.version(client.uuid, user, payload.data_structure, name) === null) documents.emit(payload, name);
    }
}

/** Pre-existing data: a score for each day that was extracted. */
export function sendHealthScore(documents: Documents, { client, user }: Whom, summary: DaySummary): void {
  if (!client.sendsUnpublished || documents.version(client.uuid, user, 'health_score', summary.date) !== null) return;
  const payload = buildHealthScore({ clientUuid: client.uuid, userId: user }, summary);
  if (payload !== null) documents.emit(payload, summary.date);
}
