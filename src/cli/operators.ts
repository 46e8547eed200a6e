import { makeAdminApi, type AdminApi } from './admin-api.ts';
import { makeUsage, type Command, type Terminal } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate operators add NAME --display-name NAME --roles ROLE,… [--url URL] [--json]
       chartgate operators list [--url URL] [--json]
       chartgate operators show ID [--url URL] [--json]
       chartgate operators roles ID --roles ROLE,… [--url URL] [--json]
       chartgate operators disable|enable|reset|remove ID [--url URL] [--json]
       chartgate operators factors ID [--take-away FACTOR_ID] [--url URL] [--json]

The people who operate a running gateway. add and reset print a one-time link to this terminal: whoever opens it
within 24 hours sets the password. It is shown nowhere else. reset takes password, second factors and sessions away.
factors shows the second factors of one; --take-away ends one that was lost, and their sessions.

Roles, which add up: viewer, engineer, clinical-reviewer, registrar, auditor, administrator.

The token or API key is taken from CHARTGATE_ADMIN_TOKEN.

  --display-name NAME   how the person is shown
  --roles ROLE,…        what the person may
  --take-away FACTOR_ID the second factor that was lost
  --url URL             where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json                the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  'display-name': { type: 'string' },
  roles: { type: 'string' },
  'take-away': { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const VERBS = ['add', 'list', 'show', 'roles', 'disable', 'enable', 'reset', 'remove', 'factors'] as const;
type Verb = (typeof VERBS)[number];
/** What is none of the roles, the gateway refuses with the list of them. */
type Roles = 'viewer'[];

const words = (all: readonly string[]): string => all.join(', ');
const tellLink = (one: { readonly id: string; readonly link: string; readonly linkExpiresAt: string }): string =>
  `${one.id}\nOpen this once, before ${one.linkExpiresAt}, to set the password:\n\n  ${one.link}\n\n`;
const tellDetails = (rows: Readonly<Record<string, string>>): string =>
  Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(15)} ${value}\n`)
    .join('');

const split = (roles: string | undefined): Roles => (roles ?? '').split(',').filter((role) => role !== '') as Roles;

async function act(
  api: AdminApi,
  terminal: Terminal,
  form: 'json' | 'text',
  {
    verb,
    id,
    displayName,
    roles,
    factor,
  }: { verb: Verb; id: string; displayName: string; roles: Roles; factor: string | undefined },
): Promise<number> {
  const params = { id };
  switch (verb) {
    case 'add': {
      const reply = await api.call('operators.add', { body: { name: id, displayName, roles } });
      return reportAnswer(reply, terminal, form, tellLink);
    }
    case 'list':
      return reportAnswer(
        await api.call('operators.list'),
        terminal,
        form,
        ({ operators: all }) =>
          all.map((one) => `${one.id}  ${one.name}  ${one.state}  ${words(one.roles)}\n`).join('') || 'no operators\n',
      );
    case 'show':
      return reportAnswer(await api.call('operators.get', { params }), terminal, form, (one) =>
        tellDetails({
          id: one.id,
          name: one.name,
          'shown as': one.displayName,
          roles: words(one.roles),
          state: one.state,
          'signs in by': one.signsInBy,
          'second factors': words(one.factors) || 'none',
          'last sign-in': one.signedInAt ?? 'never',
        }),
      );
    case 'roles': {
      const reply = await api.call('operators.setRoles', { params, body: { roles } });
      return reportAnswer(reply, terminal, form, (one) => `${words(one.roles)}\n`);
    }
    case 'disable':
      return reportAnswer(await api.call('operators.disable', { params }), terminal, form, () => 'disabled\n');
    case 'enable':
      return reportAnswer(await api.call('operators.enable', { params }), terminal, form, () => 'enabled\n');
    case 'reset':
      return reportAnswer(await api.call('operators.reset', { params }), terminal, form, tellLink);
    case 'factors': {
      if (factor !== undefined) {
        const reply = await api.call('operators.removeFactor', { params: { id, factor } });
        return reportAnswer(reply, terminal, form, () => 'taken away\n');
      }
      return reportAnswer(
        await api.call('operators.factors', { params }),
        terminal,
        form,
        ({ factors }) =>
          factors.map((one) => `${one.id}  ${one.kind}  ${one.label}  last used ${one.usedAt ?? 'never'}\n`).join('') ||
          'no second factor\n',
      );
    }
    case 'remove':
      return reportAnswer(await api.call('operators.remove', { params }), terminal, form, () => 'removed\n');
  }
}

export const operators: Command = {
  name: 'operators',
  summary: 'add, list, change and remove the people who operate the gateway',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { 'display-name': displayName, 'take-away': factor, roles, url, json: asJson } = parsed.value.values;
    const [said, id, ...more] = parsed.value.positionals;
    const verb = VERBS.find((one) => one === said);
    if (verb === undefined) return usage(`Say one of ${VERBS.join(', ')}.`);
    if (more.length > 0 || (id === undefined) !== (verb === 'list'))
      return usage(verb === 'list' ? 'list takes no id.' : `${verb} takes one ${verb === 'add' ? 'name' : 'id'}.`);
    if ((roles !== undefined) !== (verb === 'add' || verb === 'roles'))
      return usage('add and roles need --roles; nothing else takes it.');
    if (displayName !== undefined && verb !== 'add') return usage('Only add takes --display-name.');
    if (factor !== undefined && verb !== 'factors') return usage('Only factors takes --take-away.');
    return act(makeAdminApi(url, terminal.env), terminal, asJson === true ? 'json' : 'text', {
      verb,
      id: id ?? '',
      displayName: displayName ?? id ?? '',
      roles: split(roles),
      factor,
    });
  },
};
