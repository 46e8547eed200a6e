import type { AuditRecord } from './record.ts';

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
  'patientHash',
  'chartHash',
  'userHash',
  'subjectHash',
  'addressHash',
  'chain',
  'seq',
] as const satisfies readonly (keyof AuditRecord)[];

/** RFC 4180. A cell that a spreadsheet would take for a formula is led by an apostrophe. */
function cellOf(value: AuditRecord[(typeof COLUMNS)[number]]): string {
  const text = value === undefined ? '' : typeof value === 'object' ? value.join(' ') : String(value);
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

/** What a record tells in clear, as one line. */
export const toCsvLine = (record: AuditRecord): string =>
  `${COLUMNS.map((name) => cellOf(record[name])).join(',')}\r\n`;
