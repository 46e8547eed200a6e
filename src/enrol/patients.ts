import type { RequestKind } from './commands.ts';

/** A patient with a confirmed link, as a list shows it. */
export interface ListedPatient {
  readonly seq: number;
  readonly mrn: string;
  /** Source users who are this patient. */
  readonly users: number;
  /** Data sources that are connected now. */
  readonly connections: number;
  readonly linkedAt: number;
  readonly lastDeliveryAt: number | null;
}

/** Something that happened to a patient. */
export type PatientEvent =
  | {
      readonly kind: 'delivery';
      readonly at: number;
      readonly place: number;
      readonly deliveryId: string;
      readonly dataStructure: string | null;
      readonly documentVersion: number | null;
      readonly state: string;
      readonly reason: string | null;
    }
  | {
      readonly kind: 'link';
      readonly at: number;
      readonly place: number;
      readonly linkId: string;
      readonly status: string;
      readonly actor: string;
      readonly changedAt: number;
    }
  | {
      readonly kind: 'request';
      readonly at: number;
      readonly place: number;
      readonly id: string;
      readonly what: RequestKind;
      readonly deliveryId: string | null;
      readonly arrivedAt: number | null;
    };
export type EventKind = PatientEvent['kind'];

/** How far a walk has come, kind by kind: each has an order of its own, and goes down in it. */
export type TimelinePlace = Readonly<Record<EventKind, number>>;

/** Above every place. */
export const FIRST_PLACE: TimelinePlace = { delivery: 1e15 - 1, link: 1e15 - 1, request: 1e15 - 1 };

/**
 * The newest of several lists, each newest first. Where two events of one kind stand at one place, both are on one page,
 * which is longer by that.
 */
export function mergeEvents(
  lists: readonly (readonly PatientEvent[])[],
  from: TimelinePlace,
  limit: number,
): { readonly events: readonly PatientEvent[]; readonly next: TimelinePlace | null } {
  const rests = lists.map((list) => [...list]);
  const place = { ...from };
  const events: PatientEvent[] = [];
  const newest = (): PatientEvent[] | undefined =>
    rests.filter((rest) => rest.length > 0).sort((a, b) => (b[0]?.at ?? 0) - (a[0]?.at ?? 0))[0];
  for (let rest = newest(); rest !== undefined && events.length < limit; rest = newest()) {
    const [first] = rest;
    if (first === undefined) break;
    place[first.kind] = first.place;
    const count = rest.filter((one) => one.place === first.place).length;
    events.push(...rest.splice(0, count));
  }
  return { events, next: rests.some((rest) => rest.length > 0) ? place : null };
}
