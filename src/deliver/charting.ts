import type { LinkHead } from '../identity/index.ts';
import type { Charting } from './commands.ts';

type Row = Readonly<Record<string, unknown>>;

/** What devices and the like say of themselves is nobody's measurement, and stays. */
const charted = (
  n: string,
): string => `SELECT w.resource_type, coalesce(w.summary_group, 'other') AS summary_group, w.chart_day, count(*) AS count
  FROM written_resource w JOIN delivery d ON d.seq = w.delivery_seq
  WHERE w.tenant = ${n}1 AND w.target = ${n}2 AND w.patient_index = ${n}3 AND w.retracted_at IS NULL
    AND d.user_index = ${n}4 AND coalesce(w.summary_group, 'other') <> 'support'
  GROUP BY w.resource_type, coalesce(w.summary_group, 'other'), w.chart_day ORDER BY w.chart_day, w.resource_type, summary_group`;
export const CHARTED_SQLITE = charted('?');
export const CHARTED_POSTGRES = charted('$');

const waiting = (n: string): string =>
  `SELECT count(*) AS count FROM delivery WHERE tenant = ${n}1 AND user_index = ${n}2 AND state IN ('queued','sending','unknown')`;
export const WAITING_SQLITE = waiting('?');
export const WAITING_POSTGRES = waiting('$');

export const toCharting = (link: LinkHead | null, rows: readonly Row[], waits: Row | undefined): Charting => ({
  linkId: link?.id ?? null,
  resources: rows.map((row) => ({
    resourceType: String(row['resource_type']),
    group: String(row['summary_group']),
    day: typeof row['chart_day'] === 'string' ? row['chart_day'] : null,
    count: Number(row['count']),
  })),
  waiting: Number(waits?.['count'] ?? 0),
});
