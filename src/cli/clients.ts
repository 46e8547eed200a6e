import { readFile } from 'node:fs/promises';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate clients add --name NAME --kind KIND --scope SCOPE [options] [--url URL] [--json]
       chartgate clients list [--url URL] [--json]
       chartgate clients edit ID [options] [--url URL] [--json]
       chartgate clients disable|enable|remove ID [--url URL] [--json]

The apps that may ask a running gateway for tokens. edit changes what is given and leaves the rest as it is; where the
scope becomes less, what the app was given ends. disable lets it have nothing from that moment on, and ends everything
that it was given. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

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

const VERBS = ['add', 'list', 'edit', 'disable', 'enable', 'remove'] as const;
type Values = Extract<ReturnType<typeof parseOptions<typeof OPTIONS>>, { ok: true }>['value']['values'];

const tellAdded = ({ id, secret }: { readonly id: string; readonly secret: string | null }): string =>
  `${id}\n${secret === null ? '' : `secret: ${secret}\nKeep it now: it is not shown again.\n`}`;
const stateOf = (state: 'active' | 'disabled'): string => (state === 'active' ? '' : '  disabled');

/** What the options say of an app; what is not given is not there. */
function fieldsOf(values: Values, jwks: unknown) {
  const given = {
    name: values.name,
    scope: values.scope,
    redirectUris: values.redirect,
    launchUrl: values['launch-url'],
    origins: values.origin,
    // What is no set of keys, the gateway refuses.
    jwks: jwks as null | undefined,
    jwksUri: values['jwks-url'],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given;
}

export const clients: Command = {
  name: 'clients',
  summary: 'register, list, change and remove apps at a running gateway',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { values, positionals } = parsed.value;
    const [said, id = '', ...more] = positionals;
    const form = values.json === true ? 'json' : 'text';
    const verb = VERBS.find((one) => one === said);
    if (verb === undefined) return usage(`Say one of ${VERBS.join(', ')}.`);
    if (more.length > 0 || (id === '') !== (verb === 'add' || verb === 'list'))
      return usage(`${verb} takes ${verb === 'add' || verb === 'list' ? 'no id' : 'one id'}.`);
    const { name, kind, scope } = values;
    if (verb === 'add' && (name === undefined || kind === undefined || scope === undefined))
      return usage('An app needs --name, --kind and --scope.');
    if (verb !== 'add' && (kind !== undefined || values.id !== undefined))
      return usage('Only add takes --kind and --id.');
    let jwks: unknown;
    if (values.jwks !== undefined)
      try {
        jwks = JSON.parse(await readFile(values.jwks, 'utf8'));
      } catch {
        return usage('The file of --jwks cannot be read as JSON.');
      }
    const fields = fieldsOf(values, jwks);
    const isChange = Object.keys(fields).length > 0;
    if (verb === 'edit' && !isChange) return usage('Say what is to be changed.');
    if (verb !== 'add' && verb !== 'edit' && isChange) return usage(`${verb} takes no options but --url and --json.`);
    const api = makeAdminApi(values.url, terminal.env);
    const params = { id };
    switch (verb) {
      case 'add': {
        // What is none of the kinds, the gateway refuses with the list of them.
        const body = { ...fields, name: name ?? '', kind: kind as 'public', scope: scope ?? '', id: values.id ?? null };
        return reportAnswer(await api.call('apps.add', { body }), terminal, form, tellAdded);
      }
      case 'list':
        return reportAnswer(await api.call('apps.list'), terminal, form, ({ clients: all }) =>
          all.map((one) => `${[one.id, one.kind, one.name, one.scope].join('  ')}${stateOf(one.state)}\n`).join(''),
        );
      case 'edit':
        return reportAnswer(await api.call('apps.edit', { params, body: fields }), terminal, form, () => 'changed\n');
      case 'disable':
        return reportAnswer(await api.call('apps.disable', { params }), terminal, form, () => 'disabled\n');
      case 'enable':
        return reportAnswer(await api.call('apps.enable', { params }), terminal, form, () => 'enabled\n');
      case 'remove':
        return reportAnswer(await api.call('apps.remove', { params }), terminal, form, () => 'removed\n');
    }
  },
};
