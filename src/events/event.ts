import type { Brand } from '../kernel/index.ts';

/** What the gateway did to one resource of a chart. */
export const CHART_ACTS = ['written', 'amended', 'withdrawn'] as const;
export type ChartAct = (typeof CHART_ACTS)[number];

/** The kinds of events that an app can ask for. */
export const EVENT_KINDS = ['measurement', 'laboratory-report', 'alert', 'patient-connection'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A code or a category of a resource, as `code=http://loinc.org|8867-4`: what an app may filter by. */
export type Label = string;

/** One thing that an app can be told of. It has a number of its own in every subscription that wants it. */
export type EventItem =
  | {
      readonly kind: Exclude<EventKind, 'patient-connection'>;
      readonly act: ChartAct;
      readonly type: string;
      /** At the EHR. */
      readonly id: string;
      readonly labels: readonly Label[];
    }
  | {
      readonly kind: 'patient-connection';
      readonly act: 'connected' | 'disconnected';
      readonly mrnSystem: string;
      readonly mrn: string;
    };

/** A list of items as JSON: they go to the store as one text, which mostly nobody reads. Null where there are none. */
export type PackedItems = Brand<string, 'PackedItems'> | null;
export const packItems = (items: readonly EventItem[]): PackedItems =>
  items.length === 0 ? null : (JSON.stringify(items) as NonNullable<PackedItems>);
export const unpackItems = (packed: string): readonly EventItem[] => JSON.parse(packed) as EventItem[];

/** What one commit did to one patient, as it is put into the queue. */
export interface NewEvent {
  readonly tenant: string;
  readonly at: Date;
  /** Whose data it was, by a keyed hash: so that erasing finds it. */
  readonly user: Uint8Array | null;
  /** By a keyed hash of the MRN. */
  readonly patient: Uint8Array;
  readonly items: PackedItems;
}

/** The same as it is taken out of the queue. */
export interface QueuedEvent extends Pick<NewEvent, 'user' | 'patient'> {
  readonly seq: number;
  readonly items: readonly EventItem[];
  readonly atMs: number;
}
