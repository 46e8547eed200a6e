import { printDocument } from '../../../src/lanes/ledger-document.ts';
import { READY } from '../../../src/lanes/commands/parts.ts';
import { move, type State } from '../../../src/inbox/index.ts';
import { all, get, run, typed, type CommandContext, type Program, type Programs } from '../../../src/store/index.ts';
import { toJob, type LaneReads, type LaneWrites } from './index.ts';

function* step(context: CommandContext, id: string, from: State, to: State): Program<number> {
  const row = yield* get`SELECT seq, tenant FROM delivery WHERE id = ${id}`;
  const seq = Number(row?.['seq']);
  const tenant = String(row?.['tenant']);
  yield* move(context, [{ tenant, seq, id, from, to, reason: null, actor: 'sender', at: new Date(0), requestId: 'r' }]);
  return seq;
}

const entriesOf = (names: readonly string[], deliverySeq: number): string =>
  printDocument(
    new Map(
      names.map((name) => [
        name,
        {
          name,
          resourceType: 'Observation',
          id: name,
          isIdApart: false,
          versionId: null,
          contentDigest: '00',
          fingerprint: null,
          said: null,
          group: 'other',
          chartDay: null,
          shelf: '',
          saidAt: 0,
          writtenAt: 0,
          keptAt: null,
          retractedAt: null,
          deliverySeq,
        },
      ]),
    ),
  ).entries;

function* finish(context: CommandContext, id: string, names: readonly string[]): Program<void> {
  const seq = yield* step(context, id, 'sending', 'delivered');
  const job = yield* get`
    UPDATE job SET state = 'done' WHERE delivery_seq = ${seq} AND kind = 'deliver' AND state = 'queued'
    RETURNING patient_index`;
  const patient = job?.['patient_index'] as Uint8Array;
  yield* run`UPDATE lane SET pending = pending - 1 WHERE patient_index = ${patient}`;
  if (names.length > 0)
    yield* run`
      INSERT INTO written_document (tenant, target, patient_index, document_index, delivery_seq, standing, alerts, entries)
      SELECT tenant, 'ehr', ${typed('bytea', patient)}, document_index, seq, 1, 0, ${typed('text', entriesOf(names, seq))}
      FROM delivery WHERE seq = ${seq}
      ON CONFLICT DO NOTHING`;
}

export const writes: Programs<LaneWrites> = {
  *'lane-test.send'(context, { id, names }) {
    yield* step(context, id, 'queued', 'sending');
    yield* finish(context, id, names);
    return null;
  },
  *'lane-test.claim'(context, { id }) {
    yield* step(context, id, 'queued', 'sending');
    return null;
  },
  *'lane-test.finish'(context, { id, names }) {
    yield* finish(context, id, names);
    return null;
  },
  *'lane-test.shred'(_, { id }) {
    yield* run`DELETE FROM delivery_body WHERE seq = (SELECT seq FROM delivery WHERE id = ${id})`;
    return null;
  },
};

export const reads: Programs<LaneReads> = {
  *'lane-test.jobs'() {
    const rows = yield* all`
      SELECT j.seq, j.kind, j.state, d.id, j.delivery_seq, j.patient_index,
        CASE WHEN ${READY} THEN 1 ELSE 0 END AS is_ready
      FROM job j JOIN delivery d ON d.seq = j.delivery_seq ORDER BY j.seq`;
    return rows.map(toJob);
  },
  *'lane-test.pending'() {
    const rows = yield* all`
      SELECT l.pending AS said, (SELECT count(*) FROM job j
        WHERE j.tenant = l.tenant AND j.target = l.target AND j.patient_index = l.patient_index
          AND j.state = 'queued') AS counted
      FROM lane l
      UNION ALL SELECT 0, count(*) FROM job j
      WHERE j.state = 'queued' AND NOT EXISTS (
        SELECT 1 FROM lane l WHERE j.tenant = l.tenant AND j.target = l.target AND j.patient_index = l.patient_index)
      HAVING count(*) > 0`;
    return rows.map((row) => ({ said: Number(row['said']), counted: Number(row['counted']) }));
  },
};
