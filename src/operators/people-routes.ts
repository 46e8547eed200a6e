import { jsonAnswer, ok, type Answer, type Ask, type Result, type Route } from '../kernel/index.ts';
import { KEY_DAYS_MAX, type StoredApiKey } from './api-key.ts';
import type { Identify } from './authenticate.ts';
import { checkMay } from './decide-caller.ts';
import type { OperatorDeps } from './deps.ts';
import { OPERATOR_NAME, SHOWN_NAME, type StoredOperator } from './operator.ts';
import { PERMISSIONS, ROLES, type Permission } from './permissions.ts';
import type { By, OneTimeLink, People } from './people.ts';
import { checkNoQuery, matching, optional, readFields, someOf, wholeNumber } from './read-fields.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOr = (ms: number | null): string | null => (ms === null ? null : iso(ms));

const shownOperator = ({ proof, madeAtMs, signedInAtMs, ...rest }: StoredOperator) => ({
  ...rest,
  signsInBy: proof.kind,
  isReady: proof.kind === 'provider' || proof.password !== null,
  madeAt: iso(madeAtMs),
  signedInAt: isoOr(signedInAtMs),
});
const shownLink = ({ link, linkExpiresAtMs }: OneTimeLink) => ({ link, linkExpiresAt: iso(linkExpiresAtMs) });
const shownKey = ({ madeAtMs, expiresAtMs, usedAtMs, ...rest }: StoredApiKey) => ({
  ...rest,
  madeAt: iso(madeAtMs),
  expiresAt: isoOr(expiresAtMs),
  usedAt: isoOr(usedAtMs),
});

const NAME = matching(OPERATOR_NAME, 'letters, digits and . _ @ + -, at most 100, a letter or digit first');
const SHOWN = matching(SHOWN_NAME, 'text of 1 to 100 characters without control characters, < and >');
const SOME_ROLES = someOf(ROLES, 1);

/** People and keys, for administrators. What changes something asks a person for a second proof. */
export function makePeopleRoutes(deps: {
  readonly people: People;
  readonly identify: Identify;
  readonly now: OperatorDeps['now'];
}): Route[] {
  const { people } = deps;

  const route = (
    method: Route['method'],
    path: string,
    permission: Permission,
    handle: (ask: Ask, by: By, id: string) => Promise<Result<Answer>>,
  ): Route => ({
    method,
    path,
    access: 'operator',
    async handle(ask) {
      const found = await deps.identify(ask.request);
      if (!found.ok) return found;
      const { caller } = found.value;
      const may = checkMay(caller, permission, method === 'get' ? 'not-needed' : 'lately', deps.now().getTime());
      if (!may.ok) return may;
      const query = checkNoQuery(ask.request);
      if (!query.ok) return query;
      return handle(ask, { caller, requestId: ask.requestId }, ask.params['id'] ?? '');
    },
  });
  const answer = <T>(done: Result<T>, show: (value: T) => unknown, status = 200): Result<Answer> =>
    done.ok ? ok(jsonAnswer(status, show(done.value))) : done;

  return [
    route('get', '/admin/api/operators', 'operators.read', async () =>
      answer(await people.list(), (all) => ({ operators: all.map(shownOperator) })),
    ),
    route('post', '/admin/api/operators', 'operators.change', async (ask, by) => {
      const given = await readFields(ask.request, { name: NAME, displayName: SHOWN, roles: SOME_ROLES });
      if (!given.ok) return given;
      return answer(await people.add(by, given.value), ({ id, ...link }) => ({ id, ...shownLink(link) }), 201);
    }),
    route('get', '/admin/api/operators/:id', 'operators.read', async (_ask, _by, id) =>
      answer(await people.show(id), shownOperator),
    ),
    route('delete', '/admin/api/operators/:id', 'operators.change', async (_ask, by, id) =>
      answer(await people.remove(by, id), () => ({ id, state: 'removed' })),
    ),
    route('put', '/admin/api/operators/:id/roles', 'operators.change', async (ask, by, id) => {
      const given = await readFields(ask.request, { roles: SOME_ROLES });
      if (!given.ok) return given;
      const { roles } = given.value;
      return answer(await people.setRoles(by, id, roles), () => ({ id, roles }));
    }),
    route('post', '/admin/api/operators/:id/disable', 'operators.change', async (_ask, by, id) =>
      answer(await people.setState(by, id, 'disabled'), () => ({ id, state: 'disabled' })),
    ),
    route('post', '/admin/api/operators/:id/enable', 'operators.change', async (_ask, by, id) =>
      answer(await people.setState(by, id, 'active'), () => ({ id, state: 'active' })),
    ),
    route('post', '/admin/api/operators/:id/reset', 'operators.change', async (_ask, by, id) =>
      answer(await people.reset(by, id), (link) => ({ id, ...shownLink(link) })),
    ),
    route('get', '/admin/api/keys', 'keys.read', async () =>
      answer(await people.keys(), (all) => ({ keys: all.map(shownKey) })),
    ),
    route('post', '/admin/api/keys', 'keys.change', async (ask, by) => {
      const given = await readFields(ask.request, {
        name: SHOWN,
        roles: optional(someOf(ROLES, 0)),
        permissions: optional(someOf(PERMISSIONS, 0)),
        days: optional(wholeNumber(1, KEY_DAYS_MAX)),
      });
      if (!given.ok) return given;
      const { name, roles = [], permissions = [], days = null } = given.value;
      return answer(
        await people.addKey(by, { name, roles, permissions, days }),
        ({ expiresAtMs, ...made }) => ({ ...made, expiresAt: isoOr(expiresAtMs) }),
        201,
      );
    }),
    route('delete', '/admin/api/keys/:id', 'keys.change', async (_ask, by, id) =>
      answer(await people.removeKey(by, id), () => ({ id, state: 'removed' })),
    ),
  ];
}
