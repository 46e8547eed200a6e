import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate ledger [--url URL] [--json]

How many deliveries a running gateway has acknowledged, how many are in each state, and whether that adds up. The
operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --url URL   where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json      the gateway's answer as one line of JSON

Exit code: 0 it adds up · 1 it does not, or refused · 2 wrong arguments · 69 no gateway there
`;

const tell = ({ acknowledged, byState, addsUp }: AnswerOf<ContractOf<'flow.ledger'>>): string => {
  const states = Object.entries(byState);
  const width = Math.max(...states.map(([state]) => state.length));
  const rows = states.map(([state, count]) => `  ${state.padEnd(width)}  ${String(count)}\n`).join('');
  return `${acknowledged} acknowledged\n${rows}${addsUp ? 'It adds up.' : 'It does not add up: tell whoever maintains the gateway.'}\n`;
};

export const ledger: Command = {
  name: 'ledger',
  summary: 'count the deliveries of a running gateway by state',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, { url: { type: 'string' }, json: { type: 'boolean' } }, 'none');
    if (!parsed.ok) return makeUsage(terminal, help)(parsed.wrong);
    const { url, json } = parsed.value.values;
    const reply = await makeAdminApi(url, terminal.env).call('flow.ledger');
    const code = reportAnswer(reply, terminal, json === true ? 'json' : 'text', tell);
    return reply.kind === 'done' && !reply.value.addsUp ? EXIT.failed : code;
  },
};
