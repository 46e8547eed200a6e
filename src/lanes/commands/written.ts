import {
  fragment,
  insert,
  insertAlike,
  LATER,
  rowsOf,
  run,
  runEach,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Finish } from '../commands.ts';
import { fromHex, nameBytes, sealId, sealSides } from '../rows.ts';

const WRITTEN = rowsOf(
  'written_resource',
  {
    name: 'bytea',
    chart_day: 'text',
    summary_group: 'text',
    resource_type: 'text',
    resource_id_sealed: 'bytea',
    version_id: 'text',
    content_digest: 'bytea',
    fingerprint: 'bytea',
    said_at: 'bigint',
    kept_at: 'bigint',
    said_status: 'text',
    said_meaning: 'bytea',
  },
  `ON CONFLICT (tenant, target, patient_index, name) DO UPDATE SET document_index = excluded.document_index,
    summary_group = excluded.summary_group, chart_day = excluded.chart_day,
    resource_id_sealed = excluded.resource_id_sealed, version_id = excluded.version_id,
    content_digest = excluded.content_digest, fingerprint = excluded.fingerprint, kept_at = excluded.kept_at,
    delivery_seq = excluded.delivery_seq, written_at = excluded.written_at, said_at = excluded.said_at,
    said_status = excluded.said_status, said_meaning = excluded.said_meaning, retracted_at = NULL`,
  {
    tenant: 'text',
    target: 'text',
    patient_index: 'bytea',
    document_index: 'bytea',
    delivery_seq: 'bigint',
    written_at: 'bigint',
  },
);

function* putWritten(
  { vault }: CommandContext,
  { fence, at, written }: Finish,
  deliverySeq: number,
  document: Uint8Array,
): Program<void> {
  // One statement of PostgreSQL may touch a row once only.
  const rows = new Map(written.map((row) => [row.name, row]));
  const { tenant, patient } = fence;
  yield* insertAlike(
    WRITTEN,
    {
      tenant,
      target: TARGET,
      patient_index: patient,
      document_index: document,
      delivery_seq: deliverySeq,
      written_at: at.getTime(),
    },
    [...rows.values()].map((row) => ({
      name: nameBytes(row.name),
      chart_day: row.chartDay,
      summary_group: row.group,
      resource_type: row.resourceType,
      resource_id_sealed: sealId(vault, 'written_resource', row),
      version_id: row.versionId,
      content_digest: fromHex(row.contentDigest),
      fingerprint: fromHex(row.fingerprint),
      said_at: row.saidAt,
      kept_at: row.effect === 'kept' ? at.getTime() : null,
      said_status: row.said?.status ?? null,
      said_meaning: fromHex(row.said?.meaning ?? null),
    })),
  );
}

/** What an attempt wrote, took back, and found to stand already. */
export function* putIntoLedger(
  context: CommandContext,
  f: Finish,
  deliverySeq: number,
  document: Uint8Array,
): Program<void> {
  const { tenant, patient } = f.fence;
  yield* putWritten(context, f, deliverySeq, document);
  yield* runEach(
    f.retracted.map(
      ({ name, versionId, fingerprint }) => fragment`
        UPDATE written_resource SET retracted_at = ${f.at.getTime()}, version_id = ${versionId},
          fingerprint = ${fromHex(fingerprint)}, kept_at = NULL
        WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND name = ${nameBytes(name)}`,
    ),
  );
  const { names, saidAt } = f.adopted ?? { names: [], saidAt: 0 };
  yield* runEach(
    names.map(
      (name) => fragment`
        UPDATE written_resource SET document_index = ${document},
          said_at = ${LATER}(said_at, ${typed('bigint', saidAt)})
        WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND name = ${nameBytes(name)}
          AND retracted_at IS NULL`,
    ),
  );
}

const FOREIGN_CHANGE = rowsOf('foreign_change', {
  tenant: 'text',
  target: 'text',
  delivery_seq: 'bigint',
  name: 'bytea',
  resource_type: 'text',
  resource_id_sealed: 'bytea',
  version_id: 'text',
  fingerprint: 'bytea',
  sides_sealed: 'bytea',
  seen_at: 'bigint',
});

/** What somebody else changed, instead of what was known of that before. */
export function* putForeign(
  { vault }: CommandContext,
  { fence: { tenant }, at }: Finish,
  deliverySeq: number,
  foreign: NonNullable<Finish['foreign']>,
): Program<void> {
  yield* run`
    DELETE FROM foreign_change WHERE tenant = ${tenant} AND target = ${TARGET} AND delivery_seq = ${deliverySeq}`;
  if (foreign === 'settled') return;
  yield* insert(
    FOREIGN_CHANGE,
    foreign.map((one) => ({
      tenant,
      target: TARGET,
      delivery_seq: deliverySeq,
      name: nameBytes(one.name),
      resource_type: one.resourceType,
      resource_id_sealed: sealId(vault, 'foreign_change', one),
      version_id: one.versionId,
      fingerprint: fromHex(one.fingerprint),
      sides_sealed: sealSides(vault, one),
      seen_at: at.getTime(),
    })),
  );
}
