export { fileAnchor, readAnchored, type Anchor } from './anchor.ts';
export { makeAppendLater } from './append-later.ts';
export { append } from './append.ts';
export {
  auditSet,
  COUNTED_BY,
  type AuditCounts,
  type AuditReads,
  type AuditWrites,
  type FoundRecord,
  type Place,
  type Search,
  type StoredChain,
  type StoredCheckpoint,
  type StoredRecord,
} from './commands.ts';
export { EXPORT_START, exportPart, memorySource, readExport, type ExportPlace } from './export-records.ts';
export type { Flaw } from './flaw.ts';
export { checkAuditKeys, runAudit, type AuditDeps, type KeptAudit } from './run-audit.ts';
export { earlierKeys } from './key-trail.ts';
export { checkSegments } from './check-segments.ts';
export { signCheckpoints, makeCheckpoint, type Checkpoints } from './sign-checkpoints.ts';
export { exportSegments } from './export-segments.ts';
export { hashAddress, makeRecordReject, type RecordReject } from './record-rejects.ts';
export { noteTime, readNote } from './note.ts';
export { proveRecord, type RecordProof } from './prove-record.ts';
export { chartPseudonym, mrnPseudonym, patientPseudonym } from './pseudonym.ts';
export { deliveriesOfRequest } from './rows.ts';
export {
  actorOf,
  AUDIT_TYPES,
  OUTCOMES,
  type Actor,
  type AuditDraft,
  type AuditRecord,
  type AuditType,
  type RecordedStep,
  type ToSeal,
} from './record.ts';
export { CSV_HEAD, toCsvLine } from './to-csv.ts';
export { makeSigningKey, parseVerifyingKey, type SigningKey, type VerifyingKey } from './signing-key.ts';
export { SourceLost, storeSource, type ReadAudit } from './store-source.ts';
export {
  CLIENT_SYSTEM,
  eventPlace,
  toAuditEvent,
  TYPE_SYSTEM,
  typesCoded,
  type AuditEvent,
  type EventSite,
} from './to-audit-event.ts';
export { verifyAudit, type AuditSource, type Verified } from './verify.ts';
