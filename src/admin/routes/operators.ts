import { ok } from '../../kernel/index.ts';
import type { OneTimeLink, Operators, StoredApiKey, StoredFactor, StoredOperator } from '../../operators/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const isoOr = (ms: number | null): string | null => (ms === null ? null : iso(ms));

/** Without what proves it. */
export const shownFactor = ({ id, kind, label, madeAtMs, usedAtMs }: StoredFactor) => ({
  id,
  kind,
  label,
  madeAt: iso(madeAtMs),
  usedAt: isoOr(usedAtMs),
});

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

/** People and keys, for administrators. What changes is in the audit by the same commit. */
export function makeOperatorRoutes({ people }: Pick<Operators, 'people'>): AdminRoute[] {
  return [
    defineRoute('operators.list', async () => {
      const found = await people.list();
      return found.ok ? ok({ operators: found.value.map(shownOperator) }) : found;
    }),
    defineRoute('operators.add', async ({ body }, by) => {
      const done = await people.add(by, body);
      return done.ok ? ok({ id: done.value.id, ...shownLink(done.value) }) : done;
    }),
    defineRoute('operators.get', async ({ params: { id } }) => {
      const found = await people.show(id);
      return found.ok ? ok(shownOperator(found.value)) : found;
    }),
    defineRoute('operators.remove', async ({ params: { id } }, by) => {
      const done = await people.remove(by, id);
      return done.ok ? ok({ id, state: 'removed' }) : done;
    }),
    defineRoute('operators.setRoles', async ({ params: { id }, body: { roles } }, by) => {
      const done = await people.setRoles(by, id, roles);
      return done.ok ? ok({ id, roles }) : done;
    }),
    defineRoute('operators.disable', async ({ params: { id } }, by) => {
      const done = await people.setState(by, id, 'disabled');
      return done.ok ? ok({ id, state: 'disabled' }) : done;
    }),
    defineRoute('operators.enable', async ({ params: { id } }, by) => {
      const done = await people.setState(by, id, 'active');
      return done.ok ? ok({ id, state: 'active' }) : done;
    }),
    defineRoute('operators.reset', async ({ params: { id } }, by) => {
      const done = await people.reset(by, id);
      return done.ok ? ok({ id, ...shownLink(done.value) }) : done;
    }),
    defineRoute('operators.factors', async ({ params: { id } }) => {
      const found = await people.factors(id);
      return found.ok ? ok({ factors: found.value.map(shownFactor) }) : found;
    }),
    defineRoute('operators.removeFactor', async ({ params: { id, factor } }, by) => {
      const done = await people.removeFactor(by, id, factor);
      return done.ok ? ok({ id: factor, state: 'removed' }) : done;
    }),
    defineRoute('keys.list', async () => {
      const found = await people.keys();
      return found.ok ? ok({ keys: found.value.map(shownKey) }) : found;
    }),
    defineRoute('keys.add', async ({ body: { name, roles = [], permissions = [], days = null } }, by) => {
      const done = await people.addKey(by, { name, roles, permissions, days });
      if (!done.ok) return done;
      const { id, key, expiresAtMs } = done.value;
      return ok({ id, key, expiresAt: isoOr(expiresAtMs) });
    }),
    defineRoute('keys.remove', async ({ params: { id } }, by) => {
      const done = await people.removeKey(by, id);
      return done.ok ? ok({ id, state: 'removed' }) : done;
    }),
  ];
}
