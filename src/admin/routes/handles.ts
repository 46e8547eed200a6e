import { ok } from '../../kernel/index.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import type { Handles } from '../handles.ts';

/** Makes names that may stand in addresses, and tells who may see patients whom they name. */
export function makeHandleRoutes(deps: { readonly mrnSystem: string; readonly handles: Handles }): AdminRoute[] {
  const { handles, mrnSystem: system } = deps;
  return [
    defineRoute('handles.make', ({ body: { mrns = [], users = [] } }) =>
      ok({
        mrns: mrns.map((one) => handles.make('mrn', one)),
        users: users.map((one) => handles.make('user', one)),
      }),
    ),

    // What was given was opened before it was checked, as everywhere.
    defineRoute('handles.open', async ({ body: { handles: mrns } }, { record }) => {
      const patients = [...new Set(mrns)].map((mrn) => ({ system, mrn }));
      const recorded = await record({ action: 'R', outcome: '0', count: mrns.length, patients });
      return recorded.ok ? ok({ mrns }) : recorded;
    }),
  ];
}
