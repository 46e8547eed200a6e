import { readFile } from 'node:fs/promises';
import { makeAdminApi, type AdminAnswer } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate clients add --name NAME --kind KIND --scope SCOPE [options] [--url URL] [--json]
       chartgate clients list [--url URL] [--json]
       chartgate clients remove ID [--url URL] [--json]

The apps that may ask a running gateway for tokens. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --name NAME         what people are shown
  --id ID             an id of your own choice, such as one that the app has already (default: one is made)
  --kind KIND         public, symmetric (a secret, shown once), asymmetric (signs), backend (signs, without a user)
  --scope SCOPE       the most that the app may have, such as "launch openid fhirUser patient/*.rs"
  --redirect URI      where the user is sent back, to the letter; may be repeated
  --launch-url URL    where an EHR launch sends the user
  --origin ORIGIN     a further origin of its pages; may be repeated
  --jwks FILE         its public keys (asymmetric, backend)
  --jwks-url URL      or their address
  --url URL           where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json              the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  id: { type: 'string' },
  name: { type: 'string' },
  kind: { type: 'string' },
  scope: { type: 'string' },
  redirect: { type: 'string', multiple: true },
  'launch-url': { type: 'string' },
  origin: { type: 'string', multiple: true },
  jwks: { type: 'string' },
  'jwks-url': { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const lines = (list: unknown, fields: readonly string[]): string =>
  ((list ?? []) as Record<string, unknown>[])
    .map((one) => `${fields.map((field) => String(one[field])).join('  ')}\n`)
    .join('');

const tellAdded = ({ id, secret }: AdminAnswer['body']): string =>
  `${String(id)}\n${typeof secret === 'string' ? `secret: ${secret}\nKeep it now: it is not shown again.\n` : ''}`;

export const clients: Command = {
  name: 'clients',
  summary: 'register, list and remove apps at a running gateway',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { values, positionals } = parsed.value;
    const [verb, id, ...more] = positionals;
    const form = values.json === true ? 'json' : 'text';
    if (more.length > 0 || (id === undefined) === (verb === 'remove'))
      return usage('Say add, list, or remove and an id.');
    const { name, kind, scope } = values;
    if (verb === 'add' && (name === undefined || kind === undefined || scope === undefined))
      return usage('An app needs --name, --kind and --scope.');
    if (verb !== 'add' && verb !== 'list' && verb !== 'remove') return usage('Say add, list or remove.');
    let jwks: unknown = null;
    if (values.jwks !== undefined)
      try {
        jwks = JSON.parse(await readFile(values.jwks, 'utf8'));
      } catch {
        return usage('The file of --jwks cannot be read as JSON.');
      }
    const api = makeAdminApi(values.url, terminal.env);
    if (verb === 'list')
      return reportAnswer(await api.ask('GET', 'clients'), terminal, form, ({ clients: all }) =>
        lines(all, ['id', 'kind', 'name', 'scope']),
      );
    if (verb === 'remove')
      return reportAnswer(
        await api.ask('DELETE', `clients/${encodeURIComponent(id ?? '')}`),
        terminal,
        form,
        () => 'removed\n',
      );
    const body = {
      name,
      kind,
      scope,
      redirectUris: values.redirect ?? [],
      launchUrl: values['launch-url'] ?? null,
      origins: values.origin ?? [],
      jwks,
      jwksUri: values['jwks-url'] ?? null,
      id: values.id ?? null,
    };
    const answer = await api.ask('POST', 'clients', { type: 'application/json', text: JSON.stringify(body) });
    return reportAnswer(answer, terminal, form, tellAdded);
  },
};
