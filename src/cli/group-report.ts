import type { AnswerOf, ContractOf } from '../admin/index.ts';

type Patients = AnswerOf<ContractOf<'deliveries.groupPatients'>>;
type Words = AnswerOf<ContractOf<'deliveries.groupWords'>>;

const restOf = (isWhole: boolean): string => (isWhole ? '' : 'of the newest 5000 deliveries of the group\n');

/** Whose the deliveries of a group are. */
export function tellGroupPatients({ patients, isWhole }: Patients): string {
  const lines = patients.map(({ userId, mrn, deliveries, oldestAt, example }) => {
    const who = [userId === null ? null : `user ${userId}`, mrn === null ? null : `MRN ${mrn}`];
    const told = who.filter((one) => one !== null).join('  ') || 'not shown';
    return `${deliveries}  ${told}  since ${oldestAt}  such as ${example}\n`;
  });
  return `${lines.join('') || 'nobody\n'}${restOf(isWhole)}`;
}

/** Which words the deliveries of a group wait for. */
export function tellGroupWords({ words, wordless, isWhole }: Words): string {
  const lines = words.map(
    ({ id, kind, what, dataStructure, deliveries, oldestAt, example }) =>
      `${deliveries}  ${kind} ${what}  in ${dataStructure}  since ${oldestAt}  such as ${example}\n  --word ${id}\n`,
  );
  const more = wordless === 0 ? '' : `${wordless} of no word that is known; judged again, they tell\n`;
  return `${lines.join('') || 'no word\n'}${more}${restOf(isWhole)}`;
}
