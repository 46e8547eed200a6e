import { explainAnswer, type AdminAnswer } from './admin-api.ts';
import { EXIT, type Terminal } from './command.ts';

/** Says what was done, or what the gateway said no to. */
export function reportAnswer(
  answer: AdminAnswer,
  terminal: Terminal,
  form: 'json' | 'text',
  tell: (body: AdminAnswer['body']) => string,
): number {
  const isDone = answer.status < 300;
  if (form === 'json') terminal.stdout.write(`${JSON.stringify(answer.body)}\n`);
  else if (isDone) terminal.stdout.write(tell(answer.body));
  else terminal.stderr.write(`${explainAnswer(answer)}\n`);
  return isDone ? EXIT.ok : EXIT.failed;
}
