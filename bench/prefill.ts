import { DatabaseSync } from 'node:sqlite';

/** What a database is filled with. */
export interface Prefill {
  readonly deliveries: number;
  /** So many of them are the heads of lanes that wait for their next try. */
  readonly blockedLanes: number;
}

/**
 * Fills the database of a gateway that is not running with deliveries of long ago: small bodies that nobody can open,
 * random indexes as their keyed hashes are, one step each, the counts of the ledger. Straight into its tables and
 * without flushing.
 */
export function prefill(file: string, { deliveries, blockedLanes }: Prefill, now: number): void {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    db.exec(
      'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY; BEGIN',
    );
    const rows = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${deliveries})`;
    const at = now - 86_400_000;
    db.exec(`CREATE TEMP TABLE filling AS ${rows} SELECT i AS seq, randomblob(32) AS digest, randomblob(32) AS content, randomblob(32) AS document,
      CASE WHEN i <= ${blockedLanes} THEN 'queued' ELSE 'delivered' END AS state FROM n`);
    db.exec(
      `CREATE TEMP TABLE filling_users AS WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.max(1, blockedLanes)} - 1) SELECT i AS n, randomblob(32) AS user FROM n`,
    );
    db.exec('CREATE UNIQUE INDEX temp.filling_users_n ON filling_users (n)');
    db.exec(`INSERT INTO delivery (seq, tenant, id, hook, received_at, request_id, receiver, sender, state, state_at, body_bytes, raw_digest, content_digest, data_structure, user_index, document_index, document_version)
      SELECT f.seq, 'default', printf('dlv_%026d', f.seq), 'data', ${at} + f.seq, 'req_prefill', 'ins_prefill', 'secret-path', f.state, ${at} + f.seq, 64, f.digest, f.content, 'clinical_ready', u.user, f.document, 1
      FROM filling f JOIN filling_users u ON u.n = f.seq % ${Math.max(1, blockedLanes)} ORDER BY f.seq`);
    db.exec('INSERT INTO delivery_body (seq, sealed) SELECT seq, randomblob(64) FROM filling');
    db.exec(
      `INSERT INTO delivery_digest (tenant, kind, digest, seq) SELECT 'default', 'content', content, seq FROM filling ORDER BY content`,
    );
    db.exec(
      `INSERT INTO delivery_digest (tenant, kind, digest, seq) SELECT 'default', 'data', digest, seq FROM filling ORDER BY digest`,
    );
    db.exec(
      `INSERT INTO delivery_step (seq, n, at, from_state, to_state, actor) SELECT seq, 1, ${at} + seq, 'received', state, 'gateway' FROM filling`,
    );
    db.exec(
      `INSERT INTO document (tenant, document_index, data_structure, version, seq, changed_at) SELECT 'default', document, 'clinical_ready', 1, seq, ${at} FROM filling ORDER BY document`,
    );
    db.exec(`INSERT INTO ledger_count (tenant, writer, state, count) SELECT 'default', 'ins_prefill.0', state, count(*) FROM filling GROUP BY state
      UNION ALL SELECT 'default', 'ins_prefill.0', 'acknowledged', count(*) FROM filling`);
    db.exec(`INSERT INTO job (seq, tenant, target, patient_index, kind, delivery_seq, state, attempts, first_attempt_at)
      SELECT f.seq, 'default', 'ehr', u.user, 'deliver', f.seq, CASE f.state WHEN 'queued' THEN 'queued' ELSE 'done' END, 1, ${at} + f.seq
      FROM filling f JOIN filling_users u ON u.n = f.seq % ${Math.max(1, blockedLanes)} ORDER BY f.seq`);
    db.exec(`INSERT INTO lane (tenant, target, patient_index, lease_epoch, next_at, pending)
      SELECT 'default', 'ehr', user, 1, ${now} + 3600000 + n, 1 FROM filling_users ORDER BY user`);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}
