import { patientIndex, type SqliteContext, type SqliteOperations } from '../../store/index.ts';
import { TARGET } from '../commands.ts';
import type { LaneReads } from './commands.ts';
import { LEDGER, toLedgerRow } from './rows.ts';

const documentOf = ({ db }: SqliteContext, by: 'id' | 'seq', value: string | number): Uint8Array =>
  (db.get(`SELECT document_index FROM delivery WHERE ${by} = ?`, value)?.['document_index'] ?? Buffer.alloc(0)) as Uint8Array;

export const reads: SqliteOperations<LaneReads> = {
  'lane.ledger': (context, { tenant, deliveryId, patient: { mrnSystem, mrn }, names }) => {
    const { db, vault } = context;
    const document = documentOf(context, 'id', deliveryId);
    const patient = patientIndex(vault, mrnSystem, mrn);
    const rows = [
      ...db.all(
        `SELECT ${LEDGER} FROM written_resource INDEXED BY written_by_document WHERE tenant = ? AND target = ? AND document_index = ? AND patient_index = ?`,
        tenant,
        TARGET,
        document,
        patient,
      ),
      ...names.flatMap((name) =>
        db.all(
          `SELECT ${LEDGER} FROM written_resource WHERE tenant = ? AND target = ? AND name = ? AND document_index <> ? AND patient_index = ?`,
          tenant,
          TARGET,
          name,
          document,
          patient,
        ),
      ),
    ];
    return rows.map((row) => toLedgerRow(row, vault, document));
  },
  'lane.to-retract': (context, { tenant, deliverySeq, patient }) => {
    const document = documentOf(context, 'seq', deliverySeq);
    return context.db
      .all(
        `SELECT ${LEDGER} FROM written_resource INDEXED BY written_by_document WHERE tenant = ? AND target = ? AND document_index = ? AND patient_index = ? AND retracted_at IS NULL`,
        tenant,
        TARGET,
        document,
        patient,
      )
      .map((row) => toLedgerRow(row, context.vault, document));
  },
  'lane.target': ({ db }, { tenant }) => {
    const row = db.get('SELECT paused_at, paused_by FROM target WHERE tenant = ? AND target = ?', tenant, TARGET);
    return {
      pausedAt: typeof row?.['paused_at'] === 'number' ? row['paused_at'] : null,
      pausedBy: typeof row?.['paused_by'] === 'string' ? row['paused_by'] : null,
    };
  },
  'lane.lag': ({ db }, { tenant }) => {
    const lanes = db.get(
      'SELECT count(*) AS lanes, coalesce(sum(pending), 0) AS jobs FROM lane WHERE tenant = ? AND target = ? AND pending > 0',
      tenant,
      TARGET,
    );
    const oldest = db.get(
      `SELECT d.received_at FROM delivery d WHERE d.tenant = ? AND d.state IN ('queued','sending','unknown') ORDER BY d.seq LIMIT 1`,
      tenant,
    );
    const parked = db.get(`SELECT count(*) AS n FROM job WHERE tenant = ? AND target = ? AND state = 'parked'`, tenant, TARGET);
    return {
      retractionsParked: Number(parked?.['n']),
      lanes: Number(lanes?.['lanes']),
      jobs: Number(lanes?.['jobs']),
      oldestAt: oldest === undefined ? null : Number(oldest['received_at']),
    };
  },
};
