import { openPatient } from '../../identity/index.ts';
import { all, fragment, type CommandContext, type Program } from '../../store/index.ts';
import type { EnrolReads } from '../commands.ts';

type Sources = EnrolReads['enrol.data-sources'];

export function* listDataSources(_: CommandContext, { tenant }: Sources['args']): Program<Sources['out']> {
  const rows = yield* all`
    SELECT c.data_source, count(DISTINCT l.mrn_index) AS patients
    FROM source_connection c JOIN link l
      ON l.tenant = c.tenant AND l.user_index = c.user_index AND l.status = 'confirmed'
    WHERE c.tenant = ${tenant} AND c.state = 'connected' GROUP BY c.data_source ORDER BY c.data_source`;
  return rows.map((row) => ({ dataSource: String(row['data_source']), patients: Number(row['patients']) }));
}

type Connected = EnrolReads['enrol.connected-to'];

export function* listConnected({ vault }: CommandContext, p: Connected['args']): Program<Connected['out']> {
  const below = p.before === null ? fragment`` : fragment`AND l.seq < ${p.before}`;
  const rows = yield* all`
    SELECT l.seq, l.id, l.mrn_sealed FROM link l
    WHERE l.tenant = ${p.tenant} AND l.status = 'confirmed' ${below} AND EXISTS (
      SELECT 1 FROM source_connection c
      WHERE c.tenant = l.tenant AND c.user_index = l.user_index AND c.data_source = ${p.dataSource}
        AND c.state = 'connected')
    ORDER BY l.seq DESC LIMIT ${p.limit}`;
  return rows.map((row) => ({ seq: Number(row['seq']), ...openPatient(vault, row) }));
}
