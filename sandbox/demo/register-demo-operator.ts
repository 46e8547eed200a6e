import type { OperatorApi } from '../../src/embed.ts';

const NAME = 'operator';
const ROLES = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'];

interface Known {
  readonly id: string;
  readonly name: string;
  readonly isReady: boolean;
}

/** How to come in as somebody who may everything: by a link the first time, by the password that was chosen later. */
export type DemoOperator = { readonly name: string; readonly link: string | null };

/** Makes the demonstration's operator. One of an earlier start stays; a link that nobody used is made anew. */
export async function registerDemoOperator(api: OperatorApi): Promise<DemoOperator | null> {
  const body = { name: NAME, displayName: 'Demo operator', roles: ROLES };
  const made = await api.ask('POST', 'operators', body);
  if (made.status === 201) return { name: NAME, link: String(made.body['link']) };
  if (made.body['code'] !== 'operator.name-taken') return null;
  const listed = await api.ask('GET', 'operators');
  const known = ((listed.body['operators'] ?? []) as Known[]).find(({ name }) => name === NAME);
  if (known === undefined || known.isReady) return { name: NAME, link: null };
  const again = await api.ask('POST', `operators/${known.id}/reset`);
  return { name: NAME, link: again.status === 200 ? String(again.body['link']) : null };
}

export const operatorLines = (base: string, operator: DemoOperator | null): string =>
  operator === null
    ? ''
    : operator.link === null
      ? `  console    ${base}/console       sign in as ${operator.name}\n`
      : `  console    ${base}/console       see and steer everything, as ${operator.name}; set the password first:\n             ${operator.link}\n`;
