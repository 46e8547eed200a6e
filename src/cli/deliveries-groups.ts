import type { AnswerOf, ContractOf } from '../admin/index.ts';
import type { AdminApi } from './admin-api.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';

type Groups = AnswerOf<ContractOf<'deliveries.groups'>>;

const told = ({ deliveries, ...group }: Groups['groups'][number]): string => {
  const count = `${deliveries.isExact ? '' : 'more than '}${deliveries.count}`;
  const what = [group.state, group.reason, group.faultCode].filter((word) => word !== null).join(' ');
  const detail = group.detail === null ? '' : `  ${group.detail}\n`;
  return `${what}: ${count}, from ${group.oldestAt} to ${group.newestAt}\n${detail}  such as ${group.examples.join(' ')}\n`;
};

/** What waits for a person, by state, reason and fault. */
export async function showGroups(api: AdminApi, terminal: Terminal, form: 'json' | 'text'): Promise<number> {
  const reply = await api.call('deliveries.groups');
  return reportAnswer(reply, terminal, form, ({ groups }) => groups.map(told).join('') || 'nothing waits\n');
}
