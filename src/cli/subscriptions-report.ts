import type { AnswerOf, ContractOf } from '../admin/index.ts';

export type ShownSubscription = AnswerOf<ContractOf<'subscriptions.get'>>;

export const subscriptionLine = (s: ShownSubscription): string =>
  `${s.id}  ${s.clientId}  ${s.topic} ${s.content}  ${s.state}${s.because === null ? '' : ` (${s.because})`}  ` +
  `event ${s.lastEvent}, ${s.waiting} waiting  ${s.endpoint}\n`;

export const subscriptionText = (s: ShownSubscription): string =>
  [
    ['id', s.id],
    ['app', s.clientId],
    ['topic', `${s.topic}, of ${s.patients === 'any' ? 'whoever is linked' : 'the patients that it names'}`],
    ['content', s.content],
    ['endpoint', s.endpoint],
    ['state', s.becauseText === null ? s.state : `${s.state}: ${s.becauseText}`],
    ['events', `${s.lastEvent} so far, ${s.sentEvent} taken, ${s.waiting} waiting`],
    ['taken', s.sentAt ?? 'nothing yet'],
    ...(s.failures === 0 ? [] : [['failing', `${s.failures} tries in a row, since ${s.failingSince ?? 'just now'}`]]),
    ['next', s.nextAt ?? 'nothing is sent'],
    ['made', s.madeAt],
    ['ends', s.endsAt ?? 'when it is ended'],
  ]
    .map(([name = '', value = '']) => `${name.padEnd(10)} ${value}\n`)
    .join('');
