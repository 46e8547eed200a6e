import { makeAdminApi } from './admin-api.ts';
import { changeApiKeys, type KeyAct } from './api-keys.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { rotateDataKey } from './rotate-data-key.ts';
import { rotateEhrKey } from './rotate-ehr-key.ts';

const help = `Usage: chartgate keys add NAME [--roles ROLE,…] [--permissions PERMISSION,…] [--days N] [--url URL] [--json]
       chartgate keys list [--url URL] [--json]
       chartgate keys remove ID [--url URL] [--json]
       chartgate keys rotate [--url URL] [--json]
       chartgate keys rotate data [--status] [--no-wait] [--url URL] [--json]
       chartgate keys rotate ehr [--stdout] [--json]

add makes an API key for a machine, with roles, permissions by name, or both, and shows it on this terminal once. Raw
bodies and the export of the audit are given by name alone: --permissions deliveries.raw,audit.export. list says when
each was last used.

rotate makes a new key for the id tokens of the embedded authorization server, at a running gateway. It signs from now
on, at every replica. The public key before it stays in /auth/jwks until the last token that it signed has ended, 65
minutes later.

rotate data retires older data keys. Give CHARTGATE_DATA_KEY as "new,old" and start the gateway (every replica) first:
the first key seals what comes. Then this command has everything that an older key sealed sealed anew by the first, in
the background, and shows how far it is. The gateway goes on with it after a restart. At the end it counts what is
still sealed by an older key; when that is nothing, the older key may leave CHARTGATE_DATA_KEY. Keep it for as long as
you keep backups from before.

rotate ehr changes the keys by which an EHR knows us, in the file that CHARTGATE_EHR_PRIVATE_KEY_FILE names: the first
time it adds the next key, which the EHR finds at /ehr/jwks.json beside the present one; from then on the next key
becomes the present one, another is next, and the one before stays published. No gateway is asked; restart it to take
them. It is not for keys that were registered by hand, unless the new ones are registered there before.

The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --roles ROLE,…              what the machine may: viewer, engineer, clinical-reviewer, registrar, auditor,
                              administrator
  --permissions PERMISSION,…  and beside that
  --days N                    how long the key is good, at most 730 (default: until it is removed)
  --status    only tell how far it is
  --no-wait   do not wait for the end
  --stdout    print the new private keys, for a store of secrets, and leave the file as it is
  --url URL   where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json      the gateway's answer as one line of JSON

Exit code: 0 done, or nothing to do · 1 refused, or an older key is still needed · 2 wrong arguments · 69 no gateway
there
`;

const OPTIONS = {
  url: { type: 'string' },
  json: { type: 'boolean' },
  status: { type: 'boolean' },
  'no-wait': { type: 'boolean' },
  stdout: { type: 'boolean' },
  roles: { type: 'string' },
  permissions: { type: 'string' },
  days: { type: 'string' },
} as const;

type Given = { readonly [K in 'roles' | 'permissions' | 'days']?: string | undefined };

/** Null where the arguments are not those of add, list or remove. */
function keyActOf(verb: string | undefined, rest: readonly string[], given: Given): KeyAct | null {
  const [what, ...more] = rest;
  const { roles, permissions, days } = given;
  const hasGrants = [roles, permissions, days].some((one) => one !== undefined);
  if (verb === 'list') return what === undefined && !hasGrants ? { verb } : null;
  if (what === undefined || more.length > 0) return null;
  if (verb === 'remove') return hasGrants ? null : { verb, id: what };
  if (verb !== 'add' || (roles === undefined && permissions === undefined)) return null;
  if (days !== undefined && !/^[1-9]\d{0,2}$/.test(days)) return null;
  return { verb, name: what, roles, permissions, days: days === undefined ? null : Number(days) };
}

export const keys: Command = {
  name: 'keys',
  summary: 'API keys for machines; a new key for id tokens or the EHR; retire older data keys',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, status, 'no-wait': noWait, stdout } = parsed.value.values;
    const [verb, what, ...more] = parsed.value.positionals;
    if (verb === 'add' || verb === 'list' || verb === 'remove') {
      const act = keyActOf(verb, parsed.value.positionals.slice(1), parsed.value.values);
      if (act === null || status === true || noWait === true)
        return usage('Say add NAME with --roles or --permissions, list, or remove ID.');
      return changeApiKeys(makeAdminApi(url, terminal.env), terminal, act, json === true ? 'json' : 'text');
    }
    if (verb !== 'rotate' || more.length > 0 || (what !== undefined && what !== 'data' && what !== 'ehr'))
      return usage('Say add, list, remove, rotate, rotate data, or rotate ehr.');
    if (stdout === true && what !== 'ehr') return usage('--stdout is of rotate ehr.');
    if (what === 'ehr') {
      if (status === true || noWait === true || url !== undefined)
        return usage('rotate ehr asks no gateway: it takes --stdout and --json.');
      return rotateEhrKey(terminal, stdout === true ? 'stdout' : 'file', json === true ? 'json' : 'text');
    }
    const api = makeAdminApi(url, terminal.env);
    if (what === 'data')
      return rotateDataKey(api, terminal, {
        begin: status !== true,
        wait: status !== true && noWait !== true,
        form: json === true ? 'json' : 'text',
      });
    if (status === true || noWait === true) return usage('--status and --no-wait are of rotate data.');
    const reply = await api.call('keys.rotateIdToken');
    return reportAnswer(reply, terminal, json === true ? 'json' : 'text', ({ kid, retiring }) =>
      [
        `id tokens are signed with ${kid} from now on\n`,
        ...retiring.map((one) => `${one.kid} stays in /auth/jwks until ${one.until}\n`),
      ].join(''),
    );
  },
};
