import type { LinkHead } from '../../identity/index.ts';
import type { Charting } from './commands.ts';

type Row = Readonly<Record<string, unknown>>;

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
