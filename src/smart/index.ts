/**
 * The SMART read API: a request is parsed, decided, asked of the EHR anew, and every entry of the answer is checked.
 */
export { loadServed } from './served-types.ts';
export { type LoadedProfiles } from './answer-validate.ts';
export { makeSmart, type Smart, type SmartDeps, type SmartTokens } from './make-smart.ts';
export { type ReadKit } from './read-kit.ts';
export type { Caller } from './caller.ts';
export { decide, filtersFor, type Filter, type Reach } from './decide.ts';
export type { Handle } from './front.ts';
export { FHIR_JSON, handlingOf } from './negotiate.ts';
export { notesEntry } from './search-note.ts';
export { isId, type Instance } from './read-request.ts';
export type { ReadAct, RecordRead } from './record-read.ts';
export { parseInstant } from './since.ts';
export { type FindPatients } from './find-patients.ts';
export { type ChartAsk, type ChartLines, type ReadChart } from './read-chart.ts';
export { type Resource } from './whose.ts';
