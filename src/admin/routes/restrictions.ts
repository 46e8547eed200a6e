import { ok, type Clock, type Result } from '../../kernel/index.ts';
import type { IdentityReads, IdentityWrites } from '../../identity/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';

/** Patients at whom nobody looks without saying why. Whoever is shown is checked in `serve.ts`, for every route. */
export function makeRestrictionRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly clock: Clock;
}): AdminRoute[] {
  const { tenant, identity, mrnSystem } = deps;

  async function change(
    mrn: string,
    to: 'restricted' | 'open',
    { actor, reason }: AdminContext,
  ): Promise<Result<{ readonly isRestricted: boolean }>> {
    const act = { tenant, at: deps.clock.now(), ...actor };
    const done = await identity.write('identity.restrict', { ...act, patient: { mrnSystem, mrn }, to, reason });
    return done.ok ? ok({ isRestricted: to === 'restricted' }) : done;
  }

  return [
    defineRoute('restrictions.list', async ({ query }, { record }) => {
      const before = beforeOf('r', query.cursor);
      if (!before.ok) return before;
      const found = await identity.read('identity.restricted', {
        tenant,
        before: before.value,
        limit: query.limit + 1,
      });
      if (!found.ok) return found;
      const { rows, next } = pageOf('r', found.value, query.limit);
      const patients = rows.map(({ mrn }) => ({ system: mrnSystem, mrn }));
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length, patients });
      if (!recorded.ok) return recorded;
      return ok({ patients: rows.map(({ mrn, actor, madeAt }) => ({ mrn, actor, madeAt: iso(madeAt) })), next });
    }),

    defineRoute('restrictions.get', async ({ params: { mrn } }, { record }) => {
      const found = await identity.read('identity.restricted-among', { tenant, patients: [{ mrnSystem, mrn }] });
      if (!found.ok) return found;
      const recorded = await record({ action: 'R', outcome: '0', patients: [{ system: mrnSystem, mrn }] });
      return recorded.ok ? ok({ isRestricted: found.value.length > 0 }) : recorded;
    }),

    defineRoute('restrictions.put', ({ params }, context) => change(params.mrn, 'restricted', context)),

    defineRoute('restrictions.remove', ({ params }, context) => change(params.mrn, 'open', context)),
  ];
}
