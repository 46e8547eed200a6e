import { actorOf, mrnPseudonym, type AuditDraft } from '../audit/index.ts';
import { patientIndex, userIndex, type SealedTable, type Vault } from '../store/index.ts';
import type {
  LinkAct,
  LinkHead,
  LinkStatus,
  RestrictedPatient,
  ShownLink,
  SourceUser,
  WantedLink,
} from './commands.ts';
import type { LiveLink } from './decide-change.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

export const SHOWN = 'seq, id, user_sealed, mrn_sealed, status, evidence_sealed, actor, made_at, changed_at';

/** What is sealed by the data key here. */
export const identitySealed: readonly SealedTable[] = [
  { table: 'link', columns: ['user_sealed', 'mrn_sealed', 'evidence_sealed'], key: ['seq'], place: ['id'] },
  { table: 'source_user', columns: ['user_sealed'], key: ['tenant', 'user_index'], place: ['user_index'] },
  { table: 'restricted_patient', columns: ['mrn_sealed'], key: ['seq'], place: ['mrn_index'] },
];

/** Places name the row by its id: a value that was moved to another does not open. */
const place = (column: string, id: string): string => `link.${column}/${id}`;
const seal = (vault: Vault, column: string, id: string, value: unknown): Buffer =>
  vault.seal(Buffer.from(JSON.stringify(value)), place(column, id));
const open = (vault: Vault, column: string, row: Row): unknown =>
  JSON.parse(vault.open(row[column] as Uint8Array, place(column, String(row['id']))).toString());

export const sealLink = (vault: Vault, wanted: WantedLink) => ({
  user: seal(vault, 'user_sealed', wanted.id, [wanted.client, wanted.user]),
  mrn: seal(vault, 'mrn_sealed', wanted.id, [wanted.mrnSystem, wanted.mrn]),
  evidence: sealEvidence(vault, wanted.id, wanted.evidence ?? ''),
});
export const sealEvidence = (vault: Vault, id: string, evidence: string): Buffer =>
  seal(vault, 'evidence_sealed', id, evidence);

export const indexOf = (vault: Vault, { client, user }: SourceUser): Buffer => userIndex(vault, client, user);
export const mrnIndexOf = (vault: Vault, { mrnSystem, mrn }: Pick<WantedLink, 'mrnSystem' | 'mrn'>): Buffer =>
  patientIndex(vault, mrnSystem, mrn);

export const sealUser = (vault: Vault, { client, user }: SourceUser): Buffer =>
  vault.seal(
    Buffer.from(JSON.stringify([client, user])),
    `source_user.user_sealed/${userIndex(vault, client, user).toString('hex')}`,
  );
export function openUser(vault: Vault, row: Row): SourceUser {
  const at = `source_user.user_sealed/${Buffer.from(row['user_index'] as Uint8Array).toString('hex')}`;
  const [client, user] = JSON.parse(vault.open(row['user_sealed'] as Uint8Array, at).toString()) as [string, string];
  return { client, user };
}

const restrictedPlace = (index: Uint8Array): string =>
  `restricted_patient.mrn_sealed/${Buffer.from(index).toString('hex')}`;
export const sealRestricted = (vault: Vault, patient: Pick<WantedLink, 'mrnSystem' | 'mrn'>): Buffer =>
  vault.seal(
    Buffer.from(JSON.stringify([patient.mrnSystem, patient.mrn])),
    restrictedPlace(mrnIndexOf(vault, patient)),
  );
export function toRestricted(row: Row, vault: Vault): RestrictedPatient {
  const place = restrictedPlace(row['mrn_index'] as Uint8Array);
  const [, mrn] = JSON.parse(vault.open(row['mrn_sealed'] as Uint8Array, place).toString()) as [string, string];
  return { seq: Number(row['seq']), mrn, actor: String(row['actor']), madeAt: Number(row['made_at']) };
}

/** The patient of a link, from its sealed column. */
export function openPatient(vault: Vault, row: Row): { mrnSystem: string; mrn: string } {
  const [mrnSystem, mrn] = open(vault, 'mrn_sealed', row) as [string, string];
  return { mrnSystem, mrn };
}

export const toHead = (row: Row): LinkHead => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  status: row['status'] as LinkStatus,
  mrnIndex: row['mrn_index'] as Uint8Array,
});

export const toLive = (heads: readonly LinkHead[], mrnIndex: Uint8Array): LiveLink[] =>
  heads.flatMap(({ seq, status, mrnIndex: of }) =>
    status === 'revoked' ? [] : [{ seq, status, isWanted: Buffer.compare(of, mrnIndex) === 0 }],
  );

export function toShown(row: Row, vault: Vault): ShownLink {
  const [clientUuid, userId] = open(vault, 'user_sealed', row) as [string, string];
  const [, mrn] = open(vault, 'mrn_sealed', row) as [string, string];
  return {
    seq: Number(row['seq']),
    id: String(row['id']),
    clientUuid,
    userId,
    mrn,
    status: row['status'] as LinkStatus,
    evidence: open(vault, 'evidence_sealed', row) as string,
    actor: String(row['actor']),
    madeAt: Number(row['made_at']),
    changedAt: Number(row['changed_at']),
  };
}

const patientOf = (vault: Vault, row: Row): string => {
  const [system, mrn] = open(vault, 'mrn_sealed', row) as [string, string];
  return mrnPseudonym(vault, system, mrn);
};

/**
 * The hashes are of a kind of their own: who has the audit alone cannot look for them in the store, nor the other way
 * round.
 */
export const auditOfLink = (
  vault: Vault,
  act: LinkAct,
  row: Row,
  from: LinkStatus | null,
  to: LinkStatus,
  why?: string,
): AuditDraft => ({
  at: act.at,
  type: 'link.change',
  tenant: act.tenant,
  requestId: act.requestId,
  action: from === null ? 'C' : 'U',
  outcome: '0',
  ...actorOf(act),
  linkId: String(row['id']),
  userHash: vault.index('audit_user', JSON.stringify(open(vault, 'user_sealed', row))).toString('hex'),
  patientHash: patientOf(vault, row),
  ...(from === null ? {} : { from }),
  to,
  ...(why === undefined ? {} : { why }),
});
