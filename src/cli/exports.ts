import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate exports list [--client ID] [--state STATE] [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate exports show ID [--url URL] [--json]
       chartgate exports end ID [--url URL] [--json]

Bulk exports of apps at a running gateway, newest first: how far each is, how much it has, and until when its files can
be fetched. end stops one and destroys its files. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --client ID      of this app
  --state STATE    running, complete, failed, deleted, ended or expired
  --cursor CURSOR  where the next page begins
  --limit N        how many of them, 1 to 500 (default: 50)
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  client: { type: 'string' },
  state: { type: 'string' },
  cursor: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Export = AnswerOf<ContractOf<'exports.get'>>;

const levelOf = ({ level, group }: Export): string => (group === null ? level : `${level} ${group}`);

const exportLine = (one: Export): string =>
  `${one.id}  ${one.startedAt}  ${one.clientId}  ${levelOf(one)}  ${one.state} ${one.patients.done}/${one.patients.total}  ${one.resources} resources\n`;

const exportText = (one: Export): string =>
  [
    ['id', one.id],
    ['app', one.clientId],
    ['of', levelOf(one)],
    ['types', one.types?.join(', ') ?? 'all that the app may read'],
    ['since', one.since ?? 'the beginning'],
    ['state', one.state],
    ['patients', `${one.patients.done} of ${one.patients.total} done, ${one.patients.failed} could not be read`],
    ['resources', `${one.resources} in ${one.bytes} bytes`],
    ...(one.error === null ? [] : [['error', one.error]]),
    ['started', one.startedAt],
    ['ended', one.endedAt ?? 'not yet'],
    ['expires', one.expiresAt ?? '-'],
    ['request', one.requestId],
  ]
    .map(([name = '', value = '']) => `${name.padEnd(10)} ${value}\n`)
    .join('');

export const exports: Command = {
  name: 'exports',
  summary: 'list, show and end bulk exports of apps',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { values } = parsed.value;
    const [verb = '', id, ...more] = parsed.value.positionals;
    if (!['list', 'show', 'end'].includes(verb)) return usage('Say one of list, show, end.');
    const isOfOne = verb !== 'list';
    if (more.length > 0 || (id !== undefined) !== isOfOne)
      return usage(`${verb} takes ${isOfOne ? 'one id' : 'no id'}.`);
    const { client, state, cursor, limit } = values;
    const odd = isOfOne
      ? Object.entries({ client, state, cursor, limit }).find(([, value]) => value !== undefined)
      : undefined;
    if (odd !== undefined) return usage(`${verb} does not take --${odd[0]}.`);
    const form = values.json === true ? 'json' : 'text';
    const api = makeAdminApi(values.url, terminal.env);
    const params = { id: id ?? '' };
    if (verb === 'show') return reportAnswer(await api.call('exports.get', { params }), terminal, form, exportText);
    if (verb === 'end') return reportAnswer(await api.call('exports.end', { params }), terminal, form, exportText);
    // A state goes to the gateway as it was given: what is not taken, it refuses with what would be.
    const query = { client_id: client, state: state as 'running' | undefined, cursor, limit };
    return reportAnswer(
      await api.call('exports.list', { query }),
      terminal,
      form,
      ({ exports: page, next }) =>
        [...page.map(exportLine), next === null ? '' : `more: --cursor ${next}\n`].join('') || 'no exports\n',
    );
  },
};
