import type { AdminApi } from '../../src/embed.ts';

const NAME = 'operator';
const ROLES = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'] as const;

/** How to come in as somebody who may everything: by a link the first time, by the password that was chosen later. */
export type DemoOperator = { readonly name: string; readonly link: string | null };

/** Makes the demonstration's operator. One of an earlier start stays; a link that nobody used is made anew. */
export async function registerDemoOperator(api: AdminApi): Promise<DemoOperator | null> {
  const body = { name: NAME, displayName: 'Demo operator', roles: [...ROLES] };
  const made = await api.call('operators.add', { body });
  if (made.kind === 'done') return { name: NAME, link: made.value.link };
  if (made.problem.code !== 'operator.name-taken') return null;
  const listed = await api.call('operators.list');
  const all = listed.kind === 'done' ? listed.value.operators : [];
  const known = all.find(({ name }) => name === NAME);
  if (known === undefined || known.isReady) return { name: NAME, link: null };
  const again = await api.call('operators.reset', { params: { id: known.id } });
  return { name: NAME, link: again.kind === 'done' ? again.value.link : null };
}

export const operatorLines = (base: string, operator: DemoOperator | null): string =>
  operator === null
    ? ''
    : operator.link === null
      ? `  console    ${base}/console       sign in as ${operator.name}\n`
      : `  console    ${base}/console       see and steer everything, as ${operator.name}; set the password first:\n             ${operator.link}\n`;
