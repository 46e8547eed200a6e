import { readRefusals, readSeries, REFUSALS, type FigureReads, type FigureWrites } from '../../figures/index.ts';
import type { InboxReads, InboxWrites } from '../../inbox/index.ts';
import { ok, type Clock } from '../../kernel/index.ts';
import { addsUp } from '../../ops/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

export function makeFlowRoutes(deps: {
  readonly tenant: string;
  readonly figures: Operate<FigureWrites, FigureReads>;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, figures, inbox, clock } = deps;
  return [
    defineRoute('flow.series', async ({ query }) => {
      const found = await readSeries(figures, { tenant, span: query.span, now: clock.now() });
      if (!found.ok) return found;
      const { from, widthMs, counts, times } = found.value;
      return ok({ from: iso(from), widthSeconds: widthMs / 1_000, counts, times });
    }),

    defineRoute('flow.ledger', async () => {
      const counts = await inbox.read('inbox.ledger', { tenant });
      return counts.ok ? ok({ tenant, ...counts.value, addsUp: addsUp(counts.value) }) : counts;
    }),

    defineRoute('flow.refused', async ({ query }) => {
      const found = await readRefusals(figures, { tenant, span: query.span, now: clock.now() });
      if (!found.ok) return found;
      const { from, widthMs, counts } = found.value;
      const refused = REFUSALS.map((reason) => ({ reason, total: sum(counts[reason]), counts: counts[reason] }));
      const total = sum(refused.map((one) => one.total));
      return ok({ from: iso(from), widthSeconds: widthMs / 1_000, total, refused });
    }),
  ];
}
