export { makeLabReader, type LabReader, type LabReaderOptions } from './lab-reader.ts';
export type { FoundResult, LabReading, SubmittedDocument } from './lab-document.ts';
