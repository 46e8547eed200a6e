import type { AdminReply, AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { answerLine, reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate link USER_ID MRN [--client UUID] [--propose] [--evidence TEXT] [--url URL] [--json]
       chartgate link USER_ID --revoke [--charted keep|retract] [--yes] [--reason TEXT] [--client UUID] [--url URL]
                               [--json]

Tells a running gateway which patient a source user is. What waited for it is released; another MRN than before takes
what was written out of the old chart and writes it to the new one. The operator's token is taken from
CHARTGATE_ADMIN_TOKEN.

  --client UUID     the user's client at the source (default: the gateway's CHARTGATE_CLIENT_UUID)
  --propose         only propose: nothing goes out before it is confirmed
  --evidence TEXT   how this is known, for whoever asks later
  --revoke          the user is nobody's any longer
  --charted WORD    with --revoke: what was written to the chart stays (keep) or is withdrawn from it (retract);
                    default: the gateway's CHARTGATE_ON_REVOKE. What would be withdrawn is shown first, and withdrawn
                    only with --yes
  --yes             with --revoke: withdraw it
  --reason TEXT     with --revoke: why you look at what would be withdrawn, where the patient is restricted
  --url URL         where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json            the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  client: { type: 'string' },
  evidence: { type: 'string' },
  url: { type: 'string' },
  propose: { type: 'boolean' },
  revoke: { type: 'boolean' },
  charted: { type: 'string' },
  reason: { type: 'string' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const COUNTS = [
  ['released', 'released'],
  ['requeued', 'queued again'],
  ['retracting', 'documents to be taken out of the chart'],
  ['unrepeatable', 'cannot be written again, since their bytes are gone'],
  ['parked', 'wait for a link again'],
] as const;

type Outcome = AnswerOf<ContractOf<'links.put'>>;

function sentence(body: Outcome): string {
  const counts = COUNTS.filter(([name]) => body[name] > 0).map(([name, words]) => `  ${body[name]} ${words}\n`);
  const rest = !body.isSettled ? '  more are being moved; the gateway goes on by itself\n' : '';
  return `${body.id} is ${body.status} (${body.change})\n${counts.join('')}${rest}`;
}

/** What would be withdrawn, by day and type. */
function previewText({ total, resources }: AnswerOf<ContractOf<'links.charted'>>): string {
  const lines = resources.map(
    ({ day, resourceType, group, count }) => `  ${day ?? 'no day'}  ${resourceType}  ${group}  ${count}\n`,
  );
  return `Nothing was done. ${total} resources would be withdrawn from the chart:\n${lines.join('')}Say --yes to withdraw them, or --charted keep to leave them.\n`;
}

export const link: Command = {
  name: 'link',
  summary: 'tell a running gateway which patient a source user is',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { client, evidence, url, propose, revoke, charted, yes, reason, json } = parsed.value.values;
    const [user, mrn, ...more] = parsed.value.positionals;
    if (user === undefined || more.length > 0 || (mrn === undefined) !== (revoke === true))
      return usage(revoke === true ? 'Name the user alone.' : 'Name the user and the MRN.');
    if (revoke === true && (propose === true || evidence !== undefined))
      return usage('--revoke goes with neither --propose nor --evidence.');
    if (revoke !== true && (charted !== undefined || yes === true || reason !== undefined))
      return usage('--charted, --yes and --reason go with --revoke.');
    if (charted !== undefined && charted !== 'keep' && charted !== 'retract')
      return usage('--charted is keep or retract.');
    const api = makeAdminApi(url, terminal.env);
    const form = json === true ? 'json' : 'text';
    const params = { user_id: user };
    if (revoke === true && yes !== true && charted !== 'keep') {
      const why = reason === undefined ? {} : { reason };
      const preview = await api.call('links.charted', { params, query: { client_uuid: client }, ...why });
      // Whoever may not see what would be withdrawn has not agreed to it.
      if (preview.kind === 'refused') return reportAnswer(preview, terminal, form, () => '');
      if (preview.value.total > 0 && (charted ?? preview.value.onRevoke) === 'retract') {
        terminal.stdout.write(json === true ? answerLine(preview) : previewText(preview.value));
        return EXIT.failed;
      }
    }
    const status = propose === true ? ('proposed' as const) : ('confirmed' as const);
    const body = {
      mrn: mrn ?? '',
      status,
      ...(evidence === undefined ? {} : { evidence }),
      ...(client === undefined ? {} : { client_uuid: client }),
    };
    const reply: AdminReply<'links.put'> =
      revoke === true
        ? await api.call('links.revoke', { params, query: { client_uuid: client, charted } })
        : await api.call('links.put', { params, body });
    const code = reportAnswer(reply, terminal, form, sentence);
    if (reply.kind === 'done' && reply.value.isForeignClient === true)
      terminal.stderr.write(
        'Warning: the gateway takes deliveries of another client (CHARTGATE_CLIENT_UUID); of this one nothing will come.\n',
      );
    return code;
  },
};
