export {
  changeLinkPostgres,
  confirmedLinkPostgres,
  forgetUserPostgres,
  holdUserPostgres,
  markUserPostgres,
  replacedPatientsPostgres,
  revokedPatientsPostgres,
  revokeLinkPostgres,
} from './change-postgres.ts';
export {
  changeLinkSqlite,
  confirmedLinkSqlite,
  forgetUserSqlite,
  holdUserSqlite,
  markUserSqlite,
  replacedPatientsSqlite,
  revokedPatientsSqlite,
  revokeLinkSqlite,
} from './change-sqlite.ts';
export {
  CHARTED,
  identitySet,
  LINK_STATUSES,
  type ChangedLink,
  type Charted,
  type HeldUser,
  type IdentityReads,
  type IdentityWrites,
  type LinkAct,
  type LinkChange,
  type LinkHead,
  type LinkStatus,
  type ShownLink,
  type SourceUser,
  type WantedLink,
} from './commands.ts';
export { isClientUuid, isEvidence, isMrn, isUserId } from './mrn.ts';
export { writeCsv } from './parse-csv.ts';
export { readLinkRows, ROW_CODES, type BadRow, type LinkRow, type RowCode } from './read-link-rows.ts';
export { identitySealed, openPatient, openUser } from './rows.ts';
