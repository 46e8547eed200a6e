/** What a database of `lists` is filled with, beside the deliveries. */
export const BACKLOG = { lanes: 50_000 } as const;

interface Filling {
  readonly engine: 'sqlite' | 'postgres';
  readonly rows: number;
  /** How many links stand there already: their users have the deliveries, their patients the first lanes. */
  readonly links: number;
  readonly now: number;
}

/**
 * SQL that fills a database with deliveries that nobody can open, one a second until now: of ten six are delivered
 * (every hundredth with a part left out), three wait for the EHR, and one is parked or quarantined for one of twelve
 * reasons, with one of three faults or none. Every fiftieth is of another structure, every five hundredth has a
 * finding, every seventieth is looked after by somebody. Users and patients are those of the links that are there.
 */
export function fillLists({ engine, rows, links, now }: Filling): readonly string[] {
  const isSqlite = engine === 'sqlite';
  const bytes = (number: string): string =>
    isSqlite ? `unhex(printf('%064x', ${number}))` : `decode(lpad(to_hex((${number})::bigint), 64, '0'), 'hex')`;
  const id = isSqlite ? `printf('dlv_%026d', i)` : `'dlv_' || lpad(i::text, 26, '0')`;
  const numbers = (to: number): string =>
    isSqlite
      ? `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`
      : `WITH n (i) AS (SELECT generate_series(1::bigint, ${to}))`;
  const at = `(${now} - (${rows} - i) * 1000)`;
  const isStuck = 'i % 10 = 9';
  const later = isSqlite ? String(now + 86_400_000) : `now() + interval '1 day'`;
  return [
    `INSERT INTO delivery (tenant, id, hook, received_at, request_id, receiver, sender, state, reason, fault_code,
      state_at, body_bytes, raw_digest, data_structure, user_index, document_index, document_version)
    ${numbers(rows)}
    SELECT 'default', ${id}, 'data', ${at}, 'req_fill', 'ins_fill', 'secret-path',
      CASE WHEN i % 40 = 9 THEN 'quarantined' WHEN ${isStuck} THEN 'parked' WHEN i % 10 > 5 THEN 'queued'
        ELSE 'delivered' END,
      CASE WHEN ${isStuck} THEN 'reason-' || ((i / 40) % 12) WHEN i % 100 = 0 THEN 'left-out' END,
      CASE WHEN ${isStuck} THEN CASE (i / 480) % 4 WHEN 1 THEN 'patient.none' WHEN 2 THEN 'patient.many'
        WHEN 3 THEN 'ehr.rejected' END END,
      ${at}, 64, ${bytes('i')}, CASE WHEN i % 50 = 0 THEN 'lab_result' ELSE 'clinical_ready' END,
      l.user_index, ${bytes('i')}, 1
    FROM n JOIN link l ON l.seq = 1 + i % ${links} ORDER BY i`,
    `INSERT INTO delivery_finding (seq, tenant, code)
    SELECT seq, tenant, 'code.unmapped' FROM delivery WHERE seq % 500 = 0`,
    `INSERT INTO delivery_assignment (seq, tenant, operator, assigned_at)
    SELECT seq, tenant, 'opr_00000000000000000000000001', state_at FROM delivery WHERE seq % 70 = 0`,
    `INSERT INTO document (tenant, document_index, data_structure, version, seq, changed_at)
    SELECT tenant, document_index, data_structure, 1, seq, state_at FROM delivery`,
    `INSERT INTO job (tenant, target, patient_index, kind, delivery_seq, state, attempts, first_attempt_at)
    SELECT d.tenant, 'ehr', coalesce(l.mrn_index, ${bytes(`d.seq % ${BACKLOG.lanes}`)}), 'deliver', d.seq,
      CASE d.state WHEN 'queued' THEN 'queued' ELSE 'done' END, 1, d.state_at
    FROM delivery d LEFT JOIN link l ON l.seq = d.seq % ${BACKLOG.lanes} WHERE d.state IN ('queued', 'delivered')
    ORDER BY d.seq`,
    `INSERT INTO lane (tenant, target, patient_index, lease_epoch, next_at, pending)
    SELECT 'default', 'ehr', patient_index, 1, ${later}, count(*) FROM job WHERE state = 'queued'
    GROUP BY patient_index`,
    `INSERT INTO ledger_count (tenant, writer, state, count)
    SELECT 'default', 'ins_fill.0', state, count(*) FROM delivery GROUP BY state
    UNION ALL SELECT 'default', 'ins_fill.0', 'acknowledged', count(*) FROM delivery`,
  ];
}
