import { ok } from '../../kernel/index.ts';
import type { AppGrant, Registry } from '../../auth/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const shownGrant = ({ madeAtMs, usedAtMs, untilMs, ...rest }: AppGrant) => ({
  ...rest,
  madeAt: iso(madeAtMs),
  usedAt: usedAtMs === null ? null : iso(usedAtMs),
  until: iso(untilMs),
});

/**
 * Apps, people, launches and the key of the embedded authorization server. What changes is in the audit by the same
 * commit.
 */
export function makeAppRoutes(deps: { readonly registry: Registry }): AdminRoute[] {
  const { registry } = deps;
  return [
    defineRoute('apps.list', async (_input, { record }) => {
      const found = await registry.clients();
      if (!found.ok) return found;
      const recorded = await record({ action: 'R', outcome: '0', count: found.value.length });
      return recorded.ok ? ok({ clients: found.value }) : recorded;
    }),
    defineRoute('apps.add', async ({ body }, { actor }) => {
      const done = await registry.addClient(actor, body);
      return done.ok ? ok({ ...done.value.client, secret: done.value.secret }) : done;
    }),
    defineRoute('apps.edit', ({ params: { id }, body }, { actor }) => registry.changeClient(actor, id, body)),
    defineRoute('apps.disable', async ({ params: { id } }, { actor }) => {
      const done = await registry.setClientState(actor, id, 'disabled');
      return done.ok ? ok({ id, state: 'disabled' }) : done;
    }),
    defineRoute('apps.enable', async ({ params: { id } }, { actor }) => {
      const done = await registry.setClientState(actor, id, 'active');
      return done.ok ? ok({ id, state: 'active' }) : done;
    }),
    defineRoute('apps.remove', async ({ params: { id } }, { actor }) => {
      const done = await registry.removeClient(actor, id);
      return done.ok ? ok({ id, state: 'removed' }) : done;
    }),
    defineRoute('apps.launch', async ({ body }, { actor, record }) => {
      const done = await registry.addLaunch(actor, body);
      if (!done.ok) return done;
      const recorded = await record({ action: 'C', outcome: '0' });
      return recorded.ok ? ok({ ...done.value, expiresAt: done.value.expiresAt.toISOString() }) : recorded;
    }),
    defineRoute('keys.rotateIdToken', async (_input, { actor }) => {
      const done = await registry.rotateKey(actor);
      if (!done.ok) return done;
      const retiring = done.value.retiring.map(({ kid, until }) => ({ kid, until: until.toISOString() }));
      return ok({ rotated: 'id-token', kid: done.value.kid, retiring });
    }),
    defineRoute('accounts.list', async (_input, { record }) => {
      const found = await registry.accounts();
      if (!found.ok) return found;
      const recorded = await record({ action: 'R', outcome: '0', count: found.value.length });
      return recorded.ok ? ok({ accounts: found.value }) : recorded;
    }),
    defineRoute('accounts.add', ({ body }, { actor }) => registry.addAccount(actor, body)),
    defineRoute('accounts.disable', async ({ params: { id } }, { actor }) => {
      const done = await registry.setAccountState(actor, id, 'disabled');
      return done.ok ? ok({ id, state: 'disabled' }) : done;
    }),
    defineRoute('accounts.enable', async ({ params: { id } }, { actor }) => {
      const done = await registry.setAccountState(actor, id, 'active');
      return done.ok ? ok({ id, state: 'active' }) : done;
    }),
    defineRoute('accounts.reset', async ({ params: { id }, body: { password } }, { actor }) => {
      const done = await registry.resetPassword(actor, id, password);
      return done.ok ? ok({ id, state: 'reset' }) : done;
    }),
    defineRoute('accounts.resetFactor', async ({ params: { id } }, { actor }) => {
      const done = await registry.resetFactor(actor, id);
      return done.ok ? ok({ id, state: 'reset' }) : done;
    }),
    defineRoute('accounts.unlock', async ({ params: { id } }, { actor }) => {
      const done = await registry.unlockAccount(actor, id);
      return done.ok ? ok({ id, state: 'unlocked' }) : done;
    }),
    defineRoute('accounts.remove', async ({ params: { id } }, { actor }) => {
      const done = await registry.removeAccount(actor, id);
      return done.ok ? ok({ id, state: 'removed' }) : done;
    }),
    defineRoute('grants.list', async ({ query }, { record }) => {
      const { client_id: clientId, account_id: accountId = '', cursor, limit } = query;
      const of =
        clientId === undefined
          ? ({ kind: 'account', id: accountId } as const)
          : ({ kind: 'client', id: clientId } as const);
      const found = await registry.grants({ of, cursor, limit });
      if (!found.ok) return found;
      const recorded = await record({ action: 'R', outcome: '0', count: found.value.grants.length });
      return recorded.ok ? ok({ grants: found.value.grants.map(shownGrant), next: found.value.next }) : recorded;
    }),
    defineRoute('grants.end', async ({ params: { id } }, { actor }) => {
      const done = await registry.endGrant(actor, id);
      return done.ok ? ok({ id, state: 'ended' }) : done;
    }),
  ];
}
