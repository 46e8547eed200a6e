import { packItems, type EventItem, type EventKind, type PackedItems } from '../events/index.ts';
import type { Group } from '../translate/index.ts';
import type { RetractedRow, WrittenRow } from './ledger-rows.ts';

type ChartKind = Exclude<EventKind, 'patient-connection'>;

/** Which kind of event a change of a resource is; null for what nobody can ask for, such as a Device. */
export function kindOfResource(resourceType: string, group: Group): ChartKind | null {
  if (resourceType === 'Observation') return group === 'alerts' ? 'alert' : 'measurement';
  return resourceType === 'DiagnosticReport' && (group === 'lab' || group === 'custom') ? 'laboratory-report' : null;
}

/** What apps may be told of an attempt: everything that it wrote, amended or withdrew, and nothing that it only found. */
export function chartEvents(written: readonly WrittenRow[], retracted: readonly RetractedRow[]): PackedItems {
  const items: EventItem[] = [];
  for (const { event, resourceType, group, id } of written) {
    const kind = event === undefined || id === null ? null : kindOfResource(resourceType, group);
    if (event !== undefined && id !== null && kind !== null)
      items.push({ kind, act: event.act, type: resourceType, id, labels: event.labels });
  }
  for (const { event } of retracted) {
    const kind = event === undefined ? null : kindOfResource(event.resourceType, event.group);
    if (event !== undefined && kind !== null)
      items.push({ kind, act: 'withdrawn', type: event.resourceType, id: event.id, labels: event.labels });
  }
  return packItems(items);
}
