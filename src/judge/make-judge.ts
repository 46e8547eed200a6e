import { openTranslation } from '../content/index.ts';
import { findExcess } from '../r4/index.ts';
import type { DeliveryFacts, LinkedPatient } from '../translate/index.ts';
import { judgeAndFinish, type Judged } from './finish-judged.ts';
import { judge, notJson, type Judgement } from './judge.ts';
import { makeJudgeThreads } from './judge-threads.ts';
import type { HeldTranslation, Pretranslations } from './pretranslated.ts';
import type { LoadedTranslationContext } from './translation-context.ts';
import { validatorsOf } from './validators.ts';

/**
 * Up to this size a judgement takes a few milliseconds; larger bodies are judged in a thread in any case, so that
 * nobody waits for them.
 */
const HERE_BYTES_MAX = 128 * 1024;

/** `delivery`: whose translation is worth keeping. `patient`: whose it is, where that is known. */
export type Judge = (
  hook: 'data' | 'notification',
  body: Uint8Array,
  delivery?: DeliveryFacts,
  patient?: LinkedPatient,
) => Judgement | Promise<Judgement>;

/**
 * What judging would leave for this patient, made away from the event loop; null where that is not worth it here, or
 * nothing was left. Whoever is given it gives its room back.
 */
export type Pretranslate = (
  body: Uint8Array,
  delivery: DeliveryFacts,
  patient: LinkedPatient,
) => Promise<HeldTranslation | null>;

export interface JudgeOptions {
  readonly current: () => LoadedTranslationContext;
  readonly held: Pretranslations;
  readonly bodyBytesMax: number;
  /** Of the fingerprints. */
  readonly contentKey: string;
  /** How many threads judge; with none, only what is large is judged in one. */
  readonly threads: number;
}

export function makeJudge({ current, held, bodyBytesMax, contentKey, threads }: JudgeOptions): {
  readonly judge: Judge;
  readonly pretranslate: Pretranslate;
} {
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

  const judgeBytes: Judge = (hook, body, delivery, patient) => {
    const now = current();
    const { byteLength } = body;
    if (byteLength > hereBytesMax) {
      // What will not be read needs no thread, and is not even made a text.
      const excess = byteLength > HERE_BYTES_MAX ? findExcess(body) : null;
      if (excess !== null) return notJson(excess);
      return keepOf(inThreads({ hook, body, delivery, patient }, now), delivery, now, byteLength);
    }
    const { translationContext } = now;
    const deps = { translationContext, ...validatorsOf(translationContext) };
    if (delivery === undefined) return judge(hook, body, deps);
    const { patientOf } = held;
    const judging = judgeAndFinish(hook, body, { ...deps, delivery, contentKey, patient, patientOf });
    return keepOf(judging, delivery, now, byteLength);
  };

  async function pretranslate(...[body, delivery, patient]: Parameters<Pretranslate>): ReturnType<Pretranslate> {
    if (body.byteLength <= hereBytesMax) return null;
    const { facts } = await judgeBytes('data', body, delivery, patient);
    const made = held.take(delivery.id);
    const { client, user } = facts;
    if (made !== null && client !== null && user !== null)
      held.learn({ envelope: { clientUuid: client, userId: user } }, patient);
    return made;
  }

  return { judge: judgeBytes, pretranslate };
}
