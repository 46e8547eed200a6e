import type { Grant } from '../auth/index.ts';
import type { NotificationType, PermittedEvent } from './build-notification.ts';
import type { NotificationRecords } from './commands.ts';
import type { Content, NumberedEvent, Subscription } from './subscription.ts';
import { topicOfKind } from './topics.ts';

/** What the audit has of what an app is told: one record for each patient who is named, and one where nobody is. */
export function recordsOf(of: {
  readonly subscription: Subscription;
  readonly grant: Grant;
  readonly type: NotificationType;
  readonly content: Content;
  readonly events: readonly NumberedEvent[];
  readonly permitted: readonly PermittedEvent[];
  readonly requestId: string;
}): NotificationRecords {
  const { subscription: s, grant, events, permitted } = of;
  const draft = (count: number, resourceId?: string): NotificationRecords[number]['draft'] => ({
    type: 'fhir.notify',
    requestId: of.requestId,
    action: 'R',
    outcome: '0',
    client: s.clientId,
    issuer: grant.issuer,
    tokenId: grant.tokenId,
    interaction: of.type,
    resourceType: topicOfKind(s.kind).type,
    to: s.id,
    why: of.content,
    count,
    toSeal: { subject: grant.subject, ...(resourceId === undefined ? {} : { resourceId }) },
  });
  const byPatient = Map.groupBy(
    permitted.flatMap((one, i) =>
      one.focus.kind === 'named' ? [{ ...one.focus, patient: events[i]?.patient ?? '' }] : [],
    ),
    ({ patient }) => patient,
  );
  if (byPatient.size === 0) return [{ patient: null, draft: draft(permitted.length) }];
  return [...byPatient].map(([patient, named]) => {
    const [only, ...more] = new Set(named.map(({ reference }) => reference));
    return { patient, draft: draft(named.length, more.length === 0 ? only?.split('/')[1] : undefined) };
  });
}
