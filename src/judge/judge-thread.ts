import { workerData } from 'node:worker_threads';
import { answerInThread, collectAfterStart, dropBytes, lowerThreadPriority } from '../kernel/index.ts';
import { judgeAndFinish } from './finish-judged.ts';
import { judge } from './judge.ts';
import type { JudgeAnswer, JudgeQuestion, JudgeThreadData } from './judge-threads.ts';
import { makeGuesses } from './pretranslated.ts';
import type { TranslationContext } from './read-document.ts';
import { buildTranslationContext } from './translation-context.ts';
import { validatorsOf } from './validators.ts';

lowerThreadPriority();

const { contentKey } = workerData as JudgeThreadData;
const guesses = makeGuesses();
let held: { readonly generation: number; readonly translationContext: TranslationContext } | null = null;

answerInThread<JudgeQuestion, JudgeAnswer>(async ({ hook, body, delivery, patient, generation, source, learnt }) => {
  for (const one of learnt) guesses.learn(one);
  if (source !== null) {
    held = { generation, translationContext: buildTranslationContext(source.settings, source.data) };
    collectAfterStart();
  }
  if (held?.generation !== generation) return 'stale';
  const { translationContext } = held;
  const deps = { translationContext, ...validatorsOf(translationContext) };
  const judged =
    delivery === undefined
      ? { judgement: await judge(hook, body, deps), premade: null }
      : await judgeAndFinish(hook, body, { ...deps, delivery, contentKey, patient, patientOf: guesses.of });
  dropBytes(body);
  return judged;
});
