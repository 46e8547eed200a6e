import { actorOf, type AuditDraft } from '../../audit/index.ts';
import { openPatient } from '../../identity/index.ts';
import { openBody } from '../../inbox/index.ts';
import type { Vault } from '../../store/index.ts';
import { type Claimed, deliveryOf, doubtOf, jobOf, type Row } from '../../lanes/index.ts';
import {
  REPORT_TRUSTED_MS,
  SHADOW_CHANGES,
  type LanePlace,
  type ListedEvaluation,
  type ShadowChange,
  type ShadowCounts,
  type ShadowItem,
  type ShadowKind,
  type ShadowOutcome,
  type ShadowTotals,
  type ShadowWaiting,
  type ShadowWrites,
} from './commands.ts';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const numberOrNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

/** How long a job is somebody's to evaluate, and how long one waits that could not be evaluated. */
export const [EVALUATION_LEASE_MS, NOT_YET_WAIT_MS] = [120_000, 60_000] as const;

export const itemIndex = (vault: Vault, { name }: ShadowItem): Buffer => vault.index('shadow_item', name);

export function countsOf(items: readonly ShadowItem[]): ShadowCounts {
  const counts: Partial<Record<ShadowChange, Record<string, number>>> = {};
  for (const change of SHADOW_CHANGES)
    for (const { resourceType } of items.filter((item) => item.change === change)) {
      const byType = (counts[change] ??= {});
      byType[resourceType] = (byType[resourceType] ?? 0) + 1;
    }
  return counts;
}

export function toWaiting(rows: readonly Row[]): ShadowWaiting {
  const of = (kind: string): number => Number(rows.find((row) => row['kind'] === kind)?.['n'] ?? 0);
  const [deliveries, retractions] = [of('deliver'), of('retract')];
  return { total: deliveries + retractions, deliveries, retractions };
}

/** What a person said fits what waits, or what they were told a short while ago. */
export function isConfirmed(confirm: number, waiting: number, target: Row | undefined, at: Date): boolean {
  const [told, toldAt] = [numberOrNull(target?.['reported_waiting']), numberOrNull(target?.['reported_at'])];
  return confirm === waiting || (confirm === told && toldAt !== null && at.getTime() - toldAt <= REPORT_TRUSTED_MS);
}

export const auditOfEnter = ({ tenant, at }: ShadowWrites['shadow.enter']['args']): AuditDraft => ({
  at,
  type: 'admin',
  tenant,
  requestId: 'shadow',
  action: 'U',
  outcome: '0',
  actor: 'gateway',
  to: 'shadow',
  why: 'shadow',
});

export const auditOfLeave = (
  { tenant, at, requestId, ...who }: ShadowWrites['shadow.leave']['args'],
  waiting: number,
  outcome: 'left' | 'unconfirmed',
): AuditDraft => ({
  at,
  type: 'admin',
  tenant,
  requestId,
  action: 'U',
  outcome: outcome === 'left' ? '0' : '4',
  ...actorOf(who),
  ...(outcome === 'left' ? { from: 'shadow', to: 'live' } : {}),
  why: outcome === 'left' ? 'shadow' : 'shadow unconfirmed',
  count: waiting,
});

export const toPlace = (row: Row): LanePlace => ({
  patient: new Uint8Array(row['patient_index'] as Uint8Array),
  deliverySeq: Number(row['delivery_seq']),
  jobSeq: Number(row['seq']),
});

/** The page's due jobs, and where the next page begins. */
export const toPending = (rows: readonly Row[], limit: number): { jobSeqs: number[]; next: LanePlace | null } => {
  const last = rows.at(-1);
  return {
    jobSeqs: rows.filter((row) => Number(row['is_due']) === 1).map((row) => Number(row['seq'])),
    next: rows.length < limit || last === undefined ? null : toPlace(last),
  };
};

/** `linked`: the newest link of the user to the patient of this lane. */
export function toLoaded(
  row: Row,
  link: { readonly isConfirmed: boolean; readonly linked: Row | undefined },
  approvedPlans: readonly string[],
  vault: Vault,
): Claimed {
  const delivery = deliveryOf(row);
  return {
    patient: new Uint8Array(row['patient_index'] as Uint8Array),
    epoch: 0,
    job: jobOf(row),
    delivery,
    doubtAt: doubtOf(row),
    body: row['sealed'] === null ? 'gone' : openBody(vault, row),
    mrn: link.linked === undefined ? null : openPatient(vault, link.linked),
    isLinked: link.isConfirmed,
    approvedPlans,
    isDecided: Number(row['is_decided']) === 1,
  };
}

export const toOutcome = (row: Row): ShadowOutcome => ({
  kind: row['kind'] as ShadowKind,
  reason: text(row['reason']),
  faultCode: text(row['fault_code']),
  count: Number(row['n']),
  example: String(row['example']),
});

export const toResource = (row: Row): ShadowTotals['resources'][number] => ({
  resourceType: String(row['resource_type']),
  change: row['change'] as ShadowChange,
  count: Number(row['n']),
});

export const toStopped = (row: Row): ShadowTotals['stopped'][number] => ({
  state: row['state'] as 'parked' | 'quarantined',
  reason: text(row['reason']),
  count: Number(row['n']),
  example: String(row['example']),
});

export const toListedEvaluation = (row: Row): ListedEvaluation => ({
  seq: Number(row['job_seq']),
  id: String(row['id']),
  job: row['job_kind'] as ListedEvaluation['job'],
  dataStructure: text(row['data_structure']),
  documentVersion: numberOrNull(row['document_version']),
  receivedAt: Number(row['received_at']),
  kind: row['kind'] as ShadowKind,
  reason: text(row['reason']),
  faultCode: text(row['fault_code']),
  counts: JSON.parse(text(row['counts']) ?? '{}') as ShadowCounts,
  evaluatedAt: Number(row['evaluated_at']),
});

/** Of what waits, by what was found out about it. */
export const EVALUATED = `shadow_result r JOIN job j ON j.seq = r.job_seq AND j.state = 'queued'`;
export const LISTED_EVALUATION = `r.job_seq, d.id, j.kind AS job_kind, d.data_structure, d.document_version, d.received_at, r.kind, r.reason, r.fault_code, r.counts, r.evaluated_at
  FROM ${EVALUATED} JOIN delivery d ON d.seq = r.delivery_seq`;
