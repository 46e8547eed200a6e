export { makeTelemetry, type Telemetry } from './make-telemetry.ts';
