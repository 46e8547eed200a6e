import { patientIndex, type SqliteContext, type SqliteOperations } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import type { LaneReads } from './commands.ts';
import { writtenByDocument, writtenByOthers } from './ledger-sqlite.ts';
import { FOREIGN, IN_DOUBT, toSeenChange } from './rows.ts';

const documentOf = ({ db }: SqliteContext, by: 'id' | 'seq', value: string | number): Uint8Array =>
  (db.get(`SELECT document_index FROM delivery WHERE ${by} = ?`, value)?.['document_index'] ??
    Buffer.alloc(0)) as Uint8Array;

export const reads: SqliteOperations<LaneReads> = {
  'lane.ledger': (context, { tenant, deliveryId, patient: { mrnSystem, mrn }, names, alertsOf = null }) => {
    const document = documentOf(context, 'id', deliveryId);
    const patient = patientIndex(context.vault, mrnSystem, mrn);
    return [
      ...writtenByDocument(context, tenant, patient, document),
      ...writtenByOthers(context, tenant, patient, document, { names: JSON.stringify(names), alertsOf, deliveryId }),
    ];
  },
  'lane.to-retract': (context, { tenant, deliverySeq, patient }) =>
    writtenByDocument(context, tenant, patient, documentOf(context, 'seq', deliverySeq)).filter(
      ({ isRetracted }) => !isRetracted,
    ),
  'lane.intents': ({ db }, { tenant, deliverySeqs, patient }) =>
    db
      .all(
        `SELECT intents FROM attempt WHERE intents IS NOT NULL AND tenant = ? AND ${IN_DOUBT} WHERE d.seq IN (SELECT value FROM json_each(?)) AND k.patient_index = ?)`,
        tenant,
        JSON.stringify(deliverySeqs),
        patient,
      )
      .map((row) => row['intents'] as Uint8Array),
  'lane.foreign': ({ db, vault }, { tenant, deliveryId }) =>
    db
      .all(
        `SELECT ${FOREIGN} FROM foreign_change WHERE tenant = ? AND target = ? AND delivery_seq = (SELECT seq FROM delivery WHERE tenant = ?1 AND id = ?) ORDER BY name`,
        tenant,
        TARGET,
        deliveryId,
      )
      .map((row) => toSeenChange(row, vault)),
  'lane.target': ({ db }, { tenant }) => {
    const row = db.get(
      'SELECT paused_at, paused_by, habits FROM target WHERE tenant = ? AND target = ?',
      tenant,
      TARGET,
    );
    return {
      pausedAt: typeof row?.['paused_at'] === 'number' ? row['paused_at'] : null,
      pausedBy: typeof row?.['paused_by'] === 'string' ? row['paused_by'] : null,
      habits: typeof row?.['habits'] === 'string' ? row['habits'] : null,
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
    const parked = db.get(
      `SELECT count(*) AS n FROM job WHERE tenant = ? AND target = ? AND state = 'parked'`,
      tenant,
      TARGET,
    );
    const leftOut = db.get(
      `SELECT count(*) AS n FROM delivery d JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq WHERE d.tenant = ? AND d.state = 'delivered' AND d.reason = 'left-out'`,
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
