import { fileBeside, makeAskThread } from '../kernel/index.ts';
import { loadValidator } from '../r4/index.ts';
import type { HeldReading, ReadingData, ReadingSettings } from './hold-reading.ts';
import { judge, type Judgement } from './judge.ts';

export interface JudgeQuestion {
  readonly hook: 'data' | 'notification';
  readonly body: Uint8Array;
  /** Tells data apart that were loaded at different times. */
  readonly generation: number;
  /** Sent along when the thread does not have this generation yet. */
  readonly source: { readonly settings: ReadingSettings; readonly data: ReadingData } | null;
}

/** Up to this size a judgement takes a few milliseconds; larger bodies are judged in a thread, so that nobody waits for them. */
const HERE_BYTES_MAX = 128 * 1024;

export type Judge = (hook: 'data' | 'notification', body: Uint8Array) => Judgement | Promise<Judgement>;

export const loadValidators = () => ({
  validator: loadValidator(),
  outValidator: loadValidator({ profiles: ['vital-signs', 'us-core-lab'] }),
});

export function makeJudge(current: () => HeldReading): Judge {
  const validators = loadValidators();
  const ask = makeAskThread<JudgeQuestion, Judgement | 'stale'>(fileBeside(import.meta.url, './judge-thread'), null);
  let known: HeldReading | null = null;
  let generation = 0;

  async function judgeElsewhere(hook: 'data' | 'notification', body: Uint8Array, held: HeldReading): Promise<Judgement> {
    if (held !== known) {
      known = held;
      generation += 1;
    }
    const own = generation;
    const answer = await ask({ hook, body, generation: own, source: null });
    if (answer !== 'stale') return answer;
    const { settings, data } = held;
    const again = await ask({ hook, body, generation: own, source: { settings, data } });
    if (again === 'stale') throw new Error('the thread did not take the mapping data');
    return again;
  }

  return (hook, body) => {
    const held = current();
    return body.byteLength <= HERE_BYTES_MAX
      ? judge(hook, body, { reading: held.reading, ...validators })
      : judgeElsewhere(hook, body, held);
  };
}
