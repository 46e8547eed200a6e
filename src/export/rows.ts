import { patientIndex, type Sealer, type SealedTable, type Vault } from '../store/index.ts';
import type { AskedExport } from './asked-export.ts';
import type { ClaimedExport, ExportJob, ExportLevel, ExportState, Mrn } from './commands.ts';

/** A row of either engine. */
export type Row = Readonly<Record<string, unknown>>;

/** Sealed by the key of their export, so that nothing of them is ever sealed anew. */
const NEVER = '1 = 0';

/** What is sealed by the data key here, and what only looks like it. */
export const exportSealed: readonly SealedTable[] = [
  { table: 'export_job', columns: ['asked_sealed', 'key_sealed'], key: ['seq'], place: ['id'] },
  {
    table: 'export_patient',
    columns: ['mrn_sealed'],
    key: ['export_seq', 'n'],
    place: ['export_seq', 'n'],
    only: NEVER,
  },
  {
    table: 'export_segment',
    columns: ['data_sealed'],
    key: ['export_seq', 'patient_n', 'n'],
    place: ['export_seq', 'patient_n', 'n'],
    only: NEVER,
  },
  { table: 'patient_group_member', columns: ['mrn_sealed'], key: ['seq'], place: ['group_seq', 'mrn_index'] },
];

const bytes = (value: unknown): Uint8Array => value as Uint8Array;
const number = (value: unknown): number | null => (value === null ? null : Number(value));
export const hexOf = (value: unknown): string => Buffer.from(bytes(value)).toString('hex');

export const mrnIndexOf = (vault: Vault, { mrnSystem, mrn }: Mrn): Buffer => patientIndex(vault, mrnSystem, mrn);

/** The Patient at the EHR, who may have several MRNs. */
export const chartIndexOf = (vault: Vault, chart: string): Buffer => vault.index('export_patient.chart', chart);

const jobPlace = (column: string, id: string): string => `export_job.${column}/${id}`;

export const sealAsked = (vault: Vault, id: string, asked: AskedExport): Buffer =>
  vault.seal(Buffer.from(JSON.stringify(asked)), jobPlace('asked_sealed', id));
export const openAsked = (vault: Vault, row: Row): AskedExport =>
  JSON.parse(
    vault.open(bytes(row['asked_sealed']), jobPlace('asked_sealed', String(row['id']))).toString(),
  ) as AskedExport;
export const sealNewKey = (vault: Vault, id: string): Buffer => vault.seal(vault.makeKey(), jobPlace('key_sealed', id));
/** Seals and opens what belongs to an export. */
export const sealerOf = (vault: Vault, row: Row): Sealer =>
  vault.under(vault.open(bytes(row['key_sealed']), jobPlace('key_sealed', String(row['id']))));

const patientPlace = (id: string, n: number): string => `export_patient.mrn_sealed/${id}/${n}`;
export const sealPatient = (sealer: Sealer, id: string, n: number, { mrnSystem, mrn }: Mrn): Buffer =>
  sealer.seal(Buffer.from(JSON.stringify([mrnSystem, mrn])), patientPlace(id, n));
export function openPatient(sealer: Sealer, id: string, row: Row): Mrn {
  const opened = sealer.open(bytes(row['mrn_sealed']), patientPlace(id, Number(row['n']))).toString();
  const [mrnSystem, mrn] = JSON.parse(opened) as [string, string];
  return { mrnSystem, mrn };
}

const segmentPlace = (id: string, patient: number, n: number): string =>
  `export_segment.data_sealed/${id}/${patient}/${n}`;
export const sealSegment = (sealer: Sealer, id: string, patient: number, n: number, data: Uint8Array): Buffer =>
  sealer.seal(data, segmentPlace(id, patient, n));
export const openSegment = (sealer: Sealer, id: string, row: Row): Buffer =>
  sealer.open(bytes(row['data_sealed']), segmentPlace(id, Number(row['patient_n']), Number(row['n'])));

const memberPlace = (group: number, index: Uint8Array): string =>
  `patient_group_member.mrn_sealed/${group}/${Buffer.from(index).toString('hex')}`;
export const sealMember = (vault: Vault, group: number, member: Mrn): Buffer =>
  vault.seal(
    Buffer.from(JSON.stringify([member.mrnSystem, member.mrn])),
    memberPlace(group, mrnIndexOf(vault, member)),
  );
export function openMember(vault: Vault, row: Row): Mrn {
  const place = memberPlace(Number(row['group_seq']), bytes(row['mrn_index']));
  const [mrnSystem, mrn] = JSON.parse(vault.open(bytes(row['mrn_sealed']), place).toString()) as [string, string];
  return { mrnSystem, mrn };
}

export const JOB = `seq, id, client, issuer, scope, level, group_id, types, since, state, phase, total, done, failed, resources,
  bytes, fault, request_id, started_at, ended_at, expires_at`;
export const CLAIMED = `${JOB}, token_id, asked_sealed, key_sealed, gathered_to, epoch`;

export const toJob = (row: Row): ExportJob => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  client: String(row['client']),
  issuer: String(row['issuer']),
  scope: String(row['scope']),
  level: row['level'] as ExportLevel,
  group: row['group_id'] as string | null,
  types: typeof row['types'] === 'string' ? (JSON.parse(row['types']) as string[]) : null,
  since: number(row['since']),
  state: row['state'] as ExportState,
  phase: row['phase'] as ExportJob['phase'],
  total: Number(row['total']),
  done: Number(row['done']),
  failed: Number(row['failed']),
  resources: Number(row['resources']),
  bytes: Number(row['bytes']),
  fault: row['fault'] as string | null,
  requestId: String(row['request_id']),
  startedAt: Number(row['started_at']),
  endedAt: number(row['ended_at']),
  expiresAt: number(row['expires_at']),
});

export const toClaimed = (vault: Vault, row: Row): ClaimedExport => ({
  ...toJob(row),
  epoch: Number(row['epoch']),
  tokenId: String(row['token_id']),
  asked: openAsked(vault, row),
  gatheredTo: row['gathered_to'] as string | null,
});
