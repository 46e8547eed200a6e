import { all, get, part, patientIndex, type Program, type Programs } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneReads } from '../commands.ts';
import { ATTEMPTS_SHOWN, toAttempt, toSeenChange, toTarget, toWrote, type Row } from '../rows.ts';
import { standingOf, writtenByAnybody } from './ledger.ts';
import { inDoubt } from './parts.ts';
import { UNDER_WAY, waiting } from './waiting.ts';

/** Of a delivery that is not there, or that has none, a document that wrote nothing. */
const documentOf = (row: Row | undefined): Uint8Array => (row?.['document_index'] ?? Buffer.alloc(0)) as Uint8Array;

/** A document has some dozens. */
const WROTE_SHOWN = 500;

function* countOf(asked: Program<Row | undefined>): Program<number> {
  return Number((yield* asked)?.['n']);
}

/** SQLite would walk everything that was ever delivered. */
const BY_LEFT_OUT = part('INDEXED BY delivery_left_out', '');

/** State by state along the index: asked for several states at once, SQLite sorts the whole backlog. */
function* oldestUnderWay(tenant: string): Program<Row | null> {
  let oldest: Row | null = null;
  for (const state of UNDER_WAY) {
    const row = yield* get`
      SELECT seq, received_at FROM delivery WHERE tenant = ${tenant} AND state = ${state} ORDER BY seq LIMIT 1`;
    if (row !== undefined && Number(row['seq']) < Number(oldest?.['seq'] ?? Infinity)) oldest = row;
  }
  return oldest;
}

export const reads: Programs<LaneReads> = {
  *'lane.ledger'(context, { tenant, deliveryId, patient: { mrnSystem, mrn }, names, alertsOf = null }) {
    const document = documentOf(yield* get`SELECT document_index FROM delivery WHERE id = ${deliveryId}`);
    const patient = patientIndex(context.vault, mrnSystem, mrn);
    return yield* writtenByAnybody(context, { tenant, patient, document }, { names, alertsOf }, deliveryId);
  },
  *'lane.to-retract'(context, { tenant, deliverySeq, patient }) {
    const document = documentOf(yield* get`SELECT document_index FROM delivery WHERE seq = ${deliverySeq}`);
    return yield* standingOf(context, { tenant, patient, document });
  },
  *'lane.intents'(_, { tenant, deliverySeqs, patient }) {
    const rows = yield* all`
      SELECT intents FROM attempt
      WHERE intents IS NOT NULL AND tenant = ${tenant} AND ${inDoubt(deliverySeqs, patient)}`;
    return rows.map((row) => row['intents'] as Uint8Array);
  },
  *'lane.history'({ vault }, { tenant, deliveryId }) {
    const delivery = yield* get`
      SELECT seq, document_index FROM delivery WHERE tenant = ${tenant} AND id = ${deliveryId}`;
    const seq = Number(delivery?.['seq'] ?? 0);
    const attempts = yield* all`
      SELECT a.id, j.kind, a.started_at, a.ended_at, a.outcome, a.fault_code, a.http_status, a.issues
      FROM job j JOIN attempt a ON a.job_seq = j.seq WHERE j.delivery_seq = ${seq}
      ORDER BY a.seq DESC LIMIT ${ATTEMPTS_SHOWN}`;
    const wrote = yield* all`
      SELECT name, resource_type, resource_id_sealed, version_id, written_at, retracted_at FROM written_resource
      WHERE tenant = ${tenant} AND target = ${TARGET} AND document_index = ${documentOf(delivery)}
        AND patient_index IN (SELECT patient_index FROM job WHERE delivery_seq = ${seq}) AND delivery_seq = ${seq}
      ORDER BY resource_type, name LIMIT ${WROTE_SHOWN}`;
    return { attempts: attempts.map(toAttempt), wrote: wrote.map((row) => toWrote(row, vault)) };
  },
  *'lane.foreign'({ vault }, { tenant, deliveryId }) {
    const rows = yield* all`
      SELECT name, resource_type, resource_id_sealed, version_id, fingerprint, sides_sealed, seen_at, decision
      FROM foreign_change
      WHERE tenant = ${tenant} AND target = ${TARGET}
        AND delivery_seq = (SELECT seq FROM delivery WHERE tenant = ${tenant} AND id = ${deliveryId})
      ORDER BY name`;
    return rows.map((row) => toSeenChange(row, vault));
  },
  *'lane.target'(_, { tenant }) {
    return toTarget(
      yield* get`SELECT paused_at, paused_by, habits FROM target WHERE tenant = ${tenant} AND target = ${TARGET}`,
    );
  },
  *'lane.lag'(_, { tenant }) {
    const lanes = yield* get`
      SELECT count(*) AS lanes, coalesce(sum(pending), 0) AS jobs FROM lane
      WHERE tenant = ${tenant} AND target = ${TARGET} AND pending > 0`;
    const oldest = yield* oldestUnderWay(tenant);
    const retractionsParked = yield* countOf(get`
      SELECT count(*) AS n FROM job WHERE tenant = ${tenant} AND target = ${TARGET} AND state = 'parked'`);
    const leftOut = yield* countOf(get`
      SELECT count(*) AS n FROM delivery d ${BY_LEFT_OUT}
      JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq
      WHERE d.tenant = ${tenant} AND d.state = 'delivered' AND d.reason = 'left-out'`);
    return {
      leftOut,
      retractionsParked,
      lanes: Number(lanes?.['lanes']),
      jobs: Number(lanes?.['jobs']),
      oldestAt: oldest === null ? null : Number(oldest['received_at']),
    };
  },
  'lane.waiting': waiting,
};
