import { deviceOf, misfile, type DaySummary, type SourceDay } from '../population/index.ts';
import { asSent, cleanDay, nextClinicalReady, SUMMARY_GROUPS, type ClinicalReadyPayload } from '../summaries/index.ts';
import { isActive, type Client } from '../service/index.ts';
import type { Documents } from './documents.ts';
import { revisionAt, type Followed, type World } from './follow.ts';
import { sendHealthScore, sendUnpublished } from './unpublished.ts';
import { monitorDay, type Monitored } from './monitor.ts';

/** A user of a client, and the person who that is. */
export interface Whom {
  readonly client: Client;
  readonly user: string;
  readonly world: World;
  readonly sources: readonly Followed[];
}

export const sourceDaysAt = ({ world, sources }: Whom, date: string, at: number): readonly SourceDay[] =>
  sources.flatMap((followed) => revisionAt(world, followed, date, at) ?? []);

export const summaryOf = ({ client, world }: Whom, days: readonly SourceDay[]): DaySummary | null =>
  misfile(
    world.person.hazard,
    cleanDay(days, { isCleaning: isActive(client, 'data_cleaning'), isTimeZone: isActive(client, 'time_zone') }),
  );

export interface DayWork {
  readonly documents: Documents;
  readonly monitored: Monitored;
}

function sendClinicalReady({ documents }: DayWork, whom: Whom, summary: DaySummary, at: number): void {
  const { client, user, world } = whom;
  for (const group of SUMMARY_GROUPS) {
    const name = `${group} ${summary.date}`;
    const previous = documents.read(client.uuid, user, 'clinical_ready', name) as ClinicalReadyPayload | null;
    const next = nextClinicalReady(previous === null ? null : asSent(previous), {
      about: { clientUuid: client.uuid, userId: user },
      summary,
      group,
      at,
      deviceOf: isActive(client, 'device_metadata') ? (dataSource) => deviceOf(world.person, dataSource) : null,
    });
    if (next !== null) documents.emit(next, name);
  }
}

/** What follows from a day of which something new has come. */
export function workDay(work: DayWork, whom: Whom, date: string, at: number): void {
  const days = sourceDaysAt(whom, date, at);
  const summary = summaryOf(whom, days);
  if (summary === null) return;
  if (isActive(whom.client, 'clinical_ready')) sendClinicalReady(work, whom, summary, at);
  sendUnpublished(work.documents, whom, summary, days);
  if (isActive(whom.client, 'health_monitoring')) monitorDay(work, whom, summary, days);
}

/** The score of a day that was extracted at a first connection. */
export function scoreDay({ documents }: DayWork, whom: Whom, date: string, at: number): void {
  const summary = summaryOf(whom, sourceDaysAt(whom, date, at));
  if (summary !== null) sendHealthScore(documents, whom, summary);
}
