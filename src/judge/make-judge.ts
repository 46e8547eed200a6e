import { openTranslation } from '../content/index.ts';
import { findExcess } from '../r4/index.ts';
import type { DeliveryFacts } from '../translate/index.ts';
import { judgeAndFinish, type Judged } from './finish-judged.ts';
import { judge, notJson, type Judgement } from './judge.ts';
import { makeJudgeThreads } from './judge-threads.ts';
import type { Pretranslations } from './pretranslated.ts';
import type { LoadedTranslationContext } from './translation-context.ts';
import { validatorsOf } from './validators.ts';

/**
 * Up to this size a judgement takes a few milliseconds; larger bodies are judged in a thread in any case, so that
 * nobody waits for them.
 */
const HERE_BYTES_MAX = 128 * 1024;

/** `delivery`: whose translation is worth keeping. */
export type Judge = (
  hook: 'data' | 'notification',
  body: Uint8Array,
  delivery?: DeliveryFacts,
) => Judgement | Promise<Judgement>;

export interface JudgeOptions {
  readonly current: () => LoadedTranslationContext;
  readonly held: Pretranslations;
  readonly bodyBytesMax: number;
  /** Of the fingerprints. */
  readonly contentKey: string;
  /** How many threads judge; with none, only what is large is judged in one. */
  readonly threads: number;
}

export function makeJudge({ current, held, bodyBytesMax, contentKey, threads }: JudgeOptions): Judge {
  const inThreads = makeJudgeThreads({ count: Math.max(1, threads), bodyBytesMax, contentKey, held });
  const hereBytesMax = threads === 0 ? HERE_BYTES_MAX : 0;
  // What is compiled for it is compiled at start, not for the first delivery.
  validatorsOf(current().translationContext);

  async function keepOf(
    judging: Promise<Judged>,
    delivery: DeliveryFacts | undefined,
    { translationContext }: LoadedTranslationContext,
    bodyBytes: number,
  ): Promise<Judgement> {
    const { judgement, premade } = await judging;
    if (premade !== null && delivery !== undefined) {
      const translation = openTranslation(premade.translation);
      held.keep(delivery.id, { ...premade, translationContext, translation }, bodyBytes);
    }
    return judgement;
  }

  return (hook, body, delivery) => {
    const now = current();
    const { byteLength } = body;
    if (byteLength > hereBytesMax) {
      // What will not be read needs no thread, and is not even made a text.
      const excess = byteLength > HERE_BYTES_MAX ? findExcess(body) : null;
      if (excess !== null) return notJson(excess);
      return keepOf(inThreads(hook, body, delivery, now), delivery, now, byteLength);
    }
    const { translationContext } = now;
    const deps = { translationContext, ...validatorsOf(translationContext) };
    if (delivery === undefined) return judge(hook, body, deps);
    const judging = judgeAndFinish(hook, body, { ...deps, delivery, contentKey, patientOf: held.patientOf });
    return keepOf(judging, delivery, now, byteLength);
  };
}
