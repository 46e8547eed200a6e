import { fail, fault, ok, type FaultCode, type Result } from '../kernel/index.ts';
import { KEY_DAYS_MAX, toApiKey, type ApiKey, type StoredApiKey } from './api-key.ts';
import { mayGive, needsFactor, type Giver } from './decide-caller.ts';
import { newSecret, type OperatorDeps } from './deps.ts';
import { draftChange } from './draft-audit.ts';
import { LINK_MS, type StoredFactor, type StoredOperator } from './operator.ts';
import { permissionsOf, type Permission, type Role } from './permissions.ts';

/** Who acts, in which request. */
export interface By {
  readonly caller: Giver;
  readonly requestId: string;
}
/** For the terminal or screen of whoever asked, and for nothing else. */
export interface OneTimeLink {
  readonly link: string;
  readonly linkExpiresAtMs: number;
}

const DAY_MS = 24 * 60 * 60_000;
const refuse = (code: FaultCode) => fail(fault(code));

/** What administrators do: people, their roles, and keys for machines. */
export function makePeople(deps: OperatorDeps) {
  const { tenant, store, publicUrl } = deps;
  const audit = ({ caller, requestId }: By, change: Parameters<typeof draftChange>[3]) =>
    draftChange(deps, requestId, caller, change);

  function makeLink() {
    const secret = newSecret(deps.chance);
    const expiresAtMs = deps.now().getTime() + LINK_MS;
    // Behind the #: a browser sends it to nobody, so that it stands in no log on the way.
    const link = new URL(`/operator/sign-in#link=${secret}`, publicUrl).href;
    return { stored: { secret, expiresAtMs }, shown: { link, linkExpiresAtMs: expiresAtMs } };
  }

  /** What a person holds must be the caller's to give, and so it is with taking it away. */
  async function find({ caller }: By, id: string): Promise<Result<StoredOperator>> {
    const found = await store.read('operator.one', { tenant, id });
    if (!found.ok) return found;
    if (found.value === null) return refuse('operator.not-found');
    return mayGive(caller, { roles: found.value.roles, permissions: [] })
      ? ok(found.value)
      : refuse('operator.escalation');
  }

  return {
    list: () => store.read('operator.all', { tenant }),
    async show(id: string): Promise<Result<StoredOperator>> {
      const found = await store.read('operator.one', { tenant, id });
      if (!found.ok) return found;
      return found.value === null ? refuse('operator.not-found') : ok(found.value);
    },

    async add(
      by: By,
      given: { readonly name: string; readonly displayName: string; readonly roles: readonly Role[] },
    ): Promise<Result<{ readonly id: string } & OneTimeLink>> {
      if (!mayGive(by.caller, { roles: given.roles, permissions: [] })) return refuse('operator.escalation');
      const id = deps.newId('opr');
      const { stored, shown } = makeLink();
      const done = await store.write('operator.add', {
        operator: { id, ...given, state: 'active', proof: { kind: 'password', password: null } },
        link: stored,
        audit: audit(by, { action: 'C', why: 'operator', operatorId: id, to: given.roles.join(' ') }),
      });
      if (!done.ok) return done;
      return done.value === 'added' ? ok({ id, ...shown }) : refuse('operator.name-taken');
    },

    async setRoles(by: By, id: string, roles: readonly Role[]): Promise<Result<null>> {
      const found = await find(by, id);
      if (!found.ok) return found;
      // Somebody else looks at what an operator becomes.
      if (by.caller.id === id || !mayGive(by.caller, { roles, permissions: [] })) return refuse('operator.escalation');
      if (found.value.proof.kind === 'provider') return refuse('operator.of-provider');
      const change = { kind: 'roles', roles } as const;
      const to = { action: 'U', why: 'operator-roles', operatorId: id, to: roles.join(' ') } as const;
      const done = await store.write('operator.change', { id, change, audit: audit(by, to) });
      if (!done.ok) return done;
      return done.value === 'changed' ? ok(null) : refuse(`operator.${done.value}`);
    },

    async setState(by: By, id: string, state: 'active' | 'disabled'): Promise<Result<null>> {
      const found = await find(by, id);
      if (!found.ok) return found;
      const change = { kind: 'state', state } as const;
      const to = { action: 'U', why: 'operator-state', operatorId: id, to: state } as const;
      const done = await store.write('operator.change', { id, change, audit: audit(by, to) });
      if (!done.ok) return done;
      return done.value === 'changed' ? ok(null) : refuse(`operator.${done.value}`);
    },

    async reset(by: By, id: string): Promise<Result<OneTimeLink>> {
      const found = await find(by, id);
      if (!found.ok) return found;
      const { stored, shown } = makeLink();
      const change = { action: 'U', why: 'operator-reset', operatorId: id } as const;
      const done = await store.write('operator.reset', { id, link: stored, audit: audit(by, change) });
      if (!done.ok) return done;
      return done.value === 'reset' ? ok(shown) : refuse(`operator.${done.value}`);
    },

    async factors(id: string): Promise<Result<readonly StoredFactor[]>> {
      const found = await store.read('operator.one', { tenant, id });
      if (!found.ok) return found;
      return found.value === null
        ? refuse('operator.not-found')
        : store.read('operator.factors', { tenant, operatorId: id });
    },

    /** One that was lost. Whoever has it may sit at an open session, so that these end. */
    async removeFactor(by: By, id: string, factorId: string): Promise<Result<null>> {
      const found = await find(by, id);
      if (!found.ok) return found;
      const done = await store.write('operator.remove-factor', {
        id: factorId,
        operatorId: id,
        least: needsFactor(deps.policy, found.value.roles) ? 1 : 0,
        sessions: 'end',
        audit: audit(by, { action: 'D', why: 'operator-factor', operatorId: id }),
      });
      if (!done.ok) return done;
      if (done.value === 'removed') return ok(null);
      return refuse(done.value === 'last' ? 'operator.last-factor' : 'operator.factor-not-found');
    },

    async remove(by: By, id: string): Promise<Result<null>> {
      const found = await find(by, id);
      if (!found.ok) return found;
      const change = { action: 'D', why: 'operator', operatorId: id } as const;
      const done = await store.write('operator.remove', { id, audit: audit(by, change) });
      if (!done.ok) return done;
      return done.value === 'removed' ? ok(null) : refuse(`operator.${done.value}`);
    },

    keys: (): Promise<Result<readonly StoredApiKey[]>> => store.read('operator.keys', { tenant }),
    /** `key` is told here and never again. */
    async addKey(
      by: By,
      given: {
        readonly name: string;
        readonly roles: readonly Role[];
        readonly permissions: readonly Permission[];
        readonly days: number | null;
      },
    ): Promise<Result<{ readonly id: string; readonly key: string; readonly expiresAtMs: number | null }>> {
      const { name, roles, permissions, days } = given;
      if (!mayGive(by.caller, { roles, permissions })) return refuse('operator.escalation');
      if (permissionsOf(roles).size + permissions.length === 0)
        return fail(fault('admin.parameter', { at: 'roles', detail: 'roles or permissions must be given.' }));
      const expiresAtMs = days === null ? null : deps.now().getTime() + Math.min(days, KEY_DAYS_MAX) * DAY_MS;
      const key: ApiKey = { id: deps.newId('key'), name, roles, permissions, expiresAtMs, madeBy: by.caller.id };
      const secret = toApiKey(newSecret(deps.chance));
      const to = [...roles, ...permissions].join(' ');
      const done = await store.write('operator.add-key', {
        key,
        secret,
        audit: audit(by, { action: 'C', why: 'api-key', operatorId: key.id, to }),
      });
      if (!done.ok) return done;
      return done.value === 'added' ? ok({ id: key.id, key: secret, expiresAtMs }) : refuse('key.name-taken');
    },
    async removeKey(by: By, id: string): Promise<Result<null>> {
      const change = { action: 'D', why: 'api-key', operatorId: id } as const;
      const done = await store.write('operator.remove-key', { id, audit: audit(by, change) });
      if (!done.ok) return done;
      return done.value === 'removed' ? ok(null) : refuse('key.not-found');
    },
  };
}
export type People = ReturnType<typeof makePeople>;
