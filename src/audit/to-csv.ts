import type { AuditRecord, RecordedStep } from './record.ts';

const COLUMNS = [
  'at',
  'type',
  'action',
  'outcome',
  'why',
  'reason',
  'actor',
  'roles',
  'client',
  'interaction',
  'resourceType',
  'count',
  'deliveryId',
  'linkId',
  'requestId',
  'operatorId',
  'from',
  'to',
  'steps',
  'patientHash',
  'chartHash',
  'userHash',
  'subjectHash',
  'addressHash',
  'chain',
  'seq',
] as const satisfies readonly (keyof AuditRecord)[];

const wordOf = (one: string | RecordedStep): string =>
  typeof one === 'string' ? one : `${one.from}>${one.to}${one.why === undefined ? '' : `:${one.why}`}`;

/** RFC 4180. A cell that a spreadsheet would take for a formula is led by an apostrophe. */
function cellOf(value: AuditRecord[(typeof COLUMNS)[number]]): string {
  const text = value === undefined ? '' : typeof value === 'object' ? value.map(wordOf).join(' ') : String(value);
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

/** What a record tells in clear, as one line. */
export const toCsvLine = (record: AuditRecord): string =>
  `${COLUMNS.map((name) => cellOf(record[name])).join(',')}\r\n`;
