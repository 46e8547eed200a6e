import { jsonAnswer, ok, type Ask, type Route } from '../kernel/index.ts';
import type { Registry } from '../auth/index.ts';
import { adminRoute as admin, queryOf } from './admin-query.ts';
import { readJson } from './read-json.ts';
import type { RecordAct } from './record-act.ts';

const BODY_BYTES_MAX = 64 * 1024;

const act = ({ requestId }: Ask) => ({ requestId, actor: 'operator' });

/**
 * Apps, people, launches and the key of the embedded authorization server. What changes is in the audit by the same
 * commit.
 */
export function makeAuthRoutes(deps: { readonly registry: Registry; readonly record: RecordAct }): Route[] {
  const { registry, record } = deps;
  const removed = (id: string) => ok(jsonAnswer(200, { id, state: 'removed' }));

  return [
    admin('get', '/admin/api/clients', async (ask) => {
      const query = queryOf(ask, []);
      if (!query.ok) return query;
      const found = await registry.clients();
      if (!found.ok) return found;
      const recorded = await record(ask, { action: 'R', outcome: '0', why: 'clients', count: found.value.length });
      return recorded.ok ? ok(jsonAnswer(200, { clients: found.value })) : recorded;
    }),
    admin('post', '/admin/api/clients', async (ask) => {
      const given = await readJson(ask.request, BODY_BYTES_MAX);
      if (!given.ok) return given;
      const done = await registry.addClient(act(ask), given.value);
      return done.ok ? ok(jsonAnswer(201, { ...done.value.client, secret: done.value.secret })) : done;
    }),
    admin('delete', '/admin/api/clients/:id', async (ask) => {
      const id = ask.params['id'] ?? '';
      const done = await registry.removeClient(act(ask), id);
      return done.ok ? removed(id) : done;
    }),
    admin('post', '/admin/api/launches', async (ask) => {
      const given = await readJson(ask.request, BODY_BYTES_MAX);
      if (!given.ok) return given;
      const done = await registry.addLaunch(act(ask), given.value);
      if (!done.ok) return done;
      const recorded = await record(ask, { action: 'C', outcome: '0', why: 'launch' });
      return recorded.ok
        ? ok(jsonAnswer(201, { ...done.value, expiresAt: done.value.expiresAt.toISOString() }))
        : recorded;
    }),
    admin('post', '/admin/api/keys/rotate', async (ask) => {
      const query = queryOf(ask, []);
      if (!query.ok) return query;
      const done = await registry.rotateKey(act(ask));
      if (!done.ok) return done;
      const retiring = done.value.retiring.map(({ kid, until }) => ({ kid, until: until.toISOString() }));
      return ok(jsonAnswer(200, { rotated: 'id-token', kid: done.value.kid, retiring }));
    }),
    admin('get', '/admin/api/accounts', async (ask) => {
      const query = queryOf(ask, []);
      if (!query.ok) return query;
      const found = await registry.accounts();
      if (!found.ok) return found;
      const recorded = await record(ask, { action: 'R', outcome: '0', why: 'accounts', count: found.value.length });
      return recorded.ok ? ok(jsonAnswer(200, { accounts: found.value })) : recorded;
    }),
    admin('post', '/admin/api/accounts', async (ask) => {
      const given = await readJson(ask.request, BODY_BYTES_MAX);
      if (!given.ok) return given;
      const done = await registry.addAccount(act(ask), given.value);
      return done.ok ? ok(jsonAnswer(201, done.value)) : done;
    }),
    admin('delete', '/admin/api/accounts/:id', async (ask) => {
      const id = ask.params['id'] ?? '';
      const done = await registry.removeAccount(act(ask), id);
      return done.ok ? removed(id) : done;
    }),
  ];
}
