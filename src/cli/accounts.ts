import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command, type Terminal } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate accounts add --username NAME --name NAME --fhir-user REFERENCE [--subject SUB] [--url URL] [--json]
       chartgate accounts list [--url URL] [--json]
       chartgate accounts reset|reset-factor|unlock|disable|enable|remove ID [--url URL] [--json]

The people who can sign in at a running gateway. For add and reset the password is asked for, or is the first line of
standard input; it is never an argument, where others would see it. With --subject the OpenID provider vouches for the
person, and there is no password. reset-factor takes the second factor away. Both resets and disable end the person's
sessions and tokens at once. unlock forgets wrong passwords, and the waiting that they led to. The operator's token is
taken from CHARTGATE_ADMIN_TOKEN.

  --username NAME         what the person types to sign in
  --name NAME             what is shown
  --fhir-user REFERENCE   who that is at the EHR, such as Practitioner/1
  --subject SUB           what the OpenID provider calls the person
  --url URL               where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json                  the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  username: { type: 'string' },
  name: { type: 'string' },
  'fhir-user': { type: 'string' },
  subject: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** One line, shown to nobody. */
async function readPassword({ stdin, stderr }: Terminal): Promise<string> {
  const isPerson = 'isTTY' in stdin && stdin.isTTY === true;
  if (isPerson) stderr.write('Password (12 characters or more): ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: isPerson });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isPerson) stderr.write('\n');
  }
}

const VERBS = ['add', 'list', 'reset', 'reset-factor', 'unlock', 'disable', 'enable', 'remove'] as const;
const originOf = ({ origin, issuer, secondFactor }: { origin: string; issuer: string | null; secondFactor: string }) =>
  origin === 'provider' ? `by ${issuer ?? ''}` : secondFactor === 'none' ? 'password' : `password and ${secondFactor}`;
const stateOf = (state: 'active' | 'disabled'): string => (state === 'active' ? '' : '  disabled');

export const accounts: Command = {
  name: 'accounts',
  summary: 'add, list, change and remove the people who can sign in',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { username, name, 'fhir-user': fhirUser, subject, url, json } = parsed.value.values;
    const [said, id = '', ...more] = parsed.value.positionals;
    const form = json === true ? 'json' : 'text';
    const verb = VERBS.find((one) => one === said);
    if (verb === undefined) return usage(`Say one of ${VERBS.join(', ')}.`);
    if (more.length > 0 || (id === '') !== (verb === 'add' || verb === 'list'))
      return usage(`${verb} takes ${verb === 'add' || verb === 'list' ? 'no id' : 'one id'}.`);
    const given = [username, name, fhirUser].filter((one) => one !== undefined).length;
    if (given !== (verb === 'add' ? 3 : 0) || (subject !== undefined && verb !== 'add'))
      return usage('add needs --username, --name and --fhir-user; nothing else does.');
    const api = makeAdminApi(url, terminal.env);
    const params = { id };
    switch (verb) {
      case 'add': {
        const proof = subject === undefined ? { password: await readPassword(terminal) } : { subject };
        const body = { username: username ?? '', name: name ?? '', fhirUser: fhirUser ?? '', ...proof };
        return reportAnswer(await api.call('accounts.add', { body }), terminal, form, ({ id: made }) => `${made}\n`);
      }
      case 'list':
        return reportAnswer(await api.call('accounts.list'), terminal, form, ({ accounts: all }) =>
          all
            .map((one) => `${one.id}  ${one.username}  ${one.fhirUser}  ${originOf(one)}${stateOf(one.state)}\n`)
            .join(''),
        );
      case 'reset': {
        const body = { password: await readPassword(terminal) };
        return reportAnswer(await api.call('accounts.reset', { params, body }), terminal, form, () => 'reset\n');
      }
      case 'reset-factor':
        return reportAnswer(await api.call('accounts.resetFactor', { params }), terminal, form, () => 'reset\n');
      case 'unlock':
        return reportAnswer(await api.call('accounts.unlock', { params }), terminal, form, () => 'unlocked\n');
      case 'disable':
        return reportAnswer(await api.call('accounts.disable', { params }), terminal, form, () => 'disabled\n');
      case 'enable':
        return reportAnswer(await api.call('accounts.enable', { params }), terminal, form, () => 'enabled\n');
      case 'remove':
        return reportAnswer(await api.call('accounts.remove', { params }), terminal, form, () => 'removed\n');
    }
  },
};
