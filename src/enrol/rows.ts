import { patientIndex, userIndex, type SealedTable, type Vault } from '../store/index.ts';
import type { SourceUser } from '../identity/index.ts';
import type { ConnectionNews, KnownConnection, KnownRequest, RequestKind } from './commands.ts';
import type { Kept } from './decide-connection.ts';

type Row = Readonly<Record<string, unknown>>;

export const indexOf = (vault: Vault, { client, user }: SourceUser): Buffer => userIndex(vault, client, user);

/** What is sealed by the data key here. */
export const enrolSealed: readonly SealedTable[] = [
  { table: 'enrolled_user', columns: ['user_sealed'], key: ['tenant', 'user_index'], place: ['user_index'] },
  { table: 'enrolled_patient', columns: ['user_sealed'], key: ['tenant', 'mrn_index'], place: ['mrn_index'] },
  {
    table: 'source_connection',
    columns: ['failure_sealed'],
    key: ['tenant', 'user_index', 'data_source'],
    place: ['user_index', 'data_source'],
  },
  {
    table: 'source_request',
    columns: ['mrn_sealed'],
    key: ['tenant', 'user_index', 'id'],
    place: ['user_index', 'id'],
  },
];

const hex = (index: Uint8Array): string => Buffer.from(index).toString('hex');
const seal = (vault: Vault, place: string, value: unknown): Buffer =>
  vault.seal(Buffer.from(JSON.stringify(value)), place);
const open = (vault: Vault, place: string, sealed: unknown): unknown =>
  JSON.parse(vault.open(sealed as Uint8Array, place).toString());
export const readTime = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

const userPlace = (index: Uint8Array): string => `enrolled_user.user_sealed/${hex(index)}`;
export const sealUser = (vault: Vault, index: Uint8Array, { client, user }: SourceUser): Buffer =>
  seal(vault, userPlace(index), [client, user]);
export function openUser(vault: Vault, row: Row): SourceUser {
  const [client, user] = open(vault, userPlace(row['user_index'] as Uint8Array), row['user_sealed']) as [
    string,
    string,
  ];
  return { client, user };
}

export const patientIndexOf = (
  vault: Vault,
  { mrnSystem, mrn }: { readonly mrnSystem: string; readonly mrn: string },
): Buffer => patientIndex(vault, mrnSystem, mrn);
const claimPlace = (index: Uint8Array): string => `enrolled_patient.user_sealed/${hex(index)}`;
export const sealClaim = (vault: Vault, index: Uint8Array, { client, user }: SourceUser): Buffer =>
  seal(vault, claimPlace(index), [client, user]);
export function openClaim(vault: Vault, index: Uint8Array, sealed: unknown): SourceUser {
  const [client, user] = open(vault, claimPlace(index), sealed) as [string, string];
  return { client, user };
}
/** Of all patients for whom a user was put down, those of this one. */
export const claimsOf = (vault: Vault, rows: readonly Row[], user: SourceUser): Uint8Array[] =>
  rows
    .map((row) => ({ index: row['mrn_index'] as Uint8Array, sealed: row['user_sealed'] }))
    .filter(({ index, sealed }) => isSameUser(openClaim(vault, index, sealed), user))
    .map(({ index }) => new Uint8Array(index));
export const isSameUser = (a: SourceUser, b: SourceUser | null): boolean => a.client === b?.client && a.user === b.user;

const failurePlace = (index: Uint8Array, dataSource: string): string =>
  `source_connection.failure_sealed/${hex(index)}/${dataSource}`;
export const sealFailure = (
  vault: Vault,
  index: Uint8Array,
  dataSource: string,
  failure: ConnectionNews['failure'],
): Buffer | null =>
  failure === null ? null : seal(vault, failurePlace(index, dataSource), [failure.action, failure.message]);

const mrnPlace = (index: Uint8Array, id: string): string => `source_request.mrn_sealed/${hex(index)}/${id}`;
export const sealMrn = (vault: Vault, index: Uint8Array, id: string, mrn: string): Buffer =>
  seal(vault, mrnPlace(index, id), mrn);
export const openMrn = (vault: Vault, row: Row): string =>
  open(vault, mrnPlace(row['user_index'] as Uint8Array, String(row['id'])), row['mrn_sealed']) as string;

export const toKept = (row: Row | undefined): Kept | null =>
  row === undefined
    ? null
    : {
        state: row['state'] as Kept['state'],
        askedAt: readTime(row['asked_at']),
        changedAt: Number(row['changed_at']),
      };

export const CONNECTION = 'user_index, data_source, state, asked_at, changed_at, failed_at, failure_sealed';
export function toConnection(row: Row, vault: Vault): KnownConnection {
  const dataSource = String(row['data_source']);
  const kept = toKept(row) as Kept;
  const sealed = row['failure_sealed'];
  const [action, message] =
    sealed === null
      ? ['', '']
      : (open(vault, failurePlace(row['user_index'] as Uint8Array, dataSource), sealed) as [string, string]);
  const failure = sealed === null ? null : { at: Number(row['failed_at']), action, message };
  return { dataSource, ...kept, failure };
}

export const REQUEST = 'user_index, id, kind, asked_at, delivery_id, arrived_at, mrn_sealed';
export const toRequest = (row: Row): KnownRequest => ({
  id: String(row['id']),
  kind: row['kind'] as RequestKind,
  askedAt: Number(row['asked_at']),
  deliveryId: row['delivery_id'] as string | null,
  arrivedAt: readTime(row['arrived_at']),
});
