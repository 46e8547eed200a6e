import { answerInThread, dropBytes } from '../kernel/index.ts';
import { buildReading } from './translation-context.ts';
import { judge, type Judgement } from './judge.ts';
import { loadValidators, type JudgeQuestion } from './make-judge.ts';
import type { Reading } from './read-document.ts';

const validators = loadValidators();
let held: { readonly generation: number; readonly reading: Reading } | null = null;

answerInThread<JudgeQuestion, Judgement | 'stale'>(async ({ hook, body, delivery, generation, source }) => {
  if (source !== null) held = { generation, reading: buildReading(source.settings, source.data) };
  if (held?.generation !== generation) return 'stale';
  const { reading } = held;
  const judged = await judge(hook, body, { reading, delivery, ...validators });
  dropBytes(body);
  return judged;
});
