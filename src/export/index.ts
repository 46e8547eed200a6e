/** Bulk Data Access: `$export` for clients that act for themselves, and the Groups that it is asked of. */
export {
  EXPORT_STATES,
  exportSet,
  type ExportJob,
  type ExportReads,
  type ExportState,
  type ExportWrites,
  type PatientGroup,
} from './commands.ts';
export { groupOfList, type KnownGroup, type PatientGroups } from './groups.ts';
export { makeExports, type Exports } from './make-exports.ts';
export { exportSealed } from './rows.ts';
