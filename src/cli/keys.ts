import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { rotateDataKey } from './rotate-data-key.ts';

const help = `Usage: chartgate keys rotate [--url URL] [--json]
       chartgate keys rotate data [--status] [--no-wait] [--url URL] [--json]

rotate makes a new key for the id tokens of the embedded authorization server, at a running gateway. It signs from now on, at every
replica. The public key before it stays in /auth/jwks until the last token that it signed has ended, 65 minutes later.

rotate data retires older data keys. Give CHARTGATE_DATA_KEY as "new,old" and start the gateway (every replica) first: the first key seals what comes.
Then this command has everything that an older key sealed sealed anew by the first, in the background, and shows how far it is. The gateway goes
on with it after a restart. At the end it counts what is still sealed by an older key; when that is nothing, the older key may leave CHARTGATE_DATA_KEY.
Keep it for as long as you keep backups from before.

The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --status    only tell how far it is
  --no-wait   do not wait for the end
  --url URL   where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json      the gateway's answer as one line of JSON

Exit code: 0 done, or nothing to do · 1 refused, or an older key is still needed · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  url: { type: 'string' },
  json: { type: 'boolean' },
  status: { type: 'boolean' },
  'no-wait': { type: 'boolean' },
} as const;

export const keys: Command = {
  name: 'keys',
  summary: 'make a new key for id tokens, or retire older data keys',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, status, 'no-wait': noWait } = parsed.value.values;
    const [verb, what, ...more] = parsed.value.positionals;
    if (verb !== 'rotate' || more.length > 0 || (what !== undefined && what !== 'data'))
      return usage('Say rotate, or rotate data.');
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
