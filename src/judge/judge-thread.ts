import { answerInThread, dropBytes } from '../kernel/index.ts';
import { buildTranslationContext } from './translation-context.ts';
import { judge, type Judgement } from './judge.ts';
import { loadValidators, type JudgeQuestion } from './make-judge.ts';
import type { TranslationContext } from './read-document.ts';

const validators = loadValidators();
let held: { readonly generation: number; readonly translationContext: TranslationContext } | null = null;

answerInThread<JudgeQuestion, Judgement | 'stale'>(async ({ hook, body, delivery, generation, source }) => {
  if (source !== null) held = { generation, translationContext: buildTranslationContext(source.settings, source.data) };
  if (held?.generation !== generation) return 'stale';
  const { translationContext } = held;
  const judged = await judge(hook, body, { translationContext, delivery, ...validators });
  dropBytes(body);
  return judged;
});
