import { fileBeside } from '../kernel/index.ts';
import type { CommandSet } from '../store/index.ts';

/** What is counted over time. Nothing of it tells of a patient. */
export const COUNTED = [
  /** Deliveries that were acknowledged, repetitions among them. */
  'received',
  /** Webhooks that were refused. */
  'refused',
  'delivered',
  'parked',
  'quarantined',
  /** Attempts at the EHR that did not succeed. */
  'failed-attempts',
] as const;
/** Why webhooks were refused: words of ours, and nothing that a sender says. */
export const REFUSALS = [
  /** Of the sender, before anything of the body was believed. */
  'secret',
  'basic',
  'certificate',
  'signature',
  /** Of the gateway: no sender can be told from another yet. */
  'not-configured',
  'too-large',
  /** The body ended early, or came too slowly. */
  'cut-short',
  /** There was no memory for it. */
  'no-room',
  /** The store did not take it. */
  'store',
  /** Acknowledged, and quarantined once it was read. */
  'not-json',
  'foreign-client',
] as const;
export type Refusals = (typeof REFUSALS)[number];
/** What is counted with how long it took. */
export const TIMED = [
  /** From the first byte to the chart. */
  'lag',
  /** One attempt at the EHR. */
  'ehr-latency',
] as const;
export type Counted = (typeof COUNTED)[number];
export type Timed = (typeof TIMED)[number];
export type Series = Counted | Timed | `refused-${Refusals}`;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long points of each width are kept. Nothing else bounds the table, and nothing else needs to. */
export const KEPT = [
  { width: MINUTE_MS, keptMs: DAY_MS },
  { width: HOUR_MS, keptMs: 90 * DAY_MS },
] as const;
export type Width = (typeof KEPT)[number]['width'];

/** So many of a series in one bucket; bucket 0 for what is only counted. */
export interface Addition {
  readonly series: Series;
  readonly bucket: number;
  readonly count: number;
}

export interface Point extends Addition {
  /** When its minute or hour began. */
  readonly at: number;
}

export type FigureWrites = {
  /** Adds to the minute and the hour of `at`, and drops what was kept long enough. */
  'figures.add': {
    args: { readonly tenant: string; readonly at: Date; readonly additions: readonly Addition[] };
    out: null;
  };
};

export type FigureReads = {
  /** The points of these series that began at `from` or later and before `to`, oldest first. */
  'figures.points': {
    args: {
      readonly tenant: string;
      readonly series: readonly Series[];
      readonly width: Width;
      readonly from: number;
      readonly to: number;
    };
    out: readonly Point[];
  };
};

export const figureSet: CommandSet<FigureWrites, FigureReads> = {
  sqlite: fileBeside(import.meta.url, './commands/all'),
  soon: ['figures.add'],
  postgres: () => import('./commands/all.ts'),
};
