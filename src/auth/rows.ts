import type { SealedTable, Vault } from '../store/index.ts';
import type { Account, ShownAccount, StoredAccount } from './account.ts';
import type { Client } from './client.ts';
import type { FoundRecord, KeptKey, RecordToPut } from './commands.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

/** Expired records that one writing takes away beside its own work, so that nothing else has to. */
export const SWEEP_MAX = 20;

/** What is sealed by the data key here. */
export const authSealed: readonly SealedTable[] = [
  {
    table: 'auth_record',
    columns: ['payload_sealed'],
    key: ['tenant', 'kind', 'id_index'],
    place: ['kind', 'id_index'],
  },
  { table: 'auth_client', columns: ['client_sealed'], key: ['tenant', 'id'], place: ['id'] },
  { table: 'auth_account', columns: ['account_sealed'], key: ['tenant', 'id'], place: ['id'] },
  { table: 'auth_key', columns: ['key_sealed'], key: ['tenant', 'name'], place: ['name'] },
];

const bytes = (value: unknown): Uint8Array => value as Uint8Array;
const seal = (vault: Vault, place: string, value: unknown): Buffer =>
  vault.seal(Buffer.from(JSON.stringify(value)), place);
const open = (vault: Vault, place: string, sealed: unknown): unknown =>
  JSON.parse(vault.open(bytes(sealed), place).toString());

/** The id of a token is the token: it is found by a keyed hash and stands nowhere. */
export const idIndex = (vault: Vault, kind: string, id: string): Buffer => vault.index(`auth_record.${kind}`, id);
export const grantIndex = (vault: Vault, grantId: string): Buffer => vault.index('auth_record.grant', grantId);
export const uidIndex = (vault: Vault, uid: string): Buffer => vault.index('auth_record.uid', uid);
/** Names are compared without regard to case. */
export const nameIndex = (vault: Vault, name: string): Buffer => vault.index('auth_account.name', name.toLowerCase());

const recordPlace = (kind: string, index: Uint8Array): string =>
  `auth_record.payload_sealed/${kind}/${Buffer.from(index).toString('hex')}`;

export function toRecordRow(vault: Vault, put: RecordToPut) {
  const index = idIndex(vault, put.kind, put.id);
  // A grant is a member of itself, so that what takes its family takes it too.
  const grantId = put.kind === 'Grant' ? put.id : put.grantId;
  return {
    index,
    sealed: seal(vault, recordPlace(put.kind, index), put.payload),
    grant: grantId === null ? null : grantIndex(vault, grantId),
    uid: put.uid === null ? null : uidIndex(vault, put.uid),
    expiresAt: put.expiresAt.getTime(),
  };
}

export const toRecord = (vault: Vault, kind: string, row: Row | undefined): FoundRecord | null =>
  row === undefined
    ? null
    : {
        payload: open(vault, recordPlace(kind, bytes(row['id_index'])), row['payload_sealed']),
        consumedAt: row['consumed_at'] === null ? null : Number(row['consumed_at']),
      };

export const tokenIdOf = (row: Row): string => `tok_${Buffer.from(bytes(row['id_index'])).toString('hex')}`;

/** What of a token's payload names the rows that it depends on. */
export function dependsOn(payload: unknown): { clientId: string; grantId: string | null; accountId: string | null } {
  const { clientId, grantId, accountId } = payload as Record<string, unknown>;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return { clientId: text(clientId) ?? '', grantId: text(grantId), accountId: text(accountId) };
}

export const sealClient = (vault: Vault, client: Client): Buffer =>
  seal(vault, `auth_client.client_sealed/${client.id}`, client);
export const toClient = (vault: Vault, row: Row): Client =>
  open(vault, `auth_client.client_sealed/${String(row['id'])}`, row['client_sealed']) as Client;

export const sealAccount = (vault: Vault, account: Account): Buffer =>
  seal(vault, `auth_account.account_sealed/${account.id}`, account);
export const toStoredAccount = (vault: Vault, row: Row): StoredAccount => ({
  ...(open(vault, `auth_account.account_sealed/${String(row['id'])}`, row['account_sealed']) as Account),
  wrongTries: Number(row['failures']),
});
export function toShownAccount(vault: Vault, row: Row): ShownAccount {
  const { password: _password, ...shown } = toStoredAccount(vault, row);
  return shown;
}

export const sealKey = (vault: Vault, name: string, value: string): Buffer =>
  vault.seal(Buffer.from(value), `auth_key.key_sealed/${name}`);
export const toKey = (vault: Vault, name: string, row: Row): string =>
  vault.open(bytes(row['key_sealed']), `auth_key.key_sealed/${name}`).toString();

export const toKeptKey = (vault: Vault, row: Row): KeptKey => {
  const name = String(row['name']);
  return { name, value: toKey(vault, name, row), madeAt: new Date(Number(row['made_at'])) };
};

/** Of keys, newest first, those that another has followed for as long as that. */
export const outlived = (rows: readonly Row[], atMs: number, keptMs: number): string[] =>
  rows.filter((_, n) => n > 0 && Number(rows[n - 1]?.['made_at']) + keptMs <= atMs).map((row) => String(row['name']));
