import { inventReport, type Layout, type ReportOptions, type TrueResult } from './invent-report.ts';
import { layOut } from './lay-out.ts';
import type { Page } from './page.ts';

/** A laboratory report that nobody's blood was taken for, and what is true of it. */
export interface LabReport {
  readonly layout: Layout;
  readonly pages: readonly Page[];
  readonly truth: {
    /** Local wall time. */
    readonly collected: string;
    /** As the report says it, or null. */
    readonly offset: string | null;
    readonly results: readonly TrueResult[];
  };
}

export function makeLabReport(options: ReportOptions): LabReport {
  const content = inventReport(options);
  return {
    layout: content.layout,
    pages: layOut(content),
    truth: {
      collected: content.times.local,
      offset: content.times.offset,
      results: content.blocks.flatMap(({ rows }) => rows.map(({ truth }) => truth)),
    },
  };
}
