import { setTimeout as pause } from 'node:timers/promises';
import type { AdminReply } from '../admin/index.ts';
import { makeAdminApi, type AdminApi } from './admin-api.ts';
import { makeUsage, type Command, type Terminal } from './command.ts';
import { jobLine, jobText, previewText } from './jobs-report.ts';
import { parseOptions } from './parse-options.ts';
import { makeBar } from './progress.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate jobs start --preview --act ACT --state STATE [--reason REASON] [--fault CODE]
           [--structure NAME] [--word ID] [--user USER_ID [--client UUID]|--mrn MRN] [--from TIME] [--to TIME]
           [--because TEXT] [--url URL] [--json]
       chartgate jobs start ID --confirm N [--no-wait] [--url URL] [--json]
       chartgate jobs list [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate jobs show ID [--wait] [--url URL] [--json]
       chartgate jobs stop ID [--url URL] [--json]

Acts on many deliveries of a running gateway that wait for a person. A preview tells how many deliveries of how many
patients that would be, and an id; the start names the id and confirms the number. Nothing else is moved than was shown,
and nothing that somebody moved meanwhile. It goes on at the gateway, whoever watches, also after a restart. The
operator's token or an API key is taken from CHARTGATE_ADMIN_TOKEN.

  --act ACT         replay or discard
  --state STATE     parked or quarantined
  --reason REASON   those of that reason alone, such as unmapped
  --fault CODE      those of that fault alone, such as patient.none
  --structure NAME  those of that data structure alone
  --word ID         those alone that wait for that unmapped word, as "chartgate deliveries words" shows it
  --user USER_ID    those of that user at the source alone
  --client UUID     of which client that user is (default: the gateway's own)
  --mrn MRN         those of that patient alone
  --from TIME       received then or later, such as 2026-01-31T08:00:00Z
  --to TIME         received before
  --because TEXT    of a discard, which needs it: why, in 3 to 200 characters, with nothing of a patient
  --confirm N       the number of deliveries that the preview told
  --wait, --no-wait watch until it has ended, or do not (start watches, show does not)
  --cursor CURSOR   where the next page of the list begins
  --limit N         how many are listed (default: 50)
  --url URL         where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json            the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  preview: { type: 'boolean' },
  act: { type: 'string' },
  state: { type: 'string' },
  reason: { type: 'string' },
  fault: { type: 'string' },
  structure: { type: 'string' },
  word: { type: 'string' },
  user: { type: 'string' },
  client: { type: 'string' },
  mrn: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  because: { type: 'string' },
  confirm: { type: 'string' },
  wait: { type: 'boolean' },
  'no-wait': { type: 'boolean' },
  cursor: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const CHOICE = [
  'act',
  'state',
  'reason',
  'fault',
  'structure',
  'word',
  'user',
  'client',
  'mrn',
  'from',
  'to',
  'because',
];
/** Which options go with which verb. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  preview: ['preview', ...CHOICE],
  start: ['confirm', 'no-wait'],
  list: ['cursor', 'limit'],
  show: ['wait'],
  stop: [],
};
const EVERY_MS = 500;

type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | boolean>>>;
type Reply = AdminReply<'jobs.get'>;

const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Words go to the gateway as they were given: what is not taken, it refuses with what would be. */
function previewOf(values: Values) {
  const filter = {
    state: textOf(values.state) as 'parked',
    reason: textOf(values.reason),
    fault: textOf(values.fault),
    data_structure: textOf(values.structure),
    word: textOf(values.word),
    user_id: textOf(values.user),
    client_uuid: textOf(values.client),
    mrn: textOf(values.mrn),
    received_from: textOf(values.from),
    received_to: textOf(values.to),
  };
  return { act: textOf(values.act) as 'replay', filter, reason: textOf(values.because) };
}

/** Asks until it has ended, or until the process is to stop. Whoever stops watching does not stop the job. */
async function watch(api: AdminApi, { stderr, stopped }: Terminal, begun: Reply): Promise<Reply> {
  const bar = makeBar(stderr);
  const ended = stopped.then(() => 'stopped' as const);
  let reply = begun;
  while (reply.kind === 'done' && reply.value.state === 'running') {
    const { id, done, total } = reply.value;
    bar.draw(done / total, `${done}/${total} deliveries`);
    if ((await Promise.race([pause(EVERY_MS), ended])) === 'stopped') break;
    reply = await api.call('jobs.get', { params: { id } });
  }
  bar.clear();
  return reply;
}

export const jobs: Command = {
  name: 'jobs',
  summary: 'replay or discard many deliveries: preview, start, list, show and stop',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { values } = parsed.value;
    const [said = '', id, ...more] = parsed.value.positionals;
    const verb = said === 'start' && values.preview === true ? 'preview' : said;
    const takes = TAKES[verb];
    if (takes === undefined || said === 'preview') return usage('Say one of start, list, show, stop.');
    const odd = Object.keys(values).find((name) => ![...takes, 'url', 'json'].includes(name));
    if (odd !== undefined)
      return usage(`${said} does not take --${odd}${verb === 'start' ? ' without --preview' : ''}.`);
    const isOfOne = verb === 'start' || verb === 'show' || verb === 'stop';
    if (more.length > 0 || (id !== undefined) !== isOfOne)
      return usage(`${said} takes ${isOfOne ? 'one id' : 'no id'}${verb === 'start' ? ', or --preview' : ''}.`);
    if (verb === 'preview' && (values.act === undefined || values.state === undefined))
      return usage('A preview needs --act and --state.');
    if (verb === 'start' && !/^\d{1,9}$/.test(values.confirm ?? ''))
      return usage('start needs --confirm with the number that the preview told.');
    const form = values.json === true ? 'json' : 'text';
    const api = makeAdminApi(values.url, terminal.env);
    const params = { id: id ?? '' };
    switch (verb) {
      case 'preview':
        return reportAnswer(await api.call('jobs.preview', { body: previewOf(values) }), terminal, form, previewText);
      case 'start': {
        const body = { preview: params.id, confirm: Number(values.confirm) };
        const begun = await api.call('jobs.start', { body });
        const reply = values['no-wait'] === true ? begun : await watch(api, terminal, begun);
        return reportAnswer<'jobs.get'>(reply, terminal, form, jobText);
      }
      case 'list': {
        const query = { cursor: values.cursor, limit: values.limit };
        return reportAnswer(
          await api.call('jobs.list', { query }),
          terminal,
          form,
          ({ jobs: page, next }) =>
            [...page.map(jobLine), next === null ? '' : `more: --cursor ${next}\n`].join('') || 'no jobs\n',
        );
      }
      case 'show': {
        const found = await api.call('jobs.get', { params });
        const reply = values.wait === true ? await watch(api, terminal, found) : found;
        return reportAnswer<'jobs.get'>(reply, terminal, form, jobText);
      }
      default:
        return reportAnswer(await api.call('jobs.stop', { params }), terminal, form, jobText);
    }
  },
};
