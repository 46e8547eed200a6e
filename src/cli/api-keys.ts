import { reportOperatorAnswer, type OperatorAnswer, type OperatorApi } from './operator-api.ts';
import type { Terminal } from './command.ts';

type Body = OperatorAnswer['body'];

const split = (text: string | undefined): string[] => (text ?? '').split(',').filter((one) => one !== '');
const words = (...lists: readonly unknown[]): string =>
  lists.flatMap((list) => (Array.isArray(list) ? (list as string[]) : [])).join(', ');
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const line = (one: Body): string =>
  [
    one['id'],
    one['name'],
    words(one['roles'], one['permissions']),
    `until ${textOr(one['expiresAt'], 'removed')}`,
    `last used ${textOr(one['usedAt'], 'never')}`,
  ].join('  ') + '\n';

/** What `keys add`, `list` and `remove` were told. */
export type KeyAct =
  | {
      readonly verb: 'add';
      readonly name: string;
      readonly roles: string | undefined;
      readonly permissions: string | undefined;
      readonly days: number | null;
    }
  | { readonly verb: 'list' }
  | { readonly verb: 'remove'; readonly id: string };

/** API keys for machines. A new one is shown on this terminal and never again. */
export async function changeApiKeys(
  api: OperatorApi,
  terminal: Terminal,
  act: KeyAct,
  form: 'json' | 'text',
): Promise<number> {
  switch (act.verb) {
    case 'add': {
      const { name, roles, permissions, days } = act;
      const body = {
        name,
        roles: split(roles),
        permissions: split(permissions),
        ...(days === null ? {} : { days }),
      };
      const answer = await api.ask('POST', 'keys', body);
      return reportOperatorAnswer(
        answer,
        terminal,
        form,
        ({ id, key, expiresAt }) =>
          `${String(id)}, until ${textOr(expiresAt, 'it is removed')}. Keep it now, it is not shown again:\n\n  ${String(key)}\n\n`,
      );
    }
    case 'list':
      return reportOperatorAnswer(
        await api.ask('GET', 'keys'),
        terminal,
        form,
        ({ keys }) => ((keys ?? []) as Body[]).map(line).join('') || 'no API keys\n',
      );
    case 'remove':
      return reportOperatorAnswer(
        await api.ask('DELETE', `keys/${encodeURIComponent(act.id)}`),
        terminal,
        form,
        () => 'removed\n',
      );
  }
}
