import { all, allOf, fragment, run, words, type CommandContext, type Program } from '../../store/index.ts';
import type { AuthReads, AuthWrites, GrantPlace } from '../commands.ts';
import { dependsOn, idOfGrant, LISTED_KINDS, toGrant, toRecord, type Row } from '../rows.ts';

const LISTED = words(LISTED_KINDS.map((kind) => `'${kind}'`).join(', '));
const OWNER = { client: words('client_id'), account: words('account_id') } as const;

type Grants = AuthReads['auth.grants'];

/** How many rows a page looks through at most, and at a time: most grants of an app may have lost all their tokens. */
const EXAMINED_MAX = 1_000;
const EXAMINED_AT_ONCE = 200;
const AT_ONCE = words(`LIMIT ${EXAMINED_AT_ONCE}`);

const placeOf = (row: Row): GrantPlace => ({
  madeAtMs: Number(row['made_at']),
  index: Buffer.from(row['id_index'] as Uint8Array).toString('hex'),
});

/** The next rows of an owner, newest first, whether they have ended or not. */
function* rowsOf(tenant: string, of: Grants['args']['of'], before: GrantPlace | null): Program<readonly Row[]> {
  const where = [
    fragment`r.tenant = ${tenant}`,
    fragment`r.${OWNER[of.kind]} = ${of.id}`,
    fragment`r.kind IN (${LISTED})`,
    ...(before === null
      ? []
      : [fragment`(r.made_at, r.id_index) < (${before.madeAtMs}, ${Buffer.from(before.index, 'hex')})`]),
  ];
  return yield* all`
    SELECT r.kind, r.id_index, r.payload_sealed, r.consumed_at, r.client_id, r.account_id, r.made_at, r.used_at,
      CASE WHEN r.kind = 'Grant' THEN (
        SELECT max(t.expires_at) FROM auth_record AS t
        WHERE t.tenant = r.tenant AND t.grant_index = r.grant_index
          AND t.kind IN ('AccessToken', 'RefreshToken') AND t.consumed_at IS NULL)
      ELSE r.expires_at END AS until
    FROM auth_record AS r WHERE ${allOf(where)} ORDER BY r.made_at DESC, r.id_index DESC ${AT_ONCE}`;
}

/** A grant lasts as long as the last of its tokens: the row of the grant itself is kept for much longer. */
export function* listGrants(
  { vault }: CommandContext,
  { tenant, of, before, limit, at }: Grants['args'],
): Program<Grants['out']> {
  const found: Row[] = [];
  let from = before;
  for (let examined = 0; examined < EXAMINED_MAX && found.length <= limit; examined += EXAMINED_AT_ONCE) {
    const rows = yield* rowsOf(tenant, of, from);
    found.push(...rows.filter(({ until }) => until !== null && Number(until) > at.getTime()));
    const last = rows.at(-1);
    from = rows.length < EXAMINED_AT_ONCE || last === undefined ? null : placeOf(last);
    if (from === null) break;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const isFull = found.length > limit && last !== undefined;
  return { grants: shown.map((row) => toGrant(vault, row)), next: isFull ? placeOf(last) : from };
}

export function* useGrant(_: CommandContext, { tenant, id, at }: AuthWrites['auth.use-grant']['args']): Program<null> {
  const { kind, index } = idOfGrant(id);
  const atMs = at.getTime();
  yield* run`
    UPDATE auth_record SET used_at = ${atMs}
    WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${index} AND (used_at IS NULL OR used_at < ${atMs})`;
  return null;
}

/** Rows from before it was written down whose they are. */
export function* claimGrants(
  { vault }: CommandContext,
  { tenant, limit }: AuthWrites['auth.claim-grants']['args'],
): Program<number> {
  let claimed = 0;
  for (const kind of LISTED_KINDS) {
    const rows = yield* all`
      SELECT id_index, payload_sealed, consumed_at FROM auth_record
      WHERE tenant = ${tenant} AND kind = ${kind} AND made_at IS NULL LIMIT ${limit}`;
    for (const row of rows) {
      const payload = toRecord(vault, kind, row)?.payload;
      const { clientId, accountId } = dependsOn(payload);
      const { iat } = (payload ?? {}) as { readonly iat?: number };
      yield* run`
        UPDATE auth_record
        SET client_id = ${clientId === '' ? null : clientId}, account_id = ${accountId}, made_at = ${(iat ?? 0) * 1_000}
        WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${row['id_index'] as Uint8Array}`;
    }
    claimed += rows.length;
  }
  return claimed;
}
