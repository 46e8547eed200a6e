import { fileBeside, makeAskThread, MEMORY } from '../kernel/index.ts';
import { findExcess, loadValidator } from '../r4/index.ts';
import type { LoadedTranslationContext, TranslationData, TranslationSettings } from './translation-context.ts';
import type { DeliveryFacts } from '../translate/index.ts';
import type { Pretranslations } from './pretranslated.ts';
import { judge, notJson, type JudgePretranslated, type Judgement } from './judge.ts';
import { saidAtOf, type TranslationContext } from './read-document.ts';

export interface JudgeQuestion {
  readonly hook: 'data' | 'notification';
  readonly body: Uint8Array;
  readonly delivery: DeliveryFacts | undefined;
  /** Tells data apart that were loaded at different times. */
  readonly generation: number;
  /** Sent along when the thread does not have this generation yet. */
  readonly source: { readonly settings: TranslationSettings; readonly data: TranslationData } | null;
}

/**
 * Up to this size a judgement takes a few milliseconds; larger bodies are judged in a thread, so that nobody waits for
 * them.
 */
const HERE_BYTES_MAX = 128 * 1024;

/** `delivery`: whose translation is worth keeping. */
export type Judge = (
  hook: 'data' | 'notification',
  body: Uint8Array,
  delivery?: DeliveryFacts,
) => Judgement | Promise<Judgement>;

export const loadValidators = () => ({
  validator: loadValidator(),
  outValidator: loadValidator({ profiles: ['vital-signs', 'us-core-lab'] }),
});

/** What the thread takes before it has a document, and what that may take beside it. */
const heapMbFor = (bodyBytesMax: number): number =>
  96 + Math.ceil((bodyBytesMax / (1024 * 1024)) * MEMORY.cost.document);

export function makeJudge(
  current: () => LoadedTranslationContext,
  held?: Pretranslations,
  bodyBytesMax = 5 * 1024 * 1024,
): Judge {
  const validators = loadValidators();
  const ask = makeAskThread<JudgeQuestion, Judgement | 'stale'>(
    fileBeside(import.meta.url, './judge-thread'),
    null,
    heapMbFor(bodyBytesMax),
  );
  let known: LoadedTranslationContext | null = null;
  let generation = 0;

  async function judgeElsewhere(
    hook: 'data' | 'notification',
    body: Uint8Array,
    delivery: DeliveryFacts | undefined,
    held: LoadedTranslationContext,
  ): Promise<Judgement> {
    if (held !== known) {
      known = held;
      generation += 1;
    }
    const own = generation;
    const answer = await ask({ hook, body, delivery, generation: own, source: null });
    if (answer !== 'stale') return answer;
    const { settings, data } = held;
    const again = await ask({ hook, body, delivery, generation: own, source: { settings, data } });
    if (again === 'stale') throw new Error('the thread did not take the mapping data');
    return again;
  }

  function pretranslatedOf(
    delivery: DeliveryFacts,
    translationContext: TranslationContext,
    bodyBytes: number,
  ): JudgePretranslated | undefined {
    if (held === undefined) return undefined;
    return {
      delivery,
      patientOf: held.patientOf,
      keep(payload, patient, translation) {
        const saidAt = saidAtOf(payload, delivery.receivedAt);
        held.keep(delivery.id, { translationContext, patient, translation, saidAt }, bodyBytes);
      },
    };
  }

  return (hook, body, delivery) => {
    const now = current();
    if (body.byteLength > HERE_BYTES_MAX) {
      // What will not be read needs no thread, and is not even made a text.
      const excess = findExcess(body);
      if (excess !== null) return notJson(excess);
      return judgeElsewhere(hook, body, delivery, now);
    }
    const { translationContext } = now;
    const pretranslated =
      delivery === undefined ? undefined : pretranslatedOf(delivery, translationContext, body.byteLength);
    return judge(hook, body, { translationContext, pretranslated, delivery, ...validators });
  };
}
