import type { Group } from '../translate/index.ts';
import type { WrittenResource } from './decide-changes.ts';

type Row = Readonly<Record<string, unknown>>;

export const WRITTEN_COLUMNS =
  'name, resource_type, summary_group, chart_day, content_digest, retracted_at, document_index, said_at';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A row of the ledger as the plan reads it, seen from the document at hand. */
export const toWritten = (row: Row, document: Uint8Array): WrittenResource => ({
  name: String(row['name']),
  resourceType: String(row['resource_type']),
  group: (text(row['summary_group']) ?? 'other') as Group,
  chartDay: text(row['chart_day']),
  contentDigest: Buffer.from(row['content_digest'] as Uint8Array).toString('hex'),
  isRetracted: row['retracted_at'] !== null,
  saidAt: Number(row['said_at']),
  isOfDocument: Buffer.compare(row['document_index'] as Uint8Array, document) === 0,
});
