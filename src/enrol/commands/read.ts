import { all, get, words, type Programs } from '../../store/index.ts';
import type { EnrolReads } from '../commands.ts';
import {
  claimsOf,
  CONNECTION,
  indexOf,
  openMrn,
  openUser,
  readTime,
  REQUEST,
  toConnection,
  toRequest,
} from '../rows.ts';
import { patients, timeline } from './patients.ts';
import { TABLES } from './tables.ts';
import { listConnected, listDataSources } from './connected.ts';

const [CONNECTION_COLUMNS, REQUEST_COLUMNS] = [words(CONNECTION), words(REQUEST)];

export const reads: Programs<EnrolReads> = {
  'enrol.data-sources': listDataSources,
  'enrol.connected-to': listConnected,
  *'enrol.show'({ vault }, { tenant, user, limit }) {
    const index = indexOf(vault, user);
    const known = yield* get`
      SELECT revoked_at, late FROM enrolled_user WHERE tenant = ${tenant} AND user_index = ${index}`;
    const connections = yield* all`
      SELECT ${CONNECTION_COLUMNS} FROM source_connection
      WHERE tenant = ${tenant} AND user_index = ${index} ORDER BY data_source`;
    const requests = yield* all`
      SELECT ${REQUEST_COLUMNS} FROM source_request
      WHERE tenant = ${tenant} AND user_index = ${index} ORDER BY asked_at DESC, id LIMIT ${limit}`;
    return {
      connections: connections.map((row) => toConnection(row, vault)),
      requests: requests.map(toRequest),
      revokedAt: readTime(known?.['revoked_at']),
      late: Number(known?.['late'] ?? 0),
    };
  },
  *'enrol.held'({ vault }, { tenant, user }) {
    const index = indexOf(vault, user);
    const held = { enrolled_user: 0, source_connection: 0, source_request: 0 };
    for (const { table, name } of TABLES) {
      const row = yield* get`SELECT count(*) AS n FROM ${name} WHERE tenant = ${tenant} AND user_index = ${index}`;
      held[table] = Number(row?.['n']);
    }
    const rows = yield* all`SELECT mrn_index, user_sealed FROM enrolled_patient WHERE tenant = ${tenant}`;
    return { held, claims: claimsOf(vault, rows, user) };
  },
  *'enrol.revoked'({ vault }, { tenant, limit }) {
    const rows = yield* all`
      SELECT user_index, user_sealed FROM enrolled_user
      WHERE tenant = ${tenant} AND revoked_at IS NOT NULL ORDER BY revoked_at DESC LIMIT ${limit}`;
    return rows.map((row) => openUser(vault, row));
  },
  *'enrol.overdue'({ vault }, { tenant, before, limit }) {
    const rows = yield* all`
      SELECT ${REQUEST_COLUMNS} FROM source_request
      WHERE tenant = ${tenant} AND delivery_id IS NULL AND asked_at <= ${before} ORDER BY asked_at, id LIMIT ${limit}`;
    return rows.map((row) => ({ ...toRequest(row), mrn: openMrn(vault, row) }));
  },
  'enrol.patients': patients,
  'enrol.timeline': timeline,
};
