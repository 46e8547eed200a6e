import { fail, fault, jsonAnswer, ok, type Result, type Route } from '../kernel/index.ts';
import type { Explanation } from '../forward/index.ts';
import type { Reloaded } from '../judge/index.ts';
import type { DeliverReads, DeliverWrites, Unmapped } from '../lanes/index.ts';
import type { Operate } from '../store/index.ts';
import { adminRoute as admin, iso, pageOf, queryOf, toCursor } from './admin-query.ts';
import type { RecordAct } from './record-act.ts';

const shown = ({ seq: _seq, firstAt, lastAt, ...rest }: Unmapped) => ({
  ...rest,
  firstAt: iso(firstAt),
  lastAt: iso(lastAt),
});

/** What the mapping data make of deliveries: explained, missed, loaded anew. */
export function makeMappingRoutes(deps: {
  readonly tenant: string;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
  readonly record: RecordAct;
  readonly explain: (id: string) => Promise<Result<Explanation>>;
  readonly reload: () => Result<Reloaded, string>;
}): Route[] {
  const { tenant, deliver, record } = deps;
  return [
    admin('get', '/admin/api/deliveries/:id/explain', async (ask) => {
      const id = /^[\w-]{1,64}$/.test(ask.params['id'] ?? '') ? (ask.params['id'] ?? '') : '-';
      const explained = await deps.explain(id);
      if (!explained.ok) return explained;
      const recorded = await record(ask, { action: 'R', outcome: '0', deliveryId: id, why: 'explain' });
      return recorded.ok ? ok(jsonAnswer(200, { id, ...explained.value })) : recorded;
    }),

    admin('get', '/admin/api/unmapped', async (ask) => {
      const query = queryOf(ask, ['cursor', 'limit']);
      if (!query.ok) return query;
      const wanted = pageOf(query.value, 'u');
      if (!wanted.ok) return wanted;
      const { before, limit } = wanted.value;
      const page = await deliver.read('deliver.unmapped', { tenant, before, limit: limit + 1 });
      if (!page.ok) return page;
      const words = page.value.slice(0, limit);
      const last = words.at(-1);
      const next = page.value.length > limit && last !== undefined ? toCursor('u', last.seq) : null;
      const recorded = await record(ask, { action: 'R', outcome: '0', why: 'unmapped', count: words.length });
      return recorded.ok ? ok(jsonAnswer(200, { unmapped: words.map(shown), next })) : recorded;
    }),

    admin('post', '/admin/api/mappings/reload', async (ask) => {
      const reloaded = deps.reload();
      const recorded = await record(ask, { action: 'U', outcome: reloaded.ok ? '0' : '8', why: 'mappings reload' });
      if (!recorded.ok) return recorded;
      if (reloaded.ok) return ok(jsonAnswer(200, reloaded.value));
      return fail(fault('mappings.unsound', { problems: reloaded.fault.split('\n').map((line) => line.trim()) }));
    }),
  ];
}
