import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { barsOf } from './bars.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate webhooks refused [--span hour|day|month] [--url URL] [--json]

Why a running gateway refused webhooks, and when. Counts alone: nothing that a sender says is kept. The operator's
token is taken from CHARTGATE_ADMIN_TOKEN.

  --span SPAN  the last hour, day (default) or month
  --url URL    where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json       the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

/** A line on the terminal has no room for the 1440 minutes of a day. */
const BARS_MAX = 60;

const WORDS = {
  secret: 'wrong secret in the address',
  basic: 'wrong name or password',
  certificate: 'no certificate that is known',
  signature: 'wrong signature',
  'not-configured': 'no sender is configured',
  'too-large': 'larger than the limit',
  'cut-short': 'ended early, or came too slowly',
  'no-room': 'no memory for it',
  store: 'the store did not take it',
  'not-json': 'not JSON (acknowledged, then quarantined)',
  'foreign-client': 'of another client (acknowledged, then quarantined)',
} as const;

function shortened(counts: readonly number[]): number[] {
  const each = Math.ceil(counts.length / BARS_MAX);
  const parts = Math.ceil(counts.length / each);
  return Array.from({ length: parts }, (_, i) =>
    counts.slice(i * each, (i + 1) * each).reduce((sum, count) => sum + count, 0),
  );
}

function tell({ from, total, refused }: AnswerOf<ContractOf<'flow.refused'>>): string {
  const rows = refused.filter((one) => one.total > 0).map((one) => ({ ...one, bars: shortened(one.counts) }));
  if (rows.length === 0) return `none refused since ${from}\n`;
  const most = Math.max(...rows.flatMap(({ bars }) => bars));
  const width = Math.max(...rows.map(({ reason }) => WORDS[reason].length));
  const lines = rows.map(
    ({ reason, total: count, bars }) =>
      `${WORDS[reason].padEnd(width)}  ${String(count).padStart(String(total).length)}  |${barsOf(bars, most)}|\n`,
  );
  return `${total} refused since ${from}\n${lines.join('')}`;
}

export const webhooks: Command = {
  name: 'webhooks',
  summary: 'tell why a running gateway refused webhooks',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const options = { span: { type: 'string' }, url: { type: 'string' }, json: { type: 'boolean' } } as const;
    const parsed = parseOptions(args, options, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const [verb, ...more] = parsed.value.positionals;
    if (verb !== 'refused' || more.length > 0) return usage('Say: webhooks refused.');
    const { url, json, span } = parsed.value.values;
    // What is not taken, the gateway refuses with what would be.
    const query = { span: span as 'day' | undefined };
    const reply = await makeAdminApi(url, terminal.env).call('flow.refused', { query });
    return reportAnswer(reply, terminal, json === true ? 'json' : 'text', tell);
  },
};
