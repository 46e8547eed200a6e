/**
 * SQL that fills a database with deliveries that nobody can open, as many as are asked for and one a second: every
 * hundredth is parked, of those every tenth by a fault, every fiftieth is of another structure and every five hundredth
 * has a finding. Each that is parked waits for one of seven words. There are a thousand users.
 */
export function fillDeliveries(engine: 'sqlite' | 'postgres', rows: number, firstAt: number): readonly string[] {
  const isSqlite = engine === 'sqlite';
  const bytes = (number: string): string =>
    isSqlite ? `unhex(printf('%064x', ${number}))` : `decode(lpad(to_hex((${number})::bigint), 64, '0'), 'hex')`;
  const id = isSqlite ? `printf('dlv_%026d', i)` : `'dlv_' || lpad(i::text, 26, '0')`;
  const numbers = isSqlite
    ? `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`
    : `WITH n (i) AS (SELECT generate_series(1::bigint, ${rows}))`;
  return [
    `INSERT INTO delivery (tenant, id, hook, received_at, request_id, receiver, sender, state, reason, fault_code,
      state_at, body_bytes, raw_digest, data_structure, user_index)
    ${numbers}
    SELECT 'default', ${id}, 'data', ${firstAt} + i * 1000, 'req_fill', 'ins_fill', 'secret-path',
      CASE WHEN i % 100 = 0 THEN 'parked' ELSE 'delivered' END,
      CASE WHEN i % 100 = 0 THEN 'patient' END, CASE WHEN i % 1000 = 0 THEN 'patient.none' END,
      ${firstAt} + i * 1000, 64, ${bytes('i')},
      CASE WHEN i % 50 = 0 THEN 'lab_result' ELSE 'clinical_ready' END, ${bytes('i % 1000')}
    FROM n ORDER BY i`,
    `INSERT INTO delivery_finding (seq, tenant, code)
    SELECT seq, tenant, 'code.unmapped' FROM delivery WHERE seq % 500 = 0`,
    `INSERT INTO delivery_word (seq, tenant, word_index)
    SELECT seq, tenant, ${bytes('seq % 7')} FROM delivery WHERE state = 'parked'`,
  ];
}
