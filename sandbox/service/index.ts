export { DEMO_ADD_ONS, isActive, type AddOnName, type Environment } from './add-ons.ts';
export { API_SOURCES, MOBILE_SOURCES } from './data-sources.ts';
export type { Happened, Happening } from './happening.ts';
export type { Notify } from './notify.ts';
export { json, refuse } from './reply.ts';
export type { Row } from './route-table.ts';
export { SPEED_MAX } from './simulated-clock.ts';
export { startService, type DemoService } from './start-service.ts';
export { keyOf, type Client, type Connection, type LabDocument, type State } from './state.ts';
