import type { AdminApi } from './admin-api.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';

/** What is none of them, the gateway refuses with the list of those that are. */
const split = <T extends string>(text: string | undefined): T[] =>
  (text ?? '').split(',').filter((one) => one !== '') as T[];

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
  api: AdminApi,
  terminal: Terminal,
  act: KeyAct,
  form: 'json' | 'text',
): Promise<number> {
  switch (act.verb) {
    case 'add': {
      const { name, roles, permissions, days } = act;
      const body = {
        name,
        roles: split<'viewer'>(roles),
        permissions: split<'flow.read'>(permissions),
        ...(days === null ? {} : { days }),
      };
      return reportAnswer(
        await api.call('keys.add', { body }),
        terminal,
        form,
        ({ id, key, expiresAt }) =>
          `${id}, until ${expiresAt ?? 'it is removed'}. Keep it now, it is not shown again:\n\n  ${key}\n\n`,
      );
    }
    case 'list':
      return reportAnswer(
        await api.call('keys.list'),
        terminal,
        form,
        ({ keys }) =>
          keys
            .map(({ id, name, roles, permissions, expiresAt, usedAt }) =>
              [
                id,
                name,
                [...roles, ...permissions].join(', '),
                `until ${expiresAt ?? 'removed'}`,
                `last used ${usedAt ?? 'never'}\n`,
              ].join('  '),
            )
            .join('') || 'no API keys\n',
      );
    case 'remove': {
      const reply = await api.call('keys.remove', { params: { id: act.id } });
      return reportAnswer(reply, terminal, form, () => 'removed\n');
    }
  }
}
