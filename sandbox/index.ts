export {
  buildGuests,
  DEMO_CLINICIAN,
  DEMO_MRN_SYSTEM,
  DEMO_PATIENTS,
  DEMO_STRANGER,
  DEMO_TAG,
  demoPatients,
  seedEhr,
  startEhr,
  type DemoEhr,
} from './ehr/index.ts';
export type { Resource, Rule, Seen, SwitchBoard, Switches, Write, WriteLog } from './ehr/index.ts';
export { CLINICIAN_APP_ID, CLINICIAN_APP_SCOPES, startClinicianApp, type ClinicianApp } from './clinician-app/index.ts';
export { RETRY_WAITS_MS } from './delivery/index.ts';
export { makePerson, SOURCE_TRAITS, traitsOfSource } from './population/index.ts';
export { startSimulation, type Payload, type Simulation, type TrueDocument } from './simulation/index.ts';
export {
  API_SOURCES,
  DEMO_ADD_ONS,
  MOBILE_SOURCES,
  SPEED_MAX,
  startService,
  type AddOnName,
  type DemoService,
} from './service/index.ts';
export type { Client, Connection, Environment, Happened, Happening, LabDocument, State } from './service/index.ts';
export {
  makeLabReader,
  type FoundResult,
  type LabReader,
  type LabReading,
  type SubmittedDocument,
} from './labs/index.ts';
export { makeLabReport, printPages, type LabReport } from './lab-reports/index.ts';
