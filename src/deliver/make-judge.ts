import { fileBeside, makeAskThread } from '../kernel/index.ts';
import type { PayloadOptions } from '../payloads/index.ts';
import type { Validator } from '../r4/index.ts';
import { judge, type Judgement } from './judge.ts';

export interface JudgeQuestion {
  readonly hook: 'data' | 'notification';
  readonly body: Uint8Array;
  readonly options: PayloadOptions;
}

/** Up to this size a judgement takes a few milliseconds; larger bodies are judged in a thread, so that nobody waits for them. */
const HERE_BYTES_MAX = 128 * 1024;

export type Judge = (hook: 'data' | 'notification', body: Uint8Array) => Judgement | Promise<Judgement>;

export function makeJudge(options: PayloadOptions, validator: Validator): Judge {
  const ask = makeAskThread<JudgeQuestion, Judgement>(fileBeside(import.meta.url, './judge-thread'), null);
  return (hook, body) =>
    body.byteLength <= HERE_BYTES_MAX ? judge(hook, body, options, validator) : ask({ hook, body, options });
}
