import { fileBeside, makeAskThread, MEMORY, ThreadEnded } from '../kernel/index.ts';
import type { DeliveryFacts, LinkedPatient } from '../translate/index.ts';
import type { Judged } from './finish-judged.ts';
import type { Learnt, Pretranslations } from './pretranslated.ts';
import type { LoadedTranslationContext, TranslationData, TranslationSettings } from './translation-context.ts';

type Hook = 'data' | 'notification';

export interface JudgeQuestion {
  readonly hook: Hook;
  readonly body: Uint8Array;
  /** Absent where its translation is not worth keeping. */
  readonly delivery: DeliveryFacts | undefined;
  /** Whose it is, where that is known; else it is a guess. */
  readonly patient: LinkedPatient | undefined;
  /** Tells data apart that were loaded at different times. */
  readonly generation: number;
  /** Sent along when the thread does not have this generation yet. */
  readonly source: { readonly settings: TranslationSettings; readonly data: TranslationData } | null;
  /** Patients whom it does not know yet. */
  readonly learnt: readonly Learnt[];
}

/** `stale`: the thread was begun anew since it was told what it needs. */
export type JudgeAnswer = Judged | 'stale';

type Asked = Pick<JudgeQuestion, 'hook' | 'body' | 'delivery' | 'patient' | 'generation'>;

/** What a thread is begun with. */
export interface JudgeThreadData {
  readonly contentKey: string;
}

/** Reading and translating a document makes a megabyte of objects; what is under way should not be copied each time. */
const YOUNG_MB = 24;

/** What the thread takes before it has a document, and what that may take beside it. */
const heapMbFor = (bodyBytesMax: number): number =>
  96 + Math.ceil((bodyBytesMax / (1024 * 1024)) * MEMORY.cost.document);

/** Of so many patients a thread that is not asked misses the news one by one; beyond that it is told all that is known. */
const NEWS_MAX = 1_000;

/** The bytes alone: what lies around them in the same memory would be copied with them. */
const ownBytes = (body: Uint8Array): Uint8Array =>
  body.byteLength === body.buffer.byteLength ? body : Uint8Array.prototype.slice.call(body);

function startThread(data: JudgeThreadData, heapMb: number, { learnt, onLearn }: Pretranslations) {
  const askThread = makeAskThread<JudgeQuestion, JudgeAnswer>(fileBeside(import.meta.url, './judge-thread'), data, {
    heapMb,
    youngMb: YOUNG_MB,
  });
  let untold: Learnt[] | 'all' = 'all';
  onLearn((one) => {
    if (untold === 'all') return;
    if (untold.length < NEWS_MAX) untold.push(one);
    else untold = 'all';
  });
  let toldGeneration = 0;
  let waiting = 0;

  function ask({ settings, data: files }: LoadedTranslationContext, question: Asked): Promise<JudgeAnswer> {
    const learntSince = untold === 'all' ? learnt() : untold;
    const source = toldGeneration === question.generation ? null : { settings, data: files };
    untold = [];
    toldGeneration = question.generation;
    return askThread({ ...question, source, learnt: learntSince });
  }

  async function judge(question: Asked, current: LoadedTranslationContext): Promise<Judged> {
    const answer = await ask(current, question);
    if (answer !== 'stale') return answer;
    untold = 'all';
    toldGeneration = 0;
    const again = await ask(current, question);
    if (again === 'stale') throw new Error('the thread did not take the mapping data');
    return again;
  }
  return {
    waiting: () => waiting,
    async judge(...given: Parameters<typeof judge>): Promise<Judged> {
      waiting += 1;
      return judge(...given).finally(() => (waiting -= 1));
    },
  };
}

/**
 * Judges in threads, which are given bytes and give back a judgement and finished texts. A thread that dies takes its
 * questions along; those are asked once more, one after the other, so that only the one of which it dies fails.
 */
export function makeJudgeThreads(deps: {
  readonly count: number;
  readonly bodyBytesMax: number;
  readonly contentKey: string;
  readonly held: Pretranslations;
}) {
  const { contentKey, held } = deps;
  const threads = Array.from({ length: deps.count }, () =>
    startThread({ contentKey }, heapMbFor(deps.bodyBytesMax), held),
  );
  let known: LoadedTranslationContext | null = null;
  let generation = 0;
  let oneByOne: Promise<unknown> = Promise.resolve();

  const idlest = () => threads.reduce((least, one) => (one.waiting() < least.waiting() ? one : least));

  return async (asked: Omit<Asked, 'generation'>, current: LoadedTranslationContext): Promise<Judged> => {
    if (current !== known) {
      known = current;
      generation += 1;
    }
    const question = { ...asked, body: ownBytes(asked.body), generation };
    try {
      return await idlest().judge(question, current);
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw thrown;
    }
    const again = oneByOne.then(() => idlest().judge(question, current));
    oneByOne = again.catch(() => undefined);
    return again;
  };
}
