import type { AnswerOf, ContractOf } from '../admin/index.ts';

type Changes = AnswerOf<ContractOf<'deliveries.changes'>>;

function partLines({ before, after }: Changes['changes'][number]): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names]
    .filter((name) => before?.[name] !== after?.[name])
    .map((name) => `    ${name.padEnd(14)} ${before?.[name] ?? 'nothing'} -> ${after?.[name] ?? 'nothing'}\n`)
    .join('');
}

/** What a version of a document says otherwise than the one before. */
export function tellChanges({ before, changes, unchanged }: Changes): string {
  if (before === null) return 'no version before\n';
  const heading = `since version ${before.documentVersion}, ${before.id} of ${before.receivedAt}\n`;
  const lines = changes.map((one) => {
    const what = [one.resourceType, one.what, one.chartDay].filter((part) => part !== null).join('  ');
    return `  ${one.kind.padEnd(10)} ${what}\n${partLines(one)}`;
  });
  return `${heading}${lines.join('')}${unchanged} say the same\n`;
}
