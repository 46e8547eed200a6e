/**
 * Invented people and what their devices measure: the same for the same seed, whatever was asked before and whenever it
 * is asked.
 */
export type {
  BodyReadings,
  DaySummary,
  HourlySteps,
  Person,
  PhysicalReadings,
  Sample,
  SleepReadings,
  SourceDay,
  SourceDevice,
} from './readings.ts';
export { daysOf } from './days-of.ts';
export { deviceOf } from './device-of.ts';
export { clockAheadDays, HAZARDS, misfile, type Hazard } from './hazards.ts';
export { makePerson } from './make-person.ts';
export { permit } from './permit.ts';
export { SOURCE_TRAITS, traitsOfSource, type DataSourceName, type SourceTraits } from './source-traits.ts';
export { illnessOn, truthOf, type Truth } from './truth.ts';
export { zoneOn } from './where-about.ts';
export {
  addDays,
  dateOfNumber,
  dayBounds,
  dayNumber,
  localDateOf,
  localTime,
  offsetMs,
  type DayBounds,
} from './zones.ts';
