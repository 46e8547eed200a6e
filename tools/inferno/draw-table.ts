import { findLost, tally, type Compared, type Finding, type Verdict } from './compare.ts';
import type { Finished } from './test-result.ts';

const HEAD = ['suite', 'at the EHR itself: pass, fail, skip', 'through the gateway', 'lost', 'seconds'] as const;

function counts(finished: Finished | null): string {
  if (finished === null) return '-';
  const { pass, fail, skip } = tally(finished.tests);
  return `${pass}, ${fail}, ${skip}${finished.stopped === null ? '' : ' (STOPPED)'}`;
}

const cellsOf = ({ name, gateway, ehr }: Compared): string[] => [
  name,
  counts(ehr),
  counts(gateway),
  ehr === null ? '-' : String(findLost(ehr.tests, gateway.tests).length),
  String(Math.round(gateway.seconds + (ehr?.seconds ?? 0))),
];

/** A table that is read as well in a terminal as in a page of Markdown. */
export function drawTable(runs: readonly Compared[]): string {
  const rows = [[...HEAD], ...runs.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)].join('\n');
}

const MESSAGE_MAX = 300;

function findingLine({ kind, run, test, isOptional, message }: Finding): string {
  const words = message.replace(/\s+/g, ' ').trim().slice(0, MESSAGE_MAX);
  // The first part of an id is the suite, which the name of the run tells already.
  const where = test === '' ? run : `${run} · ${test.replace(/^[^-]*-(?=.*-)/, '')}`;
  return `  ${kind}${isOptional ? ' (optional)' : ''}: ${where}${words === '' ? '' : `\n      ${words}`}`;
}

/** What was found, under what it means; nothing where nothing was. */
export function drawFindings({ unexpected, expected, unneeded }: Verdict): string {
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`${title}:`, ...lines, ''];
  return [
    ...part('Not expected', unexpected.map(findingLine)),
    ...part(
      'Expected',
      expected.map((finding) => `${findingLine(finding)}\n      because: ${finding.reason}`),
    ),
    ...part(
      'Expected, and did not happen: take it from tools/inferno/expected.ts',
      unneeded.map(({ run, test }) => `  ${run} · ${test}`),
    ),
  ].join('\n');
}
