import { answerInThread } from '../kernel/index.ts';
import { loadValidator } from '../r4/index.ts';
import { judge, type Judgement } from './judge.ts';
import type { JudgeQuestion } from './make-judge.ts';

const validator = loadValidator();

answerInThread<JudgeQuestion, Judgement>(({ hook, body, options }) => judge(hook, body, options, validator));
