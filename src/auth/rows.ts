import type { SealedTable, Vault } from '../store/index.ts';
import { showAccount, type Account, type ShownAccount, type StoredAccount } from './account.ts';
import type { Client, RegisteredClient } from './client.ts';
import { contextOf } from './launch.ts';
import type { FoundRecord, FoundToken, KeptKey, ListedGrant, RecordToPut } from './commands.ts';

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
/** A person of a provider is found by its word for them alone: no name that somebody types is one. */
export const subjectIndex = (vault: Vault, issuer: string, subject: string): Buffer =>
  vault.index('auth_account.subject', JSON.stringify([issuer, subject]));
export const accountIndex = (vault: Vault, { origin, username }: Pick<Account, 'origin' | 'username'>): Buffer =>
  origin.kind === 'local' ? nameIndex(vault, username) : subjectIndex(vault, origin.issuer, origin.subject);
/** Which practitioner a provider's person is; nothing for people of ours, of whom an operator says it. */
export const userIndex = (vault: Vault, { origin, fhirUser }: Pick<Account, 'origin' | 'fhirUser'>): Buffer | null =>
  origin.kind === 'local' ? null : vault.index('auth_account.user', JSON.stringify([origin.issuer, fhirUser]));

const recordPlace = (kind: string, index: Uint8Array): string =>
  `auth_record.payload_sealed/${kind}/${Buffer.from(index).toString('hex')}`;

/** What an operator looks through, each by a prefix of its own. A token has its prefix in the audit too. */
const PREFIXES = { Grant: 'grt_', Session: 'ses_', ClientCredentials: 'tok_' } as const;
type ListedKind = keyof typeof PREFIXES;
export const LISTED_KINDS: readonly ListedKind[] = ['Grant', 'Session', 'ClientCredentials'];
/** A right password, until its code follows. */
export const SIGN_IN_STAGE = 'SignInStage';
const isListed = (kind: string): kind is ListedKind => Object.hasOwn(PREFIXES, kind);
export const GRANT_ID = /^(grt|ses|tok)_(?:[0-9a-f]{2}){8,32}$/;

const hexOf = (row: Row): string => Buffer.from(bytes(row['id_index'])).toString('hex');
/** The row that an id of the list means. */
export function idOfGrant(id: string): { readonly kind: ListedKind; readonly index: Buffer } {
  const kind = LISTED_KINDS.find((one) => id.startsWith(PREFIXES[one]));
  if (kind === undefined) throw new Error('not the id of a grant');
  return { kind, index: Buffer.from(id.slice(PREFIXES[kind].length), 'hex') };
}

/** Where a person waits at one of our pages: whoever has proved who they are, or is signed in. */
interface Waiting {
  readonly result?: { readonly login?: { readonly accountId?: string } };
  readonly session?: { readonly accountId?: string };
}

/** With whom a row ends. What is under way ends with the person as what was given out does. */
function ownerOf({ kind, payload }: RecordToPut): { readonly clientId: string; readonly accountId: string | null } {
  if (isListed(kind)) return dependsOn(payload);
  if (kind !== 'Interaction' && kind !== SIGN_IN_STAGE) return { clientId: '', accountId: null };
  const { result, session } = payload as Waiting;
  return {
    clientId: '',
    accountId: dependsOn(payload).accountId ?? result?.login?.accountId ?? session?.accountId ?? null,
  };
}

export function toRecordRow(vault: Vault, put: RecordToPut) {
  const index = idIndex(vault, put.kind, put.id);
  // A grant is a member of itself, so that what takes its family takes it too.
  const grantId = put.kind === 'Grant' ? put.id : put.grantId;
  const owner = ownerOf(put);
  return {
    index,
    sealed: seal(vault, recordPlace(put.kind, index), put.payload),
    grant: grantId === null ? null : grantIndex(vault, grantId),
    uid: put.uid === null ? null : uidIndex(vault, put.uid),
    expiresAt: put.expiresAt.getTime(),
    client: owner.clientId === '' ? null : owner.clientId,
    account: owner.accountId,
  };
}

export const toRecord = (vault: Vault, kind: string, row: Row | undefined): FoundRecord | null =>
  row === undefined
    ? null
    : {
        payload: open(vault, recordPlace(kind, bytes(row['id_index'])), row['payload_sealed']),
        consumedAt: row['consumed_at'] === null ? null : Number(row['consumed_at']),
      };

export const tokenIdOf = (row: Row): string => `tok_${hexOf(row)}`;

const msOrNull = (value: unknown): number | null => (value === null ? null : Number(value));

/** What is seen to be used when a token is: its grant, or the token of who has none. */
export const useOf = (kind: 'Grant' | FoundToken['kind'], row: Row): FoundToken['use'] => ({
  id: `${kind === 'Grant' ? PREFIXES.Grant : PREFIXES.ClientCredentials}${hexOf(row)}`,
  usedAtMs: msOrNull(row['used_at']),
});

const KINDS = { Grant: 'grant', Session: 'session', ClientCredentials: 'token' } as const;

/** The scopes of a grant stand by the address that they are for. */
function scopeOf(payload: unknown): string | null {
  const { scope, resources } = payload as { scope?: unknown; resources?: Readonly<Record<string, unknown>> };
  if (typeof scope === 'string') return scope;
  const all = Object.values(resources ?? {}).filter((one) => typeof one === 'string');
  return all.length === 0 ? null : all.join(' ');
}

export function toGrant(vault: Vault, row: Row): ListedGrant {
  const kind = String(row['kind']) as ListedKind;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const payload = (toRecord(vault, kind, row)?.payload ?? {}) as { readonly rar?: readonly unknown[] };
  return {
    id: `${PREFIXES[kind]}${hexOf(row)}`,
    kind: KINDS[kind],
    clientId: text(row['client_id']),
    accountId: text(row['account_id']),
    scope: scopeOf(payload),
    patient: contextOf(payload).patient ?? null,
    madeAtMs: Number(row['made_at']),
    usedAtMs: msOrNull(row['used_at']),
    untilMs: Number(row['until']),
  };
}

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

const stateOf = (row: Row): 'active' | 'disabled' => (row['disabled_at'] === null ? 'active' : 'disabled');
export const toRegisteredClient = (vault: Vault, row: Row): RegisteredClient => ({
  ...toClient(vault, row),
  state: stateOf(row),
});

export const sealAccount = (vault: Vault, account: Account): Buffer =>
  seal(vault, `auth_account.account_sealed/${account.id}`, account);
/** What an earlier release sealed had neither origin nor second factor. */
export const toAccount = (vault: Vault, row: Row): Account => ({
  origin: { kind: 'local' },
  totp: null,
  ...(open(vault, `auth_account.account_sealed/${String(row['id'])}`, row['account_sealed']) as Omit<
    Account,
    'origin' | 'totp'
  > &
    Partial<Account>),
});
export const toStoredAccount = (vault: Vault, row: Row): StoredAccount => ({
  ...toAccount(vault, row),
  wrongTries: Number(row['failures']),
  state: stateOf(row),
  unlockedAtMs: msOrNull(row['unlocked_at']),
});
export const toShownAccount = (vault: Vault, row: Row): ShownAccount => showAccount(toStoredAccount(vault, row));

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
