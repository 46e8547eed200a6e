import type { SealedTable, Vault } from '../store/index.ts';
import type { ApiKey, StoredApiKey } from './api-key.ts';
import type { Factor, FactorKind, Operator, StoredFactor, StoredOperator } from './operator.ts';
import type { Role } from './permissions.ts';
import type { SavedSearch } from './saved-search.ts';
import type { Session } from './session.ts';

export type Row = Readonly<Record<string, unknown>>;

const byId = (table: string, column: string): SealedTable => ({
  table,
  columns: [column],
  key: ['tenant', 'id'],
  place: ['id'],
});
/** What is sealed by the data key here. */
export const operatorSealed: readonly SealedTable[] = [
  byId('operator_account', 'account_sealed'),
  byId('operator_factor', 'factor_sealed'),
  byId('operator_session', 'session_sealed'),
  byId('operator_key', 'key_sealed'),
  byId('operator_search', 'search_sealed'),
  {
    table: 'operator_moment',
    columns: ['moment_sealed'],
    key: ['tenant', 'secret_index'],
    place: ['secret_index'],
  },
];

type Table = 'session' | 'link' | 'key' | 'moment';
/** What proves something stands nowhere: it is found again by a keyed hash. */
export const secretIndex = (vault: Vault, table: Table, secret: string): Buffer =>
  vault.index(`operator_${table}.secret`, secret);
/** Names are compared without regard to case. */
export const nameIndex = (vault: Vault, name: string): Buffer =>
  vault.index('operator_account.name', name.normalize('NFKC').toLowerCase());
const subjectIndex = (vault: Vault, issuer: string, subject: string): Buffer =>
  vault.index('operator_account.subject', JSON.stringify([issuer, subject]));
export const credentialIndex = (vault: Vault, credentialId: string): Buffer =>
  vault.index('operator_factor.credential', credentialId);

const seal = (vault: Vault, place: string, value: unknown): Buffer =>
  vault.seal(Buffer.from(JSON.stringify(value)), place);
const open = (vault: Vault, place: string, sealed: unknown): unknown =>
  JSON.parse(vault.open(sealed as Uint8Array, place).toString());
const timeOf = (value: unknown): number | null => (value === null ? null : Number(value));

const accountPlace = (id: string): string => `operator_account.account_sealed/${id}`;
export const sealAccount = (vault: Vault, { id, name, displayName, proof }: Operator): Buffer =>
  seal(vault, accountPlace(id), { name, displayName, proof });
/** By what the person is found: a name that is typed, or what a provider calls them. */
export const accountIndexes = (vault: Vault, { name, proof }: Operator) =>
  proof.kind === 'password'
    ? { name: nameIndex(vault, name), subject: null }
    : { name: null, subject: subjectIndex(vault, proof.issuer, proof.subject) };
export const joinRoles = (roles: readonly Role[]): string => roles.join(' ');
const splitRoles = (value: unknown): Role[] =>
  String(value)
    .split(' ')
    .filter((role) => role !== '') as Role[];
/** `factors` beside the columns of the table: the kinds, with commas between. */
export function toOperator(vault: Vault, row: Row): StoredOperator {
  const id = String(row['id']);
  const sealed = open(vault, accountPlace(id), row['account_sealed']) as Pick<
    Operator,
    'name' | 'displayName' | 'proof'
  >;
  const kinds = row['factors'];
  const factors = new Set(typeof kinds === 'string' ? kinds.split(',') : []);
  return {
    id,
    ...sealed,
    roles: splitRoles(row['roles']),
    state: row['state'] as Operator['state'],
    madeAtMs: Number(row['made_at']),
    signedInAtMs: timeOf(row['signed_in_at']),
    factors: (['totp', 'passkey'] as const).filter((kind) => factors.has(kind)),
  };
}
export const isActiveAdministrator = (row: Row): boolean =>
  row['state'] === 'active' && splitRoles(row['roles']).includes('administrator');

const factorPlace = (id: string): string => `operator_factor.factor_sealed/${id}`;
export const sealFactor = (vault: Vault, factor: Factor): Buffer => {
  const { id, operatorId: _operatorId, counter: _counter, kind: _kind, ...rest } = factor;
  return seal(vault, factorPlace(id), rest);
};
export function toFactor(vault: Vault, row: Row): StoredFactor {
  const id = String(row['id']);
  const rest = open(vault, factorPlace(id), row['factor_sealed']) as Record<string, unknown>;
  return {
    ...rest,
    id,
    operatorId: String(row['operator_id']),
    kind: row['kind'] as FactorKind,
    counter: Number(row['counter']),
    madeAtMs: Number(row['made_at']),
    usedAtMs: timeOf(row['used_at']),
  } as StoredFactor;
}

const sessionPlace = (id: string): string => `operator_session.session_sealed/${id}`;
export const sealSession = (vault: Vault, { id, agent }: Session): Buffer => seal(vault, sessionPlace(id), { agent });
/** `session_id` where another table stands beside it in the row. */
export function toSession(vault: Vault, row: Row): Session {
  const id = String(row['session_id']);
  return {
    ...(open(vault, sessionPlace(id), row['session_sealed']) as Pick<Session, 'agent'>),
    id,
    operatorId: String(row['operator_id']),
    stage: row['stage'] as Session['stage'],
    factor: row['factor'] as Session['factor'],
    wrongTries: Number(row['wrong_tries']),
    madeAtMs: Number(row['session_made_at']),
    seenAtMs: Number(row['seen_at']),
    provedAtMs: timeOf(row['proved_at']),
    expiresAtMs: Number(row['expires_at']),
  };
}

const keyPlace = (id: string): string => `operator_key.key_sealed/${id}`;
export const sealKey = (vault: Vault, { id, name, roles, permissions, madeBy }: ApiKey): Buffer =>
  seal(vault, keyPlace(id), { name, roles, permissions, madeBy });
export function toKey(vault: Vault, row: Row): StoredApiKey {
  const id = String(row['id']);
  return {
    ...(open(vault, keyPlace(id), row['key_sealed']) as Pick<ApiKey, 'name' | 'roles' | 'permissions' | 'madeBy'>),
    id,
    expiresAtMs: timeOf(row['expires_at']),
    madeAtMs: Number(row['made_at']),
    usedAtMs: timeOf(row['used_at']),
  };
}

const momentPlace = (index: Uint8Array): string =>
  `operator_moment.moment_sealed/${Buffer.from(index).toString('hex')}`;
export const sealMoment = (vault: Vault, index: Uint8Array, payload: unknown): Buffer =>
  seal(vault, momentPlace(index), payload);
export const toMoment = (vault: Vault, row: Row): unknown =>
  open(vault, momentPlace(row['secret_index'] as Uint8Array), row['moment_sealed']);

/** Nobody keeps two of a name. */
export const searchNameIndex = (vault: Vault, operatorId: string, name: string): Buffer =>
  vault.index('operator_search.name', JSON.stringify([operatorId, name.normalize('NFKC').toLowerCase()]));
const searchPlace = (id: string): string => `operator_search.search_sealed/${id}`;
export const sealSearch = (vault: Vault, { id, name, search }: Omit<SavedSearch, 'savedAtMs'>): Buffer =>
  seal(vault, searchPlace(id), { name, search });
export function toSearch(vault: Vault, row: Row): SavedSearch {
  const id = String(row['id']);
  const sealed = open(vault, searchPlace(id), row['search_sealed']) as Pick<SavedSearch, 'name' | 'search'>;
  return { id, ...sealed, savedAtMs: Number(row['made_at']) };
}
