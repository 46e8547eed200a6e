import {
  all,
  allOf,
  get,
  part,
  type CommandContext,
  type Fragment,
  type Program,
  type Programs,
} from '../../store/index.ts';
import type { AuditReads, FoundRecord, Search } from '../commands.ts';
import { countActs } from './count.ts';
import {
  conditionsOf,
  FIRST_PAIR,
  isActor,
  mergeFound,
  NEWEST_FIRST,
  personOf,
  RECORD,
  sameAs,
  SELDOM,
  toDropped,
  toFound,
  toNote,
  toPair,
  toStoredChain,
  toStoredCheckpoint,
  toStoredRecord,
  toStray,
  type Person,
} from '../rows.ts';

function* find({ vault }: CommandContext, f: Search, more: readonly Fragment[]): Program<FoundRecord[]> {
  const rows = yield* all`
    SELECT at, chain, seq, record FROM audit_record
    WHERE ${allOf([...conditionsOf(f), ...more])} ${NEWEST_FIRST} LIMIT ${f.limit}`;
  return rows.map((row) => toFound(row, vault, f.sealed));
}

/** The names of the other kind under which the audit knows the same person. */
function* otherNames(tenant: string, { by, name }: Person): Program<string[]> {
  const rows =
    by === 'patient'
      ? yield* all`SELECT chart AS other FROM audit_chart WHERE tenant = ${tenant} AND patient = ${name}`
      : yield* all`SELECT patient AS other FROM audit_chart WHERE tenant = ${tenant} AND chart = ${name}`;
  return rows.map((row) => String(row['other']));
}

/**
 * From each chain to its records. SQLite would walk along all records there are and ask of each for its chain, and would
 * not see that they come in the order of chains.
 */
const TO_RECORDS = part('CROSS JOIN', 'JOIN');
const BY_CHAIN = part('c.chain', 'r.chain');

export const reads: Programs<AuditReads> = {
  'audit.counts': countActs,
  *'audit.search'(context, f) {
    const person = personOf(context.vault, f);
    const patients = person === null ? [[]] : sameAs(person, yield* otherNames(f.tenant, person)).map((one) => [one]);
    const actors = f.actors === null ? [[]] : f.actors.map((name) => [isActor(name)]);
    const lists: FoundRecord[][] = [];
    for (const patient of patients)
      for (const actor of actors) lists.push(yield* find(context, f, [...patient, ...actor]));
    return mergeFound(lists, f.limit);
  },
  *'audit.last'(_, { tenant, type }) {
    const row = yield* get`
      SELECT record FROM audit_record WHERE tenant = ${tenant} AND type = ${type}
        AND ${SELDOM} ${NEWEST_FIRST} LIMIT 1`;
    return row === undefined ? null : String(row['record']);
  },
  *'audit.uncovered'(_, { limit }) {
    const last = yield* get`SELECT n, at, records, note, frontier FROM audit_checkpoint ORDER BY n DESC LIMIT 1`;
    // One statement, one snapshot: of each chain it sees a beginning without a gap, since each has a single writer.
    const rows = yield* all`
      SELECT r.chain, r.seq, r.leaf, r.link FROM audit_chain c
      ${TO_RECORDS} audit_record r ON r.chain = c.chain AND r.seq > c.covered
      ORDER BY ${BY_CHAIN}, r.seq LIMIT ${limit}`;
    return {
      last: last === undefined ? null : toStoredCheckpoint(last),
      records: rows.map((row) => ({
        chain: String(row['chain']),
        seq: Number(row['seq']),
        leaf: row['leaf'] as Uint8Array,
        link: row['link'] as Uint8Array,
      })),
    };
  },
  *'audit.chains'() {
    return (yield* all`SELECT chain, previous, first_link, covered FROM audit_chain ORDER BY n`).map(toStoredChain);
  },
  *'audit.chain'(_, { chain, after, limit }) {
    const rows = yield* all`
      SELECT ${RECORD} FROM audit_record WHERE chain = ${chain} AND seq > ${after} ORDER BY seq LIMIT ${limit}`;
    return rows.map(toStoredRecord);
  },
  *'audit.checkpoints'(_, { after, limit }) {
    const rows = yield* all`
      SELECT n, at, records, note, frontier FROM audit_checkpoint WHERE n > ${after} ORDER BY n LIMIT ${limit}`;
    return rows.map(toStoredCheckpoint);
  },
  *'audit.pairs'(_, { after, limit }) {
    const { tenant, patient, chart } = after ?? FIRST_PAIR;
    const rows = yield* all`
      SELECT tenant, patient, chart FROM audit_chart WHERE (tenant, patient, chart) > (${tenant}, ${patient}, ${chart})
      ORDER BY tenant, patient, chart LIMIT ${limit}`;
    return rows.map(toPair);
  },
  *'audit.record'({ vault }, { tenant, chain, seq }) {
    const row = yield* get`
      SELECT at, chain, seq, record FROM audit_record WHERE tenant = ${tenant} AND chain = ${chain} AND seq = ${seq}`;
    return row === undefined ? null : toFound(row, vault, 'open');
  },
  *'audit.rotations'() {
    // No name of a chain can hold this.
    return (yield* all`SELECT n, note FROM audit_checkpoint WHERE note LIKE '%key chartgate/audit+%' ORDER BY n`).map(
      toNote,
    );
  },
  *'audit.dropped'() {
    const last = yield* get`
      SELECT s.checkpoint, c.note FROM audit_segment s JOIN audit_checkpoint c ON c.n = s.named_by
      ORDER BY s.checkpoint DESC LIMIT 1`;
    return toDropped(last, yield* all`SELECT chain, seq, link FROM audit_dropped ORDER BY chain`);
  },
  *'audit.stray'() {
    // From chain to chain along the index: as many steps as there are chains, not records.
    const row = yield* get`
      WITH RECURSIVE c (chain) AS (
        SELECT min(chain) FROM audit_record
        UNION ALL SELECT (SELECT min(r.chain) FROM audit_record r WHERE r.chain > c.chain) FROM c
        WHERE c.chain IS NOT NULL)
      SELECT c.chain, 1 AS seq FROM c
      WHERE c.chain IS NOT NULL AND NOT EXISTS (SELECT 1 FROM audit_chain k WHERE k.chain = c.chain) LIMIT 1`;
    return toStray(row);
  },
};
