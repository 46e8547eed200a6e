import { fail, fault, ok, type Result } from '../../kernel/index.ts';
import type { Explanation } from '../../forward/index.ts';
import type { Reloaded } from '../../judge/index.ts';
import type { DeliverReads, DeliverWrites, Unmapped } from '../../lanes/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import type { Patient } from '../record-act.ts';
import { deliveryIdOf } from './show-delivery.ts';

const shown = ({ seq: _seq, firstAt, lastAt, ...rest }: Unmapped) => ({
  ...rest,
  firstAt: iso(firstAt),
  lastAt: iso(lastAt),
});

/** What the mapping data make of deliveries: explained, missed, loaded anew. */
export function makeMappingRoutes(deps: {
  readonly tenant: string;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
  readonly explain: (id: string) => Promise<Result<Explanation>>;
  /** Whose a delivery is. */
  readonly patientsOf: (id: string) => Promise<Result<readonly Patient[]>>;
  readonly reload: () => Result<Reloaded, string>;
}): AdminRoute[] {
  const { tenant, deliver } = deps;
  return [
    defineRoute('deliveries.explain', async ({ params }, { record }) => {
      const id = deliveryIdOf(params.id);
      const explained = await deps.explain(id);
      if (!explained.ok) return explained;
      const patients = await deps.patientsOf(id);
      if (!patients.ok) return patients;
      const recorded = await record({ action: 'R', outcome: '0', deliveryId: id, patients: patients.value });
      return recorded.ok ? ok({ id, ...explained.value }) : recorded;
    }),

    defineRoute('mappings.unmapped', async ({ query }, { record }) => {
      const before = beforeOf('u', query.cursor);
      if (!before.ok) return before;
      const found = await deliver.read('deliver.unmapped', { tenant, before: before.value, limit: query.limit + 1 });
      if (!found.ok) return found;
      const { rows, next } = pageOf('u', found.value, query.limit);
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length });
      return recorded.ok ? ok({ unmapped: rows.map(shown), next }) : recorded;
    }),

    defineRoute('mappings.reload', async (_input, { record }) => {
      const reloaded = deps.reload();
      const recorded = await record({ action: 'U', outcome: reloaded.ok ? '0' : '8' });
      if (!recorded.ok) return recorded;
      if (reloaded.ok) return ok(reloaded.value);
      return fail(fault('mappings.unsound', { problems: reloaded.fault.split('\n').map((line) => line.trim()) }));
    }),
  ];
}
