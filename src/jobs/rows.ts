import { actorOf, type AuditDraft } from '../audit/index.ts';
import type { SeenDelivery } from '../inbox/index.ts';
import type { BulkAct, BulkJob, BulkState, Choice, JobAct } from './commands.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

export const JOB = `seq, id, act, chosen, why, state, total, patients, moved, skipped, actor, roles, request_id, started_at,
  ended_at`;

const number = (value: unknown): number | null => (value === null ? null : Number(value));

export const toJob = (row: Row): BulkJob => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  act: row['act'] as BulkAct,
  // Of a job from before schema step 16 nothing says so, and it was about anybody and any word.
  choice: { word: null, ofOne: null, ...(JSON.parse(String(row['chosen'])) as Omit<Choice, 'word' | 'ofOne'>) },
  why: row['why'] as string | null,
  state: row['state'] as BulkState,
  total: Number(row['total']),
  patients: Number(row['patients']),
  moved: Number(row['moved']),
  skipped: Number(row['skipped']),
  actor: String(row['actor']),
  roles: typeof row['roles'] === 'string' ? (JSON.parse(row['roles']) as string[]) : null,
  requestId: String(row['request_id']),
  startedAt: Number(row['started_at']),
  endedAt: number(row['ended_at']),
});

export const toText = (deliveries: readonly SeenDelivery[]): string => JSON.stringify(deliveries);
export const fromText = (row: Row): readonly SeenDelivery[] => JSON.parse(String(row['places'])) as SeenDelivery[];

export const auditOfJob = (
  { at, tenant, requestId, ...who }: JobAct,
  why: 'job.start' | 'job.stop',
  act: BulkAct,
  count: number,
): AuditDraft => ({
  at,
  type: 'admin',
  tenant,
  requestId,
  action: 'U',
  outcome: '0',
  ...actorOf(who),
  why,
  to: act,
  count,
});
