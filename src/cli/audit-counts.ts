import type { AnswerOf, CallOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { urlOf, type Given } from './audit-filters.ts';
import { barsOf } from './bars.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';

type Query = CallOf<ContractOf<'audit.counts'>>['query'];

export function countsText({ from, to, names, others, counted }: AnswerOf<ContractOf<'audit.counts'>>): string {
  if (names.length === 0) return `nothing from ${from} to ${to}\n`;
  const most = Math.max(...names.flatMap(({ counts }) => counts));
  const width = Math.max(...names.map(({ name }) => name.length));
  const digits = String(names[0]?.total ?? 0).length;
  return [
    `${from} to ${to}\n`,
    ...names.map(
      ({ name, total, counts }) =>
        `${name.padEnd(width)}  ${String(total).padStart(digits)}  |${barsOf(counts, most)}|\n`,
    ),
    others.names === 0 ? '' : `${others.names} others: ${others.total}\n`,
    counted.isExact ? '' : `There were more than ${counted.count}: the newest were counted. Narrow the times.\n`,
  ].join('');
}

export async function showCounts(given: Given, terminal: Terminal): Promise<number> {
  const names = ['by', 'interval', 'from', 'to'].filter((name) => typeof given[name] === 'string');
  // What is not taken, the gateway refuses with what would be.
  const query = Object.fromEntries(names.map((name) => [name, given[name]])) as unknown as Query;
  const reply = await makeAdminApi(urlOf(given), terminal.env).call('audit.counts', { query });
  return reportAnswer(reply, terminal, given['json'] === true ? 'json' : 'text', countsText);
}
