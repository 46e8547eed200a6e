import { makeOperatorApi, reportOperatorAnswer, type OperatorAnswer, type OperatorApi } from './operator-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';

const help = `Usage: chartgate operators add NAME --display-name NAME --roles ROLE,… [--url URL] [--json]
       chartgate operators list [--url URL] [--json]
       chartgate operators show ID [--url URL] [--json]
       chartgate operators roles ID --roles ROLE,… [--url URL] [--json]
       chartgate operators disable|enable|reset|remove ID [--url URL] [--json]

The people who operate a running gateway. add and reset print a one-time link to this terminal: whoever opens it
within 24 hours sets the password. It is shown nowhere else. reset takes password, second factors and sessions away.

Roles, which add up: viewer, engineer, clinical-reviewer, registrar, auditor, administrator.

The token or API key is taken from CHARTGATE_ADMIN_TOKEN.

  --display-name NAME   how the person is shown
  --roles ROLE,…        what the person may
  --url URL             where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json                the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  'display-name': { type: 'string' },
  roles: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const VERBS = ['add', 'list', 'show', 'roles', 'disable', 'enable', 'reset', 'remove'] as const;
type Verb = (typeof VERBS)[number];
type Body = OperatorAnswer['body'];

const words = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');
const line = (one: Body): string =>
  `${String(one['id'])}  ${String(one['name'])}  ${String(one['state'])}  ${words(one['roles'])}\n`;
const details = (one: Body): string =>
  [
    ['id', one['id']],
    ['name', one['name']],
    ['shown as', one['displayName']],
    ['roles', words(one['roles'])],
    ['state', one['state']],
    ['signs in by', one['signsInBy']],
    ['second factors', words(one['factors']) || 'none'],
    ['last sign-in', one['signedInAt'] ?? 'never'],
  ]
    .map(([name, value]) => `${String(name).padEnd(15)} ${String(value)}\n`)
    .join('');
const link = (one: Body): string =>
  `${String(one['id'])}\nOpen this once, before ${String(one['linkExpiresAt'])}, to set the password:\n\n  ${String(one['link'])}\n\n`;

const TELL: Readonly<Record<Verb, (body: Body) => string>> = {
  add: link,
  list: ({ operators }) => ((operators ?? []) as Body[]).map(line).join('') || 'no operators\n',
  show: details,
  roles: ({ roles }) => `${words(roles)}\n`,
  disable: () => 'disabled\n',
  enable: () => 'enabled\n',
  reset: link,
  remove: () => 'removed\n',
};

const split = (roles: string | undefined): string[] => (roles ?? '').split(',').filter((role) => role !== '');

function ask(
  api: OperatorApi,
  verb: Verb,
  id: string,
  given: { displayName: string; roles: string[] },
): Promise<OperatorAnswer> {
  const one = `operators/${encodeURIComponent(id)}`;
  switch (verb) {
    case 'add':
      return api.ask('POST', 'operators', { name: id, ...given });
    case 'list':
      return api.ask('GET', 'operators');
    case 'show':
      return api.ask('GET', one);
    case 'roles':
      return api.ask('PUT', `${one}/roles`, { roles: given.roles });
    case 'remove':
      return api.ask('DELETE', one);
    case 'disable':
    case 'enable':
    case 'reset':
      return api.ask('POST', `${one}/${verb}`);
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
    const { 'display-name': displayName, roles, url, json: asJson } = parsed.value.values;
    const [said, id, ...more] = parsed.value.positionals;
    const verb = VERBS.find((one) => one === said);
    if (verb === undefined) return usage(`Say one of ${VERBS.join(', ')}.`);
    if (more.length > 0 || (id === undefined) !== (verb === 'list'))
      return usage(verb === 'list' ? 'list takes no id.' : `${verb} takes one ${verb === 'add' ? 'name' : 'id'}.`);
    if ((roles !== undefined) !== (verb === 'add' || verb === 'roles'))
      return usage('add and roles need --roles; nothing else takes it.');
    if (displayName !== undefined && verb !== 'add') return usage('Only add takes --display-name.');
    const given = { displayName: displayName ?? id ?? '', roles: split(roles) };
    const answer = await ask(makeOperatorApi(url, terminal.env), verb, id ?? '', given);
    return reportOperatorAnswer(answer, terminal, asJson === true ? 'json' : 'text', TELL[verb]);
  },
};
