/**
 * The world behind the service: people whose data sync as simulated time goes on, and what the service makes of them.
 */
export type { Payload, TrueDocument } from './documents.ts';
export { startSimulation, type Simulation } from './start-simulation.ts';
