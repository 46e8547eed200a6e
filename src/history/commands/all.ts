import {
  all,
  allOf,
  FOR_UPDATE,
  fragment,
  get,
  run,
  words,
  type CommandContext,
  type Program,
  type Programs,
  type Row,
} from '../../store/index.ts';
import { KEPT_MAX, type Change, type Facts, type HistoryReads, type HistoryWrites, type Noted } from '../commands.ts';
import { findChanges } from '../find-changes.ts';

const SHOWN = words('seq, first_at, last_at, count, actor, outcome, fault_code, version, size, changes, problems');

const toNoted = (row: Readonly<Record<string, unknown>>): Noted => ({
  seq: Number(row['seq']),
  firstAt: Number(row['first_at']),
  lastAt: Number(row['last_at']),
  count: Number(row['count']),
  actor: String(row['actor']),
  outcome: row['outcome'] as Noted['outcome'],
  faultCode: row['fault_code'] as string | null,
  version: String(row['version']),
  size: Number(row['size']),
  changes: JSON.parse(String(row['changes'])) as Change[],
  problems: JSON.parse(String(row['problems'])) as string[],
});

type Note = HistoryWrites['history.note'];

const isSame = (last: Noted, { actor, outcome, faultCode, version }: Note['args']['entry']): boolean =>
  last.actor === actor && last.outcome === outcome && last.faultCode === faultCode && last.version === version;

function* lastFacts(tenant: string, list: string): Program<Facts | null> {
  const row = yield* get`
    SELECT facts FROM history WHERE tenant = ${tenant} AND list = ${list} AND outcome = 'ok'
    ORDER BY seq DESC LIMIT 1`;
  return row === undefined ? null : (JSON.parse(String(row['facts'])) as Facts);
}

function* note(_: CommandContext, { tenant, list, at, entry }: Note['args']): Program<Note['out']> {
  const atMs = at.getTime();
  // Held until the end, so that two processes that find the same make one entry of it.
  const row = yield* get`
    SELECT ${SHOWN} FROM history WHERE tenant = ${tenant} AND list = ${list}
    ORDER BY seq DESC LIMIT 1 ${FOR_UPDATE}`;
  const last = row === undefined ? null : toNoted(row);
  if (last !== null && isSame(last, entry)) {
    yield* run`UPDATE history SET last_at = ${atMs}, count = count + 1 WHERE seq = ${last.seq}`;
    return { ...last, lastAt: atMs, count: last.count + 1 };
  }
  const changes = entry.outcome === 'ok' ? findChanges(yield* lastFacts(tenant, list), entry.facts) : [];
  const made = yield* get`
    INSERT INTO history (tenant, list, first_at, last_at, count, actor, outcome, fault_code, version, size, facts,
      changes, problems)
    VALUES (${tenant}, ${list}, ${atMs}, ${atMs}, 1, ${entry.actor}, ${entry.outcome}, ${entry.faultCode},
      ${entry.version}, ${entry.size}, ${JSON.stringify(entry.facts)}, ${JSON.stringify(changes)},
      ${JSON.stringify(entry.problems)})
    RETURNING ${SHOWN}`;
  yield* run`
    DELETE FROM history WHERE tenant = ${tenant} AND list = ${list} AND seq <= (
      SELECT seq FROM history WHERE tenant = ${tenant} AND list = ${list}
      ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT_MAX})`;
  return toNoted(made as Row);
}

export const writes: Programs<HistoryWrites> = { 'history.note': note };

export const reads: Programs<HistoryReads> = {
  *'history.list'(_, { tenant, list, before, limit }) {
    const conditions = [
      fragment`tenant = ${tenant}`,
      fragment`list = ${list}`,
      ...(before === null ? [] : [fragment`seq < ${before}`]),
    ];
    const rows = yield* all`
      SELECT ${SHOWN} FROM history WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${limit}`;
    return rows.map(toNoted);
  },
};
