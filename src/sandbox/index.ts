export { DEMO_MRN_SYSTEM, DEMO_PATIENTS, seedEhr, startEhr, type DemoEhr } from './ehr/index.ts';
export type { Resource, Rule, Seen, SwitchBoard, Switches, Write, WriteLog } from './ehr/index.ts';
