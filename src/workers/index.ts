export { makeForkWorker } from './fork-worker.ts';
export { joinCrew, type Seat } from './join-crew.ts';
export { runPrimary } from './run-primary.ts';
