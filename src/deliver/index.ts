export { judge, type Judgement } from './judge.ts';
export { processReceived } from './process-received.ts';
