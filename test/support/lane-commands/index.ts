import { fileBeside } from '../../../src/kernel/index.ts';
import { READY } from '../../../src/lanes/rows.ts';
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
  sqlite: fileBeside(import.meta.url, './sqlite'),
  postgres: () => import('./postgres.ts'),
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

export const JOBS = `SELECT j.seq, j.kind, j.state, d.id, j.delivery_seq, j.patient_index, CASE WHEN ${READY} THEN 1 ELSE 0 END AS is_ready FROM job j JOIN delivery d ON d.seq = j.delivery_seq ORDER BY j.seq`;
export const PENDING = `SELECT l.pending AS said, (SELECT count(*) FROM job j WHERE j.tenant = l.tenant AND j.target = l.target AND j.patient_index = l.patient_index AND j.state = 'queued') AS counted FROM lane l
  UNION ALL SELECT 0, count(*) FROM job j WHERE j.state = 'queued' AND NOT EXISTS (SELECT 1 FROM lane l WHERE j.tenant = l.tenant AND j.target = l.target AND j.patient_index = l.patient_index) HAVING count(*) > 0`;
