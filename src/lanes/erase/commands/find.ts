import { all, fragment, get, type Fragment, type Program } from '../../../store/index.ts';
import { jobsOf, ofUser, SEALED, type Owner, type Row } from '../tables.ts';

export function* count(from: Fragment | undefined): Program<number> {
  return from === undefined ? 0 : Number((yield* get`SELECT count(*) AS n ${from}`)?.['n']);
}

export const countLiveLinks = (owner: Owner): Program<number> =>
  count(fragment`FROM link WHERE ${ofUser(owner)} AND status <> 'revoked'`);

export function* countMoving(owner: Owner): Program<number> {
  const row = yield* get`
    SELECT
      (SELECT count(*) FROM delivery WHERE ${ofUser(owner)} AND state IN ('received','queued','sending','unknown'))
      + (SELECT count(*) FROM job
        WHERE seq IN ${jobsOf(owner)} AND kind = 'retract' AND state IN ('queued','parked')) AS n`;
  return Number(row?.['n']);
}

/** Deliveries of the user that still hold something, or wait for something. */
export function* findUndone(owner: Owner, limit: number): Program<readonly Row[]> {
  return yield* all`
    SELECT seq, id, state FROM delivery d WHERE ${ofUser(owner)} AND (${SEALED} OR state IN ('parked','quarantined')
      OR EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq)
      OR EXISTS (SELECT 1 FROM document g WHERE g.tenant = d.tenant AND g.document_index = d.document_index))
    ORDER BY seq LIMIT ${limit}`;
}
