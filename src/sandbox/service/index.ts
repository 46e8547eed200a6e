export { DEMO_ADD_ONS, type AddOnName, type Environment } from './add-ons.ts';
export { API_SOURCES, MOBILE_SOURCES } from './data-sources.ts';
export type { Happened, Happening } from './happening.ts';
export { startService, type DemoService } from './start-service.ts';
export type { Client, Connection, LabDocument, State } from './state.ts';
