export {
  changeLink,
  confirmedLink,
  forgetUser,
  linkToFollow,
  lockUser,
  markUser,
  replacedPatients,
  revokedPatients,
  revokeLink,
} from './commands/links.ts';
export {
  CHARTED,
  identitySet,
  LINK_STATUSES,
  type ChangedLink,
  type Charted,
  type LockedUser,
  type IdentityReads,
  type IdentityWrites,
  type LinkAct,
  type LinkChange,
  type LinkHead,
  type LinkFilter,
  type LinkStatus,
  type ShownLink,
  type SourceUser,
  type WantedLink,
} from './commands.ts';
export { isClientUuid, isEvidence, isMrn, isUserId } from './mrn.ts';
export { writeCsv } from './parse-csv.ts';
export { readLinkRows, ROW_CODES, ROWS_MAX, type BadRow, type LinkRow, type RowCode } from './read-link-rows.ts';
export { identitySealed, openPatient, openUser } from './rows.ts';
