import { patientIndex, type PostgresContext, type PostgresOperations } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import type { LaneReads } from './commands.ts';
import { FOREIGN, IN_DOUBT, LEDGER, nameBytes, OF_SAME_USER, toLedgerRow, toSeenChange } from './rows.ts';

const documentOf = async ({ db }: PostgresContext, by: 'id' | 'seq', value: string | number): Promise<Uint8Array> =>
  ((await db.get(`SELECT document_index FROM delivery WHERE ${by} = $1`, value))?.['document_index'] ??
    Buffer.alloc(0)) as Uint8Array;

export const reads: PostgresOperations<LaneReads> = {
  'lane.ledger': async (context, { tenant, deliveryId, patient: { mrnSystem, mrn }, names, alertsOf = null }) => {
    const document = await documentOf(context, 'id', deliveryId);
    const rows = await context.db.all(
      `SELECT ${LEDGER} FROM written_resource w WHERE tenant = $1 AND target = $2 AND patient_index = $5 AND (document_index = $3 OR name = ANY($4::bytea[])
       OR ($6::text IS NOT NULL AND summary_group = 'alerts' AND chart_day = $6::text AND ${OF_SAME_USER} AND o.id = $7)))`,
      tenant,
      TARGET,
      document,
      names.map(nameBytes),
      patientIndex(context.vault, mrnSystem, mrn),
      alertsOf,
      deliveryId,
    );
    return rows.map((row) => toLedgerRow(row, context.vault, document));
  },
  'lane.to-retract': async (context, { tenant, deliverySeq, patient }) => {
    const document = await documentOf(context, 'seq', deliverySeq);
    const rows = await context.db.all(
      `SELECT ${LEDGER} FROM written_resource WHERE tenant = $1 AND target = $2 AND document_index = $3 AND patient_index = $4 AND retracted_at IS NULL`,
      tenant,
      TARGET,
      document,
      patient,
    );
    return rows.map((row) => toLedgerRow(row, context.vault, document));
  },
  'lane.intents': async ({ db }, { tenant, deliverySeqs, patient }) => {
    const rows = await db.all(
      `SELECT intents FROM attempt WHERE intents IS NOT NULL AND tenant = $1 AND ${IN_DOUBT} WHERE d.seq = ANY($2::bigint[]) AND k.patient_index = $3)`,
      tenant,
      deliverySeqs,
      patient,
    );
    return rows.map((row) => row['intents'] as Uint8Array);
  },
  'lane.foreign': async ({ db, vault }, { tenant, deliveryId }) => {
    const rows = await db.all(
      `SELECT ${FOREIGN} FROM foreign_change WHERE tenant = $1 AND target = $2 AND delivery_seq = (SELECT seq FROM delivery WHERE tenant = $1 AND id = $3) ORDER BY name`,
      tenant,
      TARGET,
      deliveryId,
    );
    return rows.map((row) => toSeenChange(row, vault));
  },
  'lane.target': async ({ db }, { tenant }) => {
    const row = await db.get(
      'SELECT paused_at, paused_by, habits FROM target WHERE tenant = $1 AND target = $2',
      tenant,
      TARGET,
    );
    return {
      pausedAt:
        typeof row?.['paused_at'] === 'string' || typeof row?.['paused_at'] === 'number'
          ? Number(row['paused_at'])
          : null,
      pausedBy: typeof row?.['paused_by'] === 'string' ? row['paused_by'] : null,
      habits: typeof row?.['habits'] === 'string' ? row['habits'] : null,
    };
  },
  'lane.lag': async ({ db }, { tenant }) => {
    const lanes = await db.get(
      'SELECT count(*) AS lanes, coalesce(sum(pending), 0) AS jobs FROM lane WHERE tenant = $1 AND target = $2 AND pending > 0',
      tenant,
      TARGET,
    );
    const oldest = await db.get(
      `SELECT received_at FROM delivery WHERE tenant = $1 AND state IN ('queued','sending','unknown') ORDER BY seq LIMIT 1`,
      tenant,
    );
    const parked = await db.get(
      `SELECT count(*) AS n FROM job WHERE tenant = $1 AND target = $2 AND state = 'parked'`,
      tenant,
      TARGET,
    );
    const leftOut = await db.get(
      `SELECT count(*) AS n FROM delivery d JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq WHERE d.tenant = $1 AND d.state = 'delivered' AND d.reason = 'left-out'`,
      tenant,
    );
    return {
      leftOut: Number(leftOut?.['n']),
      retractionsParked: Number(parked?.['n']),
      lanes: Number(lanes?.['lanes']),
      jobs: Number(lanes?.['jobs']),
      oldestAt: oldest === undefined ? null : Number(oldest['received_at']),
    };
  },
};
