import type { AdminApi } from './admin-api.ts';
import { explainRefusal, makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { tellDeliveries, tellDelivery } from './delivery-report.ts';
import { parseOptions } from './parse-options.ts';
import { answerLine, reportAnswer } from './report-answer.ts';
import { tellGroupPatients, tellGroupWords } from './group-report.ts';
import { tellChanges } from './version-report.ts';

export const LOOK_VERBS = ['list', 'show', 'changes', 'raw', 'patients', 'words'];
export const lookHelp = `Usage: chartgate deliveries list [FILTER…] [--total] [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate deliveries show ID [--reason TEXT] [--url URL] [--json]
       chartgate deliveries changes ID [--reason TEXT] [--url URL] [--json]
       chartgate deliveries raw ID --reason TEXT [--url URL] [--json]
       chartgate deliveries patients --state STATE --why REASON [--fault CODE] [--url URL] [--json]
       chartgate deliveries words --state STATE --why REASON [--fault CODE] [--url URL] [--json]

Deliveries of a running gateway. list shows them newest first; all filters must hold. show tells of one what became of
it: its steps, its attempts and what the EHR said, what it wrote. changes tells what it says otherwise than the version
before of the same document. patients tells whose the deliveries of a group are that waits for a person, words which
codes, units and structures they wait for. raw writes the bytes as they were received to standard output; the reason is
kept in the audit. The token or API key is taken from CHARTGATE_ADMIN_TOKEN; raw needs one with
the permission deliveries.raw.

Filters:
  --state STATE         received, queued, sending, unknown, delivered, superseded, duplicate, parked, quarantined or
                        discarded
  --why REASON          why it is in that state, such as unlinked
  --fault CODE          the fault behind it, such as patient.none
  --finding CODE        a code among its findings, such as code.unmapped
  --word ID             an unmapped word that it is parked for, as words and "chartgate unmapped" show it
  --structure NAME      its data structure
  --mrn MRN             of the patient
  --user USER_ID        of the user at the source
  --client UUID         of which client that user is (default: the gateway's own)
  --assigned-to WHO     who looks after it: nobody, or an operator by name or id
  --request ID          of the request that brought it
  --from INSTANT        received then or later, such as 2026-01-31T08:00:00Z
  --to INSTANT          received before then

  --total               also how many there are: exactly up to 10,000
  --limit N             how many on a page, 1 to 500 (default: 50)
  --cursor CURSOR       the next page, as the one before says, with the same filters
  --reason TEXT         what it is wanted for, with nothing of a patient
  --url URL             where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json                the gateway's answer as one line of JSON; of raw the bytes in base64

Exit code: 0 shown · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const text = { type: 'string' } as const;
/** By which parameter of the API each filter goes. */
const FILTERS = {
  state: 'state',
  why: 'reason',
  fault: 'fault',
  finding: 'finding',
  word: 'word',
  structure: 'data_structure',
  mrn: 'mrn',
  user: 'user_id',
  client: 'client_uuid',
  'assigned-to': 'assigned_to',
  request: 'request_id',
  from: 'received_from',
  to: 'received_to',
} as const;
type FilterName = keyof typeof FILTERS;
const NAMES = Object.keys(FILTERS) as FilterName[];
const OPTIONS = {
  ...(Object.fromEntries(NAMES.map((name) => [name, text])) as Record<FilterName, typeof text>),
  total: { type: 'boolean' },
  limit: text,
  cursor: text,
  reason: text,
  url: text,
  json: { type: 'boolean' },
} as const;
/** Verbs that are about one delivery. */
const OF_ONE = ['show', 'changes', 'raw'];
/** Verbs that are about one group. */
const OF_GROUP = ['patients', 'words'];
const OF_LIST = [...NAMES, 'total', 'limit', 'cursor'] as const;

type Form = 'json' | 'text';
type ListQuery = NonNullable<NonNullable<Parameters<typeof callList>[1]>['query']>;
const callList = (api: AdminApi, ask: Parameters<typeof api.call<'deliveries.list'>>[1]) =>
  api.call('deliveries.list', ask);

async function showRaw(api: AdminApi, id: string, reason: string, terminal: Terminal, form: Form): Promise<number> {
  const reply = await api.call('deliveries.raw', { params: { id }, reason });
  if (reply.kind === 'refused') {
    if (form === 'json') terminal.stdout.write(answerLine(reply));
    else terminal.stderr.write(`${explainRefusal(reply)}\n`);
    return EXIT.failed;
  }
  const bytes = Buffer.from(reply.value);
  terminal.stdout.write(form === 'json' ? `${JSON.stringify({ id, bytes: bytes.toString('base64') })}\n` : bytes);
  return EXIT.ok;
}

async function showGroup(
  api: AdminApi,
  verb: string,
  { state, why, fault }: { readonly state?: string; readonly why?: string; readonly fault?: string },
  terminal: Terminal,
  form: Form,
): Promise<number> {
  const query = { state: state as 'parked', reason: why ?? '', fault };
  if (verb === 'words')
    return reportAnswer(await api.call('deliveries.groupWords', { query }), terminal, form, tellGroupWords);
  return reportAnswer(await api.call('deliveries.groupPatients', { query }), terminal, form, tellGroupPatients);
}

export const lookAtDeliveries: Command['run'] = async (args, terminal) => {
  const parsed = parseOptions(args, OPTIONS, 'some');
  const usage = makeUsage(terminal, lookHelp);
  if (!parsed.ok) return usage(parsed.wrong);
  const { values, positionals } = parsed.value;
  const [verb = '', id, ...more] = positionals;
  const form = values.json === true ? 'json' : 'text';
  const isOfOne = OF_ONE.includes(verb);
  if (!LOOK_VERBS.includes(verb)) return usage(`Say one of ${LOOK_VERBS.join(', ')}.`);
  if (more.length > 0 || (id !== undefined) !== isOfOne)
    return usage(isOfOne ? `${verb} takes one id.` : `${verb} takes no id.`);
  if (isOfOne && OF_LIST.some((name) => values[name] !== undefined)) return usage('Filters are for list.');
  const { reason } = values;
  if (verb === 'raw' && reason === undefined) return usage('raw needs --reason.');
  if (!isOfOne && reason !== undefined)
    return usage(`${verb} takes no --reason; --why filters by the reason of a state.`);
  const api = makeAdminApi(values.url, terminal.env);
  if (verb === 'raw') return showRaw(api, id ?? '', reason ?? '', terminal, form);
  const asked = { params: { id: id ?? '' }, ...(reason === undefined ? {} : { reason }) };
  if (verb === 'show') return reportAnswer(await api.call('deliveries.get', asked), terminal, form, tellDelivery);
  if (verb === 'changes') return reportAnswer(await api.call('deliveries.changes', asked), terminal, form, tellChanges);
  if (OF_GROUP.includes(verb)) {
    if (values.state === undefined || values.why === undefined) return usage(`${verb} needs --state and --why.`);
    return showGroup(api, verb, values, terminal, form);
  }
  const filters = NAMES.flatMap((name) => (values[name] === undefined ? [] : [[FILTERS[name], values[name]]]));
  const query = {
    ...(Object.fromEntries(filters) as ListQuery),
    with_total: values.total === true,
    ...(values.limit === undefined ? {} : { limit: values.limit }),
    ...(values.cursor === undefined ? {} : { cursor: values.cursor }),
  };
  return reportAnswer(await callList(api, { query }), terminal, form, tellDeliveries);
};
