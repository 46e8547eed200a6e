import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { isClientUuid, isEvidence, isMrn, isUserId } from './mrn.ts';
import { parseCsv } from './parse-csv.ts';

/** Why a row of an import is not taken. docs/surface.md tells each. */
export const ROW_CODES = [
  'row.quotes',
  'row.columns',
  'row.user-id',
  'row.mrn',
  'row.client',
  'row.status',
  'row.evidence',
  'row.repeated',
] as const;
export type RowCode = (typeof ROW_CODES)[number];

export interface LinkRow {
  readonly line: number;
  readonly user: string;
  readonly mrn: string;
  /** Null: the gateway's own. */
  readonly client: string | null;
  readonly status: 'proposed' | 'confirmed';
  readonly evidence: string | null;
}
export interface BadRow {
  readonly line: number;
  readonly code: RowCode;
}
export interface LinkRows {
  readonly rows: readonly LinkRow[];
  readonly bad: readonly BadRow[];
}

const COLUMNS = ['user_id', 'mrn', 'client_uuid', 'status', 'evidence'] as const;
export const ROWS_MAX = 100_000;
/** A file with more rows of misplaced quotes than this is not CSV at all. */
const MISTAKES_MAX = 1_000;

function rowOf(line: number, get: (name: (typeof COLUMNS)[number]) => string): LinkRow | RowCode {
  const [user, mrn, client, status, evidence] = COLUMNS.map(get) as [string, string, string, string, string];
  if (!isUserId(user)) return 'row.user-id';
  if (!isMrn(mrn)) return 'row.mrn';
  if (client !== '' && !isClientUuid(client)) return 'row.client';
  if (status !== '' && status !== 'proposed' && status !== 'confirmed') return 'row.status';
  if (!isEvidence(evidence)) return 'row.evidence';
  return {
    line,
    user,
    mrn,
    client: client === '' ? null : client,
    status: status === '' ? 'confirmed' : status,
    evidence: evidence === '' ? null : evidence,
  };
}

/**
 * The rows of a CSV with a head: user_id and mrn, and any of client_uuid, status, evidence, in any order. Every bad row
 * is told. Of several rows for one user all are bad: which of them is meant, nobody can know.
 */
export async function readLinkRows(text: string, ownClient: string | null): Promise<Result<LinkRows>> {
  const parsed = await parseCsv(text, { recordsMax: ROWS_MAX + 1, mistakesMax: MISTAKES_MAX });
  if (parsed.kind === 'too-many') return fail(fault('links.too-many'));
  if (parsed.kind === 'no-csv') return fail(fault('links.csv', { at: `line ${parsed.line}` }));
  const [head, ...records] = parsed.records;
  if (head?.kind !== 'cells') return fail(fault('links.csv', { at: 'line 1' }));
  const columns = head.cells.map((name) => name.trim());
  const isKnown = columns.every(
    (name, i) => (COLUMNS as readonly string[]).includes(name) && columns.indexOf(name) === i,
  );
  if (!isKnown || !columns.includes('user_id') || !columns.includes('mrn'))
    return fail(fault('links.csv', { at: 'line 1' }));

  const rows: LinkRow[] = [];
  const bad: BadRow[] = [];
  const byUser = new Map<string, LinkRow[]>();
  for (const record of records) {
    const { line } = record;
    if (record.kind === 'quotes' || record.cells.length !== columns.length) {
      bad.push({ line, code: record.kind === 'quotes' ? 'row.quotes' : 'row.columns' });
      continue;
    }
    const row = rowOf(line, (name) => record.cells[columns.indexOf(name)] ?? '');
    if (typeof row === 'string') bad.push({ line, code: row });
    else if (row.client === null && ownClient === null) bad.push({ line, code: 'row.client' });
    else {
      rows.push(row);
      const key = JSON.stringify([row.client ?? ownClient, row.user]);
      const others = byUser.get(key);
      if (others === undefined) byUser.set(key, [row]);
      else others.push(row);
    }
  }
  const repeated = new Set([...byUser.values()].filter((of) => of.length > 1).flat());
  for (const { line } of repeated) bad.push({ line, code: 'row.repeated' });
  return ok({ rows: rows.filter((row) => !repeated.has(row)), bad: bad.sort((a, b) => a.line - b.line) });
}
