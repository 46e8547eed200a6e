import type { AnswerOf, ContractOf } from '../admin/index.ts';

type Target = AnswerOf<ContractOf<'targets.list'>>['targets'][number];
type Probe = AnswerOf<ContractOf<'targets.probes'>>['probes'][number];
type Lane = AnswerOf<ContractOf<'targets.lanes'>>['lanes'][number];

/** Where a list leads on. */
export const moreLine = (next: string | null): string => (next === null ? '' : `more: --cursor ${next}\n`);

export const targetLine = ({ id, state, breaker, waiting }: Target): string =>
  `${id}  ${state}  breaker ${breaker}  ${waiting.jobs} wait in ${waiting.lanes} lanes\n`;

/** Names and values below each other. */
export const rowsText = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
};

const sayPause = ({ pausedAt = null, pausedBy = null }: Target): string =>
  pausedAt === null ? 'no' : `since ${pausedAt} by ${pausedBy ?? 'somebody'}`;

export const targetText = (target: Target): string =>
  rowsText([
    ['target', target.id],
    ['state', target.state],
    ['paused', sayPause(target)],
    ['breaker', target.breaker],
    ['requests', `${target.inFlight} of ${target.limit} at once (${target.concurrency.because})`],
    ['probed', target.probedAt ?? 'never'],
    ['probe fault', target.probeFault ?? 'none'],
    ['dialect', `${target.dialect.name ?? 'not known yet'} (${target.dialect.because})`],
    ['waiting', `${target.waiting.jobs} in ${target.waiting.lanes} lanes`],
    ['oldest', target.waiting.oldestAt ?? 'none'],
    ['cannot leave a chart', String(target.waiting.retractionsParked)],
    ['left out in part', String(target.waiting.leftOut)],
  ]);

export const probeText = ({ firstAt, lastAt, count, by, outcome, faultCode, changes }: Probe): string => {
  const times = count === 1 ? firstAt : `${firstAt} to ${lastAt}, ${count} times`;
  const said = changes.map(({ what, from, to }) => `  ${what}: ${from ?? 'nothing'} -> ${to ?? 'nothing'}\n`);
  return `${times}  ${outcome}${faultCode === null ? '' : ` ${faultCode}`}  by ${by}\n${said.join('')}`;
};

export const laneLine = ({ mrn, since, jobs, why, kind, attempts, faultCode, nextAt, deliveryId }: Lane): string =>
  [
    since,
    why + (nextAt === null ? '' : ` at ${nextAt}`),
    `${jobs} wait${kind === 'retract' ? ', the oldest to leave the chart' : ''}`,
    `${attempts} attempts${faultCode === null ? '' : ` (${faultCode})`}`,
    deliveryId,
    ...(mrn === null ? [] : [mrn]),
  ].join('  ') + '\n';
