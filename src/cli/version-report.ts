import type { AnswerOf, ContractOf } from '../admin/index.ts';

type Changes = AnswerOf<ContractOf<'deliveries.changes'>>;
type Patients = AnswerOf<ContractOf<'deliveries.groupPatients'>>;

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

/** Whose the deliveries of a group are. */
export function tellGroupPatients({ patients, isWhole }: Patients): string {
  const lines = patients.map(({ userId, mrn, deliveries, oldestAt, example }) => {
    const who = [userId === null ? null : `user ${userId}`, mrn === null ? null : `MRN ${mrn}`];
    const told = who.filter((one) => one !== null).join('  ') || 'not shown';
    return `${deliveries}  ${told}  since ${oldestAt}  such as ${example}\n`;
  });
  const rest = isWhole ? '' : 'of the newest 5000 deliveries of the group\n';
  return `${lines.join('') || 'nobody\n'}${rest}`;
}
