import { all, among, fragment, get, send, words, type Programs } from '../../store/index.ts';
import type { PersonReads, PersonWrites } from '../commands.ts';
import { toPersonRow } from '../rows.ts';
import { claim, notice, put } from './refresh-rows.ts';

const ROW = words('mrn_index, facts_sealed, version');

export const writes: Programs<PersonWrites> = {
  'persons.claim': claim,
  'persons.put': put,
  'persons.notice': notice,
  *'persons.doubt'(_, { tenant, mrnIndexes }) {
    yield* send`
      UPDATE person SET due_at = 0
      WHERE tenant = ${tenant} AND mrn_index ${among('bytea', mrnIndexes)} AND gone_at IS NULL`;
    return null;
  },
  *'persons.sweep'(_, { tenant, beforeMs }) {
    yield* send`DELETE FROM person WHERE tenant = ${tenant} AND gone_at IS NOT NULL AND gone_at < ${beforeMs}`;
    return null;
  },
};

export const reads: Programs<PersonReads> = {
  *'persons.state'(_, { tenant }) {
    const row = yield* get`
      SELECT (SELECT version FROM person_version WHERE tenant = ${tenant}) AS version,
        (SELECT count(*) FROM person WHERE tenant = ${tenant} AND gone_at IS NULL) AS count`;
    return { version: Number(row?.['version'] ?? 1), count: Number(row?.['count']) };
  },
  *'persons.walk'({ vault }, { tenant, after, limit }) {
    const behind = after === null ? fragment`` : fragment`AND mrn_index > ${Buffer.from(after, 'hex')}`;
    const rows = yield* all`
      SELECT ${ROW} FROM person WHERE tenant = ${tenant} ${behind} ORDER BY mrn_index LIMIT ${limit}`;
    return rows.map((row) => toPersonRow(vault, row));
  },
  *'persons.since'({ vault }, { tenant, version, mrnIndex, limit }) {
    const behind =
      mrnIndex === null
        ? fragment`version > ${version}`
        : fragment`(version, mrn_index) > (${version}, ${Buffer.from(mrnIndex, 'hex')})`;
    const rows = yield* all`
      SELECT ${ROW} FROM person WHERE tenant = ${tenant} AND ${behind}
      ORDER BY version, mrn_index LIMIT ${limit}`;
    return rows.map((row) => toPersonRow(vault, row));
  },
  *'persons.is-due'(_, { tenant, atMs }) {
    const row = yield* get`
      SELECT 1 AS due FROM person WHERE tenant = ${tenant} AND due_at IS NOT NULL AND due_at <= ${atMs} LIMIT 1`;
    return row !== undefined;
  },
};
