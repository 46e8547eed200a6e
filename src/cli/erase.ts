import { explainAnswer, makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';

const help = `Usage: chartgate erase USER_ID [--yes] [--client UUID] [--url URL] [--json]

Destroys what a running gateway stores of a source user: bodies, user ids, MRN, findings and the user's key. The audit stays, under
pseudonyms, and so do digests of what was written to the chart. Without --yes it only tells what would be destroyed and what would be
left, table by table, and why. The link must be revoked before (chartgate link USER_ID --revoke). What comes later of the same user
is dropped until somebody links the user anew. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --yes          destroy it; there is no way back but a backup
  --client UUID  the user's client at the source (default: the gateway's CHARTGATE_CLIENT_UUID)
  --url URL      where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json         the report as one line of JSON

Exit code: 0 nothing is left that should be gone, or only shown · 1 refused, or something is left · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  yes: { type: 'boolean' },
  client: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Report = Readonly<Record<string, unknown>>;
interface Table {
  readonly table: string;
  readonly what: string;
  /** As the answer has them, digits kept. */
  readonly destroyed: unknown;
  readonly remaining: unknown;
  readonly left: unknown;
  readonly why: string | null;
}

const tablesOf = (report: Report): readonly Table[] => report['tables'] as readonly Table[];
const isClean = (report: Report): boolean =>
  report['scrubbed'] === 'done' && tablesOf(report).every(({ remaining }) => Number(remaining) === 0);

function reportText(report: Report, isPreview: boolean): string {
  const lines = tablesOf(report)
    .filter(({ destroyed, left, remaining }) => Number(destroyed) + Number(left) + Number(remaining) > 0)
    .map(({ table, what, destroyed, left, why }) => {
      const rest = Number(left) > 0 ? `; ${Number(left)} stay: ${why ?? ''}` : '';
      return `  ${table}: ${Number(destroyed)} (${what})${rest}\n`;
    });
  if (!isPreview) return `Destroyed${isClean(report) ? '' : ', but not all of it: ask again'}\n${lines.join('')}`;
  const { blocked } = report as { readonly blocked: string | null };
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
    const query = new URLSearchParams({
      preview: String(isPreview),
      ...(client === undefined ? {} : { client_uuid: client }),
    });
    const answer = await makeAdminApi(url, terminal.env).ask(
      'POST',
      `users/${encodeURIComponent(user)}/erase?${query.toString()}`,
    );
    if (answer.status !== 200) {
      if (json === true) terminal.stdout.write(`${JSON.stringify(answer.body)}\n`);
      else terminal.stderr.write(`${explainAnswer(answer)}\n`);
      return EXIT.failed;
    }
    terminal.stdout.write(json === true ? `${JSON.stringify(answer.body)}\n` : reportText(answer.body, isPreview));
    return isPreview || isClean(answer.body) ? EXIT.ok : EXIT.failed;
  },
};
