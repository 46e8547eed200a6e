import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { KEYS, openBody } from '../../src/inbox/index.ts';
import { makeVault, type Vault } from '../../src/store/vault.ts';
import { withClient } from '../support/new-store.ts';
import type { Found } from './check-acknowledged.ts';

type Row = Readonly<Record<string, unknown>>;
type Query = (sql: string) => Row[] | Promise<Row[]>;

export function vaultOf(settings: Readonly<Record<string, string>>): Vault {
  const key = (name: string): Buffer => Buffer.from(settings[name] ?? '', 'base64');
  return makeVault({ data: [key('CHARTGATE_DATA_KEY')], pseudonym: key('CHARTGATE_PSEUDONYM_KEY') });
}

function digestOfSealed(vault: Vault, row: Row): string | null {
  const body = row['sealed'] === null ? 'unopenable' : openBody(vault, row);
  return body === 'unopenable' ? null : createHash('sha256').update(body).digest('hex');
}

async function readAll(query: Query, vault: Vault, damage: readonly string[]): Promise<Found> {
  const deliveries = await query(
    `SELECT d.seq, d.id, d.state, d.raw_digest, d.duplicate_of, b.sealed, ${KEYS} FROM delivery d LEFT JOIN delivery_body b ON b.seq = d.seq`,
  );
  const counts = await query('SELECT state, sum(count) AS count FROM ledger_count GROUP BY state');
  const { acknowledged = 0, ...byState } = Object.fromEntries(
    counts.map((row) => [String(row['state']), Number(row['count'])]),
  );
  const chains = await query('SELECT chain, previous, first_link FROM audit_chain');
  const records = await query('SELECT chain, seq, record, leaf, link FROM audit_record ORDER BY chain, seq');
  return {
    deliveries: deliveries.map((row) => ({
      seq: Number(row['seq']),
      id: String(row['id']),
      state: String(row['state']),
      rawDigest: Buffer.from(row['raw_digest'] as Uint8Array).toString('hex'),
      bodyDigest: digestOfSealed(vault, row),
      duplicateOf: row['duplicate_of'] === null ? null : Number(row['duplicate_of']),
    })),
    ledger: { acknowledged, byState },
    chains: chains.map((row) => ({
      chain: String(row['chain']),
      previous: row['previous'] as string | null,
      firstLink: row['first_link'] as Uint8Array,
    })),
    records: records.map((row) => ({
      chain: String(row['chain']),
      seq: Number(row['seq']),
      record: String(row['record']),
      leaf: row['leaf'] as Uint8Array,
      link: row['link'] as Uint8Array,
    })),
    damage,
  };
}

/** Reads beside the running gateway, in one snapshot. */
export async function readSqlite(file: string, vault: Vault): Promise<Found> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    db.exec('BEGIN');
    const query = (sql: string): Row[] => db.prepare(sql).all();
    const damage = [...query('PRAGMA integrity_check'), ...query('PRAGMA foreign_key_check')]
      .filter((row) => row['integrity_check'] !== 'ok')
      .map((row) => Object.values(row).join(' '));
    return await readAll(query, vault, damage);
  } finally {
    db.close();
  }
}

export function readPostgres(url: string, vault: Vault): Promise<Found> {
  return withClient(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return readAll(async (sql) => (await client.query<Row>(sql)).rows, vault, []);
  });
}
