import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { moreLine } from './targets-report.ts';

const help = `Usage: chartgate unmapped [--limit N] [--cursor CURSOR] [--url URL] [--json]

Words of the source that nobody has mapped, newest first, with how often they came, an id by which "chartgate deliveries
list --word" finds what waits for each, and codes that it might be: by the words of LOINC's texts and of what is mapped
already. A proposal is no more than that; a row of the mapping data needs a reviewer. The token or API key is taken from CHARTGATE_ADMIN_TOKEN.

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

const tell = ({ unmapped: words, next }: AnswerOf<ContractOf<'mappings.unmapped'>>): string =>
  [
    ...words.map(({ id, kind, what, dataStructure, count, lastAt, proposals }) =>
      [
        `${kind} ${what}  ${count} times in ${dataStructure}, last ${lastAt}  ${id}\n`,
        ...proposals.map(({ code, display }) => `  perhaps ${code}${display === null ? '' : ` ${display}`}\n`),
      ].join(''),
    ),
    words.length === 0 ? 'everything is mapped\n' : '',
    moreLine(next),
  ].join('');

export const unmapped: Command = {
  name: 'unmapped',
  summary: 'words of the source that nobody has mapped, with proposals',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'none');
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, ...query } = parsed.value.values;
    const reply = await makeAdminApi(url, terminal.env).call('mappings.unmapped', { query });
    return reportAnswer(reply, terminal, json === true ? 'json' : 'text', tell);
  },
};
