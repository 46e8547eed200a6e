import { fileBeside } from '../../../src/kernel/index.ts';
import type { CommandSet } from '../../../src/store/index.ts';

/** What a sender will do with lanes, and what is in them. */
export interface FoundJob {
  readonly seq: number;
  readonly kind: 'deliver' | 'retract';
  readonly state: 'queued' | 'done' | 'cancelled';
  readonly delivery: string;
  readonly deliverySeq: number;
  /** The keyed hash of the patient, in hex. */
  readonly patient: string;
  /** Whether a claim would give it now, were it the head of its lane. */
  readonly isReady: boolean;
}

export type LaneWrites = {
  /** Both of the following at once. */
  'lane-test.send': { args: { readonly id: string; readonly names: readonly string[] }; out: null };
  /** As if a sender were at it just now. */
  'lane-test.claim': { args: { readonly id: string }; out: null };
  /** As if it had come through: its job, its lane, and one resource of each name in the chart of the lane's patient. */
  'lane-test.finish': { args: { readonly id: string; readonly names: readonly string[] }; out: null };
  'lane-test.shred': { args: { readonly id: string }; out: null };
};
export type LaneReads = {
  'lane-test.jobs': { args: null; out: readonly FoundJob[] };
  /** By patient: what the lane says is pending, and the jobs that are. */
  'lane-test.pending': { args: null; out: readonly { readonly said: number; readonly counted: number }[] };
};

export const laneSet: CommandSet<LaneWrites, LaneReads> = {
  sqlite: fileBeside(import.meta.url, './all'),
  postgres: () => import('./all.ts'),
};

export const toJob = (row: Readonly<Record<string, unknown>>): FoundJob => ({
  seq: Number(row['seq']),
  kind: row['kind'] as FoundJob['kind'],
  state: row['state'] as FoundJob['state'],
  delivery: String(row['id']),
  deliverySeq: Number(row['delivery_seq']),
  patient: Buffer.from(row['patient_index'] as Uint8Array).toString('hex'),
  isReady: Number(row['is_ready']) === 1,
});
