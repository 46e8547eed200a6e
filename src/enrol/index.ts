export {
  ENROL_TABLES,
  enrolSet,
  type Enrolment,
  type EnrolReads,
  type EnrolWrites,
  type KnownConnection,
  type KnownRequest,
  type RequestKind,
} from './commands.ts';
export { makeFindUser, type CheckPatient, type Enrolled, type FindUser, type LinkUser } from './find-user.ts';
export { followDeliveries } from './follow-deliveries.ts';
export type { Enrol } from './make-enrol.ts';
export { makeEnrolment } from './make-enrolment.ts';
export { isOverdue } from './overdue.ts';
export { FIRST_PLACE, type ListedPatient, type PatientEvent, type TimelinePlace } from './patients.ts';
export { isTimezone, readDocument, type LabFile } from './read-document.ts';
export type { MonitoringRule } from '../source/index.ts';
export { enrolSealed } from './rows.ts';
export type { SourceEvent } from './read-source-event.ts';
