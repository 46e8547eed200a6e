import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate erase USER_ID [--yes] [--client UUID] [--url URL] [--json]

Destroys what a running gateway stores of a source user: bodies, user ids, MRN, findings and the user's key. The audit
stays, under pseudonyms, and so do digests of what was written to the chart. Without --yes it only tells what would be
destroyed and what would be left, table by table, and why. The link must be revoked before (chartgate link USER_ID
--revoke). What comes later of the same user is dropped until somebody links the user anew. The operator's token is
taken from CHARTGATE_ADMIN_TOKEN.

  --yes          destroy it; there is no way back but a backup
  --client UUID  the user's client at the source (default: the gateway's CHARTGATE_CLIENT_UUID)
  --url URL      where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json         the report as one line of JSON

Exit code: 0 nothing is left that should be gone, or only shown · 1 refused, or something is left · 2 wrong arguments
· 69 no gateway there
`;

const OPTIONS = {
  yes: { type: 'boolean' },
  client: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Report = AnswerOf<ContractOf<'users.erase'>>;

const isClean = ({ scrubbed, tables }: Report): boolean =>
  scrubbed === 'done' && tables.every(({ remaining }) => remaining === 0);

function reportText(report: Report, isPreview: boolean): string {
  const lines = report.tables
    .filter(({ destroyed, left, remaining }) => destroyed + left + remaining > 0)
    .map(({ table, what, destroyed, left, why }) => {
      const rest = left > 0 ? `; ${left} stay: ${why ?? ''}` : '';
      return `  ${table}: ${destroyed} (${what})${rest}\n`;
    });
  if (!isPreview) return `Destroyed${isClean(report) ? '' : ', but not all of it: ask again'}\n${lines.join('')}`;
  const { blocked } = report;
  const then = blocked === null ? 'Say --yes to destroy it.' : `It cannot be done now: ${blocked}.`;
  return `Nothing was done. Would be destroyed\n${lines.join('')}${then}\n`;
}

export const erase: Command = {
  name: 'erase',
  summary: 'destroy what a running gateway stores of a source user',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { yes, client, url, json } = parsed.value.values;
    const [user, ...more] = parsed.value.positionals;
    if (user === undefined || more.length > 0) return usage('Name the user alone.');
    const isPreview = yes !== true;
    const query = { preview: isPreview, client_uuid: client };
    const reply = await makeAdminApi(url, terminal.env).call('users.erase', { params: { user_id: user }, query });
    const form = json === true ? 'json' : 'text';
    const code = reportAnswer(reply, terminal, form, (report) => reportText(report, isPreview));
    return reply.kind === 'done' && !isPreview && !isClean(reply.value) ? EXIT.failed : code;
  },
};
