import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate grants list --client ID [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate grants list --account ID [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate grants end ID [--url URL] [--json]

What an app or a person was given at a running gateway and still has, newest first: what people allowed apps (grt_),
sessions of people (ses_), and tokens of apps that act for themselves (tok_), each with its last use. end takes one of
them back, with every token that hangs on it. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --client ID      of this app
  --account ID     of this person
  --cursor CURSOR  where the next page begins
  --limit N        how many of them, 1 to 500 (default: 50)
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  client: { type: 'string' },
  account: { type: 'string' },
  cursor: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const grants: Command = {
  name: 'grants',
  summary: 'list what apps and people were given, and end it',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { client, account, cursor, limit, url, json } = parsed.value.values;
    const [verb, id, ...more] = parsed.value.positionals;
    const form = json === true ? 'json' : 'text';
    const isListed = [client, account, cursor, limit].some((one) => one !== undefined);
    if (verb === 'end') {
      if (id === undefined || more.length > 0 || isListed) return usage('end takes one id, and no other option.');
      const reply = await makeAdminApi(url, terminal.env).call('grants.end', { params: { id } });
      return reportAnswer(reply, terminal, form, () => 'ended\n');
    }
    if (verb !== 'list' || id !== undefined) return usage('Say list, or end and an id.');
    if ((client === undefined) === (account === undefined)) return usage('list takes one of --client and --account.');
    const query = { client_id: client, account_id: account, cursor, limit };
    const reply = await makeAdminApi(url, terminal.env).call('grants.list', { query });
    return reportAnswer(reply, terminal, form, ({ grants: all, next }) =>
      [
        ...all.map((one) =>
          [
            one.id,
            one.clientId ?? 'any app',
            one.accountId ?? 'no person',
            `made ${one.madeAt}`,
            `last used ${one.usedAt ?? 'never'}`,
            `until ${one.until}\n`,
          ].join('  '),
        ),
        all.length === 0 ? 'nothing\n' : '',
        next === null ? '' : `more: --cursor ${next}\n`,
      ].join(''),
    );
  },
};
