import { readFile } from 'node:fs/promises';
import { makeAdminApi } from './admin-api.ts';
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

const tellAdded = ({ id, secret }: { readonly id: string; readonly secret: string | null }): string =>
  `${id}\n${secret === null ? '' : `secret: ${secret}\nKeep it now: it is not shown again.\n`}`;

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
      return reportAnswer(await api.call('apps.list'), terminal, form, ({ clients: all }) =>
        all.map((one) => `${[one.id, one.kind, one.name, one.scope].join('  ')}\n`).join(''),
      );
    if (verb === 'remove') {
      const reply = await api.call('apps.remove', { params: { id: id ?? '' } });
      return reportAnswer(reply, terminal, form, () => 'removed\n');
    }
    // What is none of the kinds, the gateway refuses with the list of them.
    const body = {
      name: name ?? '',
      kind: kind as 'public',
      scope: scope ?? '',
      redirectUris: values.redirect ?? [],
      launchUrl: values['launch-url'] ?? null,
      origins: values.origin ?? [],
      jwks: jwks as null,
      jwksUri: values['jwks-url'] ?? null,
      id: values.id ?? null,
    };
    return reportAnswer(await api.call('apps.add', { body }), terminal, form, tellAdded);
  },
};
