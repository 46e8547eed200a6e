import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { subscriptionLine, subscriptionText } from './subscriptions-report.ts';

const help = `Usage: chartgate subscriptions list [--state STATE] [--client ID] [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate subscriptions show ID [--url URL] [--json]
       chartgate subscriptions end ID [--url URL] [--json]

Shows what apps of a running gateway are told of: each subscription with its topic and state, its newest event, what its
endpoint has taken, and what went wrong. An ended one is off for good, and its app sees that an operator has ended it.
The operator's token or an API key is taken from CHARTGATE_ADMIN_TOKEN.

  --state STATE    those in that state alone: requested, active, error or off
  --client ID      those of that app alone
  --cursor CURSOR  where the next page of the list begins
  --limit N        how many are listed (default: 50)
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  state: { type: 'string' },
  client: { type: 'string' },
  cursor: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const TAKES: Readonly<Record<string, readonly string[]>> = {
  list: ['state', 'client', 'cursor', 'limit'],
  show: [],
  end: [],
};

export const subscriptions: Command = {
  name: 'subscriptions',
  summary: 'what apps are told of: list, show and end',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { values } = parsed.value;
    const [verb = '', id, ...more] = parsed.value.positionals;
    const takes = TAKES[verb];
    if (takes === undefined) return usage('Say one of list, show, end.');
    const odd = Object.keys(values).find((name) => ![...takes, 'url', 'json'].includes(name));
    if (odd !== undefined) return usage(`${verb} does not take --${odd}.`);
    const isOfOne = verb !== 'list';
    if (more.length > 0 || (id !== undefined) !== isOfOne)
      return usage(`${verb} takes ${isOfOne ? 'one id' : 'no id'}.`);
    const form = values.json === true ? 'json' : 'text';
    const api = makeAdminApi(values.url, terminal.env);
    const params = { id: id ?? '' };
    if (verb === 'show')
      return reportAnswer(await api.call('subscriptions.get', { params }), terminal, form, subscriptionText);
    if (verb === 'end')
      return reportAnswer(await api.call('subscriptions.end', { params }), terminal, form, subscriptionText);
    // A word goes to the gateway as it was given: what is not taken, it refuses with what would be.
    const state = values.state as 'active' | undefined;
    const query = { state, client_id: values.client, cursor: values.cursor, limit: values.limit };
    return reportAnswer(
      await api.call('subscriptions.list', { query }),
      terminal,
      form,
      ({ subscriptions: page, next }) =>
        [...page.map(subscriptionLine), next === null ? '' : `more: --cursor ${next}\n`].join('') ||
        'no subscriptions\n',
    );
  },
};
