import type { AnswerOf, ContractOf } from '../admin/index.ts';

export type Job = AnswerOf<ContractOf<'jobs.get'>>;

const filterOf = ({ filter }: Job): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

export const jobLine = (job: Job): string =>
  `${job.id}  ${job.startedAt}  ${job.act} ${filterOf(job)}  ${job.state} ${job.done}/${job.total}  ${job.startedBy}\n`;

export const jobText = (job: Job): string =>
  [
    ['id', job.id],
    ['act', job.act],
    ['filter', filterOf(job)],
    ...(job.reason === null ? [] : [['reason', job.reason]]),
    ['state', job.state],
    ['deliveries', `${job.done} of ${job.total} done, ${job.skipped} of them left alone: they were moved meanwhile`],
    ['patients', String(job.patients)],
    ['started', `${job.startedAt} by ${job.startedBy}`],
    ['ended', job.endedAt ?? 'not yet'],
    ['request', job.requestId],
  ]
    .map(([name = '', value = '']) => `${name.padEnd(10)} ${value}\n`)
    .join('');

export function previewText({ id, act, deliveries, patients, ofNobody }: AnswerOf<ContractOf<'jobs.preview'>>): string {
  const { count, isExact } = deliveries;
  const nobody = ofNobody === 0 ? '' : `, ${ofNobody} of them of nobody known`;
  const would = `Would ${act} ${isExact ? '' : 'more than '}${count} deliveries of ${patients} patients${nobody}.\n`;
  if (id !== null) return `${would}To start it: chartgate jobs start ${id} --confirm ${count}\n`;
  return isExact ? would : `${would}That is too many for one job. Narrow it, for example by --to.\n`;
}
