import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { moreLine } from './targets-report.ts';

const help = `Usage: chartgate patients list [--reason TEXT] [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate patients timeline MRN [--reason TEXT] [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate patients restrict MRN [--reason TEXT] [--url URL] [--json]
       chartgate patients unrestrict MRN [--reason TEXT] [--url URL] [--json]
       chartgate patients restrictions [--reason TEXT] [--limit N] [--cursor CURSOR] [--url URL] [--json]

Patients of a running gateway. list shows those with a confirmed link, the last linked first; timeline what happened to
one: links, deliveries and documents, newest first. From restrict on nobody is shown anything of a patient without
saying why, until unrestrict; restrictions shows who is restricted, newest first. Whatever is shown is recorded as a
look at these patients. The token or API key is taken from CHARTGATE_ADMIN_TOKEN.

  --reason TEXT    why, in 3 to 200 characters, with nothing of a patient; it is kept in the audit
  --limit N        how many are shown (default: 50)
  --cursor CURSOR  where the next page begins
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  reason: { type: 'string' },
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

const tellRestrictions = ({ patients: all, next }: AnswerOf<ContractOf<'restrictions.list'>>): string =>
  (all.length === 0
    ? 'nobody is restricted\n'
    : all.map(({ mrn, actor, madeAt }) => `${mrn}  since ${madeAt}  by ${actor}\n`).join('')) + moreLine(next);

/** Whether each verb names a patient, and whether it shows a list. */
const TAKES: Readonly<Record<string, { readonly isOfOne: boolean; readonly isList: boolean }>> = {
  list: { isOfOne: false, isList: true },
  timeline: { isOfOne: true, isList: true },
  restrict: { isOfOne: true, isList: false },
  unrestrict: { isOfOne: true, isList: false },
  restrictions: { isOfOne: false, isList: true },
};

export const patients: Command = {
  name: 'patients',
  summary: 'patients with a link, what happened to one of them, and at whom nobody looks without saying why',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, reason, ...query } = parsed.value.values;
    const [verb = '', mrn = '', ...more] = parsed.value.positionals;
    const takes = TAKES[verb];
    if (takes === undefined || more.length > 0 || (mrn !== '') !== takes.isOfOne)
      return usage('Say list, timeline MRN, restrict MRN, unrestrict MRN or restrictions.');
    if (!takes.isList && Object.keys(query).length > 0) return usage(`${verb} takes no --limit and no --cursor.`);
    const form = json === true ? 'json' : 'text';
    const api = makeAdminApi(url, terminal.env);
    const why = reason === undefined ? {} : { reason };
    const params = { mrn };
    switch (verb) {
      case 'list':
        return reportAnswer(await api.call('patients.list', { query, ...why }), terminal, form, tellList);
      case 'timeline':
        return reportAnswer(
          await api.call('patients.timeline', { params, query, ...why }),
          terminal,
          form,
          tellTimeline,
        );
      case 'restrict': {
        const reply = await api.call('restrictions.put', { params, ...why });
        return reportAnswer(
          reply,
          terminal,
          form,
          () => `${mrn} is restricted: nobody is shown it without saying why\n`,
        );
      }
      case 'unrestrict': {
        const reply = await api.call('restrictions.remove', { params, ...why });
        return reportAnswer(reply, terminal, form, () => `${mrn} is not restricted\n`);
      }
      default:
        return reportAnswer(await api.call('restrictions.list', { query, ...why }), terminal, form, tellRestrictions);
    }
  },
};
