import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { urlOf, type Given } from './audit-filters.ts';
import { auditLine } from './audit-report.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';

type Proven = AnswerOf<ContractOf<'audit.get'>>;

const VERDICT: Readonly<Record<Proven['proof']['state'], string>> = {
  proven: 'Proven: it is as it was written.',
  waiting: 'It fits into its chain; the next checkpoint will sign it.',
  broken: 'It is not as it was written. Keep the database as it is and run: chartgate audit verify',
};

function tell({ record, proof }: Proven): string {
  const { state, leaf, previous, link, checkpoint } = proof;
  const lines = [
    ['record', `${record.seq} of chain ${record.chain}`],
    ['hash', leaf],
    ['before it', previous ?? 'exported and removed'],
    ['with it', link],
    ['checkpoint', checkpoint === null ? 'none yet' : `${checkpoint.n}, signed ${checkpoint.at}`],
  ];
  const rows = lines.map(([name = '', value = '']) => `  ${name.padEnd(12)}${value}\n`).join('');
  return `${auditLine(record)}${VERDICT[state]}\n${rows}`;
}

/** One record and its proof. */
export async function showRecord(
  given: Given,
  words: readonly string[],
  terminal: Terminal,
  usage: (wrong: string) => number,
): Promise<number> {
  const [chain, seq, ...more] = words;
  if (chain === undefined || seq === undefined || more.length > 0) return usage('Say: audit show CHAIN SEQ.');
  const reply = await makeAdminApi(urlOf(given), terminal.env).call('audit.get', { params: { chain, seq } });
  return reportAnswer(reply, terminal, given['json'] === true ? 'json' : 'text', tell);
}
