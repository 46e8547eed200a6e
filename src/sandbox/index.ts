export { DEMO_CLINICIAN, DEMO_MRN_SYSTEM, DEMO_PATIENTS, DEMO_STRANGER, seedEhr, startEhr, type DemoEhr } from './ehr/index.ts';
export type { Resource, Rule, Seen, SwitchBoard, Switches, Write, WriteLog } from './ehr/index.ts';
export { CLINICIAN_APP_ID, CLINICIAN_APP_SCOPES, startClinicianApp, type ClinicianApp } from './clinician-app/index.ts';
export { buildDemoHistory, DEMO_DAYS, type DemoDocument, type DemoHistory, type DemoPerson } from './source/index.ts';
export { API_SOURCES, DEMO_ADD_ONS, MOBILE_SOURCES, startService, type AddOnName, type DemoService } from './service/index.ts';
export type { Client, Connection, Environment, Happened, Happening, LabDocument, State } from './service/index.ts';
