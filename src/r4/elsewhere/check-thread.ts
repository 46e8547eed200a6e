import { workerData } from 'node:worker_threads';
import { answerInThread } from '../../kernel/index.ts';
import { checkText } from '../check-text.ts';
import { loadEngine, type ValidatorOptions } from '../engine.ts';
import type { Judged, Question } from './judged.ts';

const engine = loadEngine(workerData as ValidatorOptions);

answerInThread<Question, Judged>(({ bytes, limits }) => {
  const checked = checkText(engine, bytes, limits);
  const { issues } = checked;
  return checked.kind === 'read'
    ? { kind: 'read', issues, hasMark: checked.hasMark }
    : { kind: 'unreadable', fault: checked.fault, issues };
});
