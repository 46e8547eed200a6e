import { createHmac } from 'node:crypto';
import type { AdminApi } from '../../src/embed.ts';

const NAME = 'operator';
const ROLES = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'] as const;

/** Made of the demonstration's own secret, so that the operator of an earlier start still gets in. */
export const operatorPassword = (secret: string): string =>
  createHmac('sha256', secret).update('demo operator').digest('base64url').slice(0, 16);

/**
 * How to come in as somebody who may everything. `set`: the password is this one. `before`: so it was at an earlier
 * start, unless somebody has chosen another since. `link`: it could not be set, and is chosen by the link.
 */
export type DemoOperator =
  | { readonly kind: 'set' | 'before'; readonly name: string; readonly password: string }
  | { readonly kind: 'link'; readonly name: string; readonly link: string };

/** Sets the password by the link, as the page does that the link leads to. */
async function setPassword(link: string, password: string, ask: typeof fetch): Promise<DemoOperator> {
  const { origin, hash } = new URL(link);
  const answer = await ask(`${origin}/admin/api/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ link: new URLSearchParams(hash.slice(1)).get('link') ?? '', password }),
  }).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.ok === true ? { kind: 'set', name: NAME, password } : { kind: 'link', name: NAME, link };
}

/** Makes the demonstration's operator. One of an earlier start stays; a link that nobody used is made anew. */
export async function registerDemoOperator(
  api: Pick<AdminApi, 'call'>,
  password: string,
  ask: typeof fetch,
): Promise<DemoOperator | null> {
  const body = { name: NAME, displayName: 'Demo operator', roles: [...ROLES] };
  const made = await api.call('operators.add', { body });
  if (made.kind === 'done') return setPassword(made.value.link, password, ask);
  if (made.problem.code !== 'operator.name-taken') return null;
  const listed = await api.call('operators.list');
  const all = listed.kind === 'done' ? listed.value.operators : [];
  const known = all.find(({ name }) => name === NAME);
  if (known === undefined || known.isReady) return { kind: 'before', name: NAME, password };
  const again = await api.call('operators.reset', { params: { id: known.id } });
  return again.kind === 'done' ? setPassword(again.value.link, password, ask) : null;
}

export function operatorLines(base: string, operator: DemoOperator | null): string {
  const first = `  console    ${base}/console       see and steer everything\n`;
  if (operator === null) return first;
  switch (operator.kind) {
    case 'set':
      return `${first}             sign in as ${operator.name}, password ${operator.password}\n`;
    case 'before':
      return `${first}             sign in as ${operator.name}, password ${operator.password} unless you chose another\n`;
    case 'link':
      return `${first}             as ${operator.name}; set the password first: ${operator.link}\n`;
  }
}
