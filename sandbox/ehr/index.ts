export { DEMO_CLINICIAN } from './seed-chart.ts';
export { buildGuests, DEMO_MRN_SYSTEM, DEMO_PATIENTS, DEMO_STRANGER, DEMO_TAG, demoPatients, seedEhr } from './seed.ts';
export { startEhr, type DemoEhr } from './start-ehr.ts';
export type { Rule, SwitchBoard, Switches } from './switches.ts';
export type { Resource } from './values.ts';
export type { Seen, Write, WriteLog } from './write-log.ts';
