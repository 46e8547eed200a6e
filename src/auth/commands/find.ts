import { get, words, type CommandContext, type Program } from '../../store/index.ts';
import type { Client } from '../client.ts';
import type { AuthReads, FoundRecord } from '../commands.ts';
import { dependsOn, idIndex, idOfGrant, toClient, tokenIdOf, toRecord, uidIndex, useOf, type Row } from '../rows.ts';

const RECORD = words('id_index, payload_sealed, consumed_at, used_at');

const rowOf = (tenant: string, kind: string, index: Uint8Array, at: Date): Program<Row | undefined> => get`
  SELECT ${RECORD} FROM auth_record
  WHERE tenant = ${tenant} AND kind = ${kind} AND id_index = ${index} AND expires_at > ${at.getTime()}`;

export function* find(
  { vault }: CommandContext,
  { tenant, kind, id, at }: AuthReads['auth.find']['args'],
): Program<FoundRecord | null> {
  return toRecord(vault, kind, yield* rowOf(tenant, kind, idIndex(vault, kind, id), at));
}

export function* findByUid(
  { vault }: CommandContext,
  { tenant, kind, uid, at }: AuthReads['auth.find-by-uid']['args'],
): Program<FoundRecord | null> {
  const row = yield* get`
    SELECT ${RECORD} FROM auth_record
    WHERE tenant = ${tenant} AND kind = ${kind} AND uid_index = ${uidIndex(vault, uid)}
      AND expires_at > ${at.getTime()}`;
  return toRecord(vault, kind, row);
}

/** Null too for one that is disabled: to everybody but the operator it is not there. */
export function* findClient({ vault }: CommandContext, tenant: string, id: string): Program<Client | null> {
  // Whoever asks may name anything, and PostgreSQL knows no NUL.
  if (id.includes('\0')) return null;
  const row = yield* get`
    SELECT id, client_sealed FROM auth_client WHERE tenant = ${tenant} AND id = ${id} AND disabled_at IS NULL`;
  return row === undefined ? null : toClient(vault, row);
}

function* hasAccount(tenant: string, id: string): Program<boolean> {
  const row = yield* get`
    SELECT 1 AS one FROM auth_account WHERE tenant = ${tenant} AND id = ${id} AND disabled_at IS NULL`;
  return row !== undefined;
}

type Standing = AuthReads['auth.standing'];

export function* findStanding(context: CommandContext, asked: Standing['args']): Program<Standing['out']> {
  const { tenant, clientId, accountId, grantId, sessionUid, at } = asked;
  const client = yield* findClient(context, tenant, clientId);
  if (client === null) return 'client-ended';
  if (accountId !== null && !(yield* hasAccount(tenant, accountId))) return 'account-ended';
  if (grantId !== null && (yield* rowOf(tenant, 'Grant', idOfGrant(grantId).index, at)) === undefined)
    return 'grant-ended';
  if (sessionUid !== null && (yield* findByUid(context, { tenant, kind: 'Session', uid: sessionUid, at })) === null)
    return 'session-ended';
  return { scope: client.scope };
}

type Token = AuthReads['auth.token'];

export function* findToken(context: CommandContext, { tenant, token, at }: Token['args']): Program<Token['out']> {
  const { vault } = context;
  for (const kind of ['AccessToken', 'ClientCredentials'] as const) {
    const row = yield* rowOf(tenant, kind, idIndex(vault, kind, token), at);
    const found = toRecord(vault, kind, row);
    if (row === undefined || found === null) continue;
    const { clientId, grantId, accountId } = dependsOn(found.payload);
    const client = yield* findClient(context, tenant, clientId);
    if (client === null) return null;
    const grant = grantId === null ? row : yield* rowOf(tenant, 'Grant', idIndex(vault, 'Grant', grantId), at);
    if (grant === undefined) return null;
    if (accountId !== null && !(yield* hasAccount(tenant, accountId))) return null;
    const use = useOf(grantId === null ? kind : 'Grant', grant);
    return { kind, tokenId: tokenIdOf(row), payload: found.payload, client, use };
  }
  return null;
}
