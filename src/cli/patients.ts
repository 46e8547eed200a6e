import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { moreLine } from './targets-report.ts';

const help = `Usage: chartgate patients list [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate patients timeline MRN [--limit N] [--cursor CURSOR] [--url URL] [--json]

Patients of a running gateway. list shows those with a confirmed link, the last linked first; timeline what happened to
one: links, deliveries and documents, newest first. Both are recorded as a look at these patients. The token or API key
is taken from CHARTGATE_ADMIN_TOKEN.

  --limit N        how many are shown (default: 50)
  --cursor CURSOR  where the next page begins
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  limit: { type: 'string' },
  cursor: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Event = AnswerOf<ContractOf<'patients.timeline'>>['events'][number];

function tellEvent(event: Event): string {
  switch (event.kind) {
    case 'delivery': {
      const reason = event.reason === null ? '' : ` (${event.reason})`;
      return `${event.at}  delivery  ${event.dataStructure ?? 'unknown'}  ${event.state}${reason}  ${event.deliveryId}\n`;
    }
    case 'link':
      return `${event.at}  link  ${event.status} since ${event.changedAt}  by ${event.by}  ${event.linkId}\n`;
    case 'request':
      return `${event.at}  ${event.what}  ${event.arrivedAt === null ? 'waited for' : `came ${event.arrivedAt}`}  ${event.id}\n`;
  }
}

const tellList = ({ patients: all, next }: AnswerOf<ContractOf<'patients.list'>>): string =>
  all
    .map(
      ({ mrn, users, connections, lastDeliveryAt }) =>
        `${mrn}  ${users} users  ${connections} connections  last delivery ${lastDeliveryAt ?? 'never'}\n`,
    )
    .join('') + moreLine(next);

const tellTimeline = ({ events, next }: AnswerOf<ContractOf<'patients.timeline'>>): string =>
  (events.length === 0 ? 'nothing\n' : events.map(tellEvent).join('')) + moreLine(next);

export const patients: Command = {
  name: 'patients',
  summary: 'patients with a link, and what happened to one of them',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, ...query } = parsed.value.values;
    const [verb, mrn, ...more] = parsed.value.positionals;
    const form = json === true ? 'json' : 'text';
    if (verb === 'list' && mrn === undefined) {
      const reply = await makeAdminApi(url, terminal.env).call('patients.list', { query });
      return reportAnswer(reply, terminal, form, tellList);
    }
    if (verb !== 'timeline' || mrn === undefined || more.length > 0) return usage('Say list, or timeline MRN.');
    const reply = await makeAdminApi(url, terminal.env).call('patients.timeline', { params: { mrn }, query });
    return reportAnswer(reply, terminal, form, tellTimeline);
  },
};
