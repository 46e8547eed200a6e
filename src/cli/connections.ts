import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate connections MRN [--url URL] [--json]

The data sources of a patient at the health data service, as a running gateway knows them: asked, connected, ended or
revoked, and what went wrong last. The token or API key is taken from CHARTGATE_ADMIN_TOKEN.

  --url URL   where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json      the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused, or nobody has this MRN · 2 wrong arguments · 69 no gateway there
`;

const tell = ({ connections: all, revokedAt, lateDeliveries }: AnswerOf<ContractOf<'patients.connections'>>): string =>
  [
    ...all.map(({ dataSource, state, changedAt, failure }) => {
      const wrong = failure === null ? '' : `  failed ${failure.at} at ${failure.action}`;
      return `${dataSource}  ${state} since ${changedAt}${wrong}\n`;
    }),
    all.length === 0 ? 'no connections\n' : '',
    revokedAt === null ? '' : `revoked ${revokedAt}; ${lateDeliveries} deliveries came later\n`,
  ].join('');

export const connections: Command = {
  name: 'connections',
  summary: "a patient's data sources at the health data service",
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, { url: { type: 'string' }, json: { type: 'boolean' } }, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const [mrn, ...more] = parsed.value.positionals;
    if (mrn === undefined || more.length > 0) return usage('Name one MRN.');
    const { url, json } = parsed.value.values;
    const reply = await makeAdminApi(url, terminal.env).call('patients.connections', { params: { mrn } });
    return reportAnswer(reply, terminal, json === true ? 'json' : 'text', tell);
  },
};
