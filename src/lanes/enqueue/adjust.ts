import { actorOf, type AuditDraft } from '../../audit/index.ts';
import type { LinkAct, LinkHead } from '../../identity/index.ts';
import type { Move, State } from '../../inbox/index.ts';
import type { Adjusted } from './commands.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

/** What one delivery of a user needs to be where the link says. */
export type Task =
  | { readonly kind: 'retract'; readonly seq: number; readonly document: Uint8Array; readonly patient: Uint8Array }
  | { readonly kind: 'requeue' | 'release'; readonly seq: number; readonly id: string };

/** A delivery of a document that stands in the chart of a patient whom its user is no longer linked to. */
export interface Version {
  readonly seq: number;
  readonly id: string;
  readonly state: State;
}

export const NOTHING = { released: 0, requeued: 0, retracting: 0, unrepeatable: 0, parked: 0 } as const;
export type Counts = Omit<Adjusted, 'isSettled'>;

export const toVersion = (row: Row): Version => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  state: row['state'] as State,
});

/**
 * In the order of arrival, and of one delivery the retraction first. What does not fit is left to the next transaction.
 */
export function orderTasks(
  found: { readonly written: readonly Row[]; readonly queued: readonly Row[]; readonly parked: readonly Row[] },
  limit: number,
): { readonly tasks: readonly Task[]; readonly isAll: boolean } {
  const of =
    (kind: 'requeue' | 'release') =>
    (row: Row): Task => ({ kind, seq: Number(row['seq']), id: String(row['id']) });
  const all: Task[] = [
    ...found.written.map((row): Task => ({
      kind: 'retract',
      seq: Number(row['seq']),
      document: row['document_index'] as Uint8Array,
      patient: row['patient_index'] as Uint8Array,
    })),
    ...found.queued.map(of('requeue')),
    ...found.parked.map(of('release')),
  ];
  // Sorting is stable: retractions stand first among equals.
  all.sort((a, b) => a.seq - b.seq);
  return { tasks: all.slice(0, limit), isAll: all.length < limit };
}

/** Which delivery of a retracted document goes to the new chart. The newest, unless it never got anywhere. */
export const chooseVersion = (versions: readonly Version[], newest: number): Version | null =>
  versions.find(({ seq }) => seq === newest) ?? versions[0] ?? null;

export const moveOf = (act: LinkAct, seq: number, id: string, from: State, to: State, reason: string | null): Move => ({
  tenant: act.tenant,
  requestId: act.requestId,
  ...actorOf(act),
  at: act.at,
  seq,
  id,
  from,
  to,
  reason,
});

/** How many jobs each lane of a transaction has more or fewer, so that its row is touched once and in one order. */
export function makeLaneChanges() {
  const byPatient = new Map<string, { patient: Uint8Array; by: number }>();
  return {
    add(patient: Uint8Array, by: number): void {
      const key = Buffer.from(patient).toString('hex');
      byPatient.set(key, { patient, by: (byPatient.get(key)?.by ?? 0) + by });
    },
    inOrder: () =>
      [...byPatient]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, change]) => change)
        .filter(({ by }) => by !== 0),
  };
}
export type LaneChanges = ReturnType<typeof makeLaneChanges>;

export const sum = (a: Counts, b: Counts): Counts => ({
  released: a.released + b.released,
  requeued: a.requeued + b.requeued,
  retracting: a.retracting + b.retracting,
  unrepeatable: a.unrepeatable + b.unrepeatable,
  parked: a.parked + b.parked,
});

/** Beside the record of each delivery: what a link moved all in all. Null where it moved nothing. */
export const auditOfAdjustment = (act: LinkAct, link: LinkHead | null, counts: Counts): AuditDraft | null =>
  Object.values(counts).every((count) => count === 0)
    ? null
    : {
        at: act.at,
        type: 'link.change',
        tenant: act.tenant,
        requestId: act.requestId,
        action: 'U',
        outcome: '0',
        ...actorOf(act),
        ...(link === null ? {} : { linkId: link.id }),
        counts: { ...counts },
      };
