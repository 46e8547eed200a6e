import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command, type Terminal } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate accounts add --username NAME --name NAME --fhir-user REFERENCE [--url URL] [--json]
       chartgate accounts list [--url URL] [--json]
       chartgate accounts remove ID [--url URL] [--json]

The people who can sign in at a running gateway. The password is asked for, or is the first line of standard input; it
is never an argument, where others would see it. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --username NAME         what the person types to sign in
  --name NAME             what is shown
  --fhir-user REFERENCE   who that is at the EHR, such as Practitioner/1
  --url URL               where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json                  the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  username: { type: 'string' },
  name: { type: 'string' },
  'fhir-user': { type: 'string' },
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

export const accounts: Command = {
  name: 'accounts',
  summary: 'add, list and remove the people who can sign in',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { username, name, 'fhir-user': fhirUser, url, json } = parsed.value.values;
    const [verb, id, ...more] = parsed.value.positionals;
    const form = json === true ? 'json' : 'text';
    if (verb !== 'add' && verb !== 'list' && verb !== 'remove') return usage('Say add, list or remove.');
    if (more.length > 0 || (id === undefined) === (verb === 'remove'))
      return usage('Only remove takes an id, and needs one.');
    const isWhole = username !== undefined && name !== undefined && fhirUser !== undefined;
    if (verb === 'add' && !isWhole) return usage('A person needs --username, --name and --fhir-user.');
    const api = makeAdminApi(url, terminal.env);
    if (verb === 'list')
      return reportAnswer(await api.call('accounts.list'), terminal, form, ({ accounts: all }) =>
        all.map((one) => `${one.id}  ${one.username}  ${one.fhirUser}\n`).join(''),
      );
    if (verb === 'remove') {
      const reply = await api.call('accounts.remove', { params: { id: id ?? '' } });
      return reportAnswer(reply, terminal, form, () => 'removed\n');
    }
    const body = {
      username: username ?? '',
      name: name ?? '',
      fhirUser: fhirUser ?? '',
      password: await readPassword(terminal),
    };
    return reportAnswer(await api.call('accounts.add', { body }), terminal, form, ({ id: made }) => `${made}\n`);
  },
};
