export { keepRetention } from './keep-retention.ts';
export { judge, type Judgement } from './judge.ts';
export { makeJudge, type Judge } from './make-judge.ts';
export { processReceived } from './process-received.ts';
