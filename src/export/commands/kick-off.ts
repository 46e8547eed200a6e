import { append } from '../../audit/index.ts';
import { get, insertOne, lock, RETURNING_SEQ, run, type CommandContext, type Program } from '../../store/index.ts';
import type { ExportWrites } from '../commands.ts';
import { sealAsked, sealNewKey } from '../rows.ts';

type KickOff = ExportWrites['exports.kick-off'];

/** The patient of what is nobody's. */
const NOBODY = Buffer.alloc(0);

export function* kickOff(context: CommandContext, p: KickOff['args']): Program<KickOff['out']> {
  const { vault } = context;
  const { tenant, id, client, issuer, asked } = p;
  // Two requests of one client at the same moment count each other.
  yield* lock`SELECT pg_advisory_xact_lock(hashtext(${`export ${issuer} ${client}`}))`;
  const counted = yield* get`
    SELECT count(*) AS kept, coalesce(sum(CASE WHEN state = 'running' THEN 1 ELSE 0 END), 0) AS running
    FROM export_job WHERE tenant = ${tenant} AND client = ${client} AND issuer = ${issuer}
      AND state IN ('running','complete')`;
  if (Number(counted?.['running']) >= p.underWayMax || Number(counted?.['kept']) >= p.keptMax) return 'too-many';
  const types = asked.types === null ? null : JSON.stringify(asked.types);
  const seq = yield* insertOne`
    INSERT INTO export_job (tenant, id, client, issuer, token_id, scope, level, group_id, types, since, asked_sealed,
      key_sealed, state, phase, request_id, started_at)
    VALUES (${tenant}, ${id}, ${client}, ${issuer}, ${p.tokenId}, ${p.scope}, ${p.level}, ${p.group}, ${types},
      ${asked.since}, ${sealAsked(vault, id, asked)}, ${sealNewKey(vault, id)}, 'running', 'gather', ${p.requestId},
      ${p.at.getTime()})
    ${RETURNING_SEQ}`;
  yield* run`
    INSERT INTO export_patient (export_seq, n, tenant, mrn_index, mrn_sealed, state)
    VALUES (${seq}, 0, ${tenant}, ${NOBODY}, ${NOBODY}, 'done')`;
  yield* append(context, [p.audit]);
  return 'started';
}
