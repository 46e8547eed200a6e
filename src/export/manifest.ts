import type { ExportFile, ExportJob } from './commands.ts';

/** `Observation.1.ndjson`: a file of an export, as its address ends. */
export const fileName = ({ type, part }: Pick<ExportFile, 'type' | 'part'>): string => `${type}.${part}.ndjson`;

export function parseFileName(text: string): Pick<ExportFile, 'type' | 'part'> | null {
  const [, type, part] = /^([A-Z][A-Za-z]{1,63})\.([1-9]\d{0,5})\.ndjson$/.exec(text) ?? [];
  return type === undefined || part === undefined ? null : { type, part: Number(part) };
}

export const ERROR_TYPE = 'OperationOutcome';

/** The answer of a status request once the export is complete. What was deleted at the EHR is not known here. */
export function manifestOf(
  job: Pick<ExportJob, 'startedAt'>,
  request: string,
  files: readonly ExportFile[],
  urlOf: (file: ExportFile) => string,
): object {
  const listed = (isError: boolean) =>
    files
      .filter(({ type }) => (type === ERROR_TYPE) === isError)
      .map((file) => ({ type: file.type, url: urlOf(file), count: file.resources }));
  return {
    transactionTime: new Date(job.startedAt).toISOString(),
    request,
    requiresAccessToken: true,
    output: listed(false),
    deleted: [],
    error: listed(true),
  };
}
