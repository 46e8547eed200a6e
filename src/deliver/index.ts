export { keepRetention } from './keep-retention.ts';
export { judge, type Judgement } from './judge.ts';
export { processReceived } from './process-received.ts';
