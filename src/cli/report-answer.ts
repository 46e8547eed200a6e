import type { AdminReply, RouteId } from '../admin/index.ts';
import { explainRefusal } from './admin-api.ts';
import { EXIT, type Terminal } from './command.ts';

/** The answer as one line of JSON. */
export const answerLine = (
  reply: { readonly kind: 'done'; readonly value: unknown } | { readonly kind: 'refused'; readonly problem: unknown },
): string => `${JSON.stringify(reply.kind === 'done' ? reply.value : reply.problem)}\n`;

/** Says what was done, or what the gateway said no to. */
export function reportAnswer<Id extends RouteId>(
  reply: AdminReply<Id>,
  terminal: Terminal,
  form: 'json' | 'text',
  tell: (value: Extract<AdminReply<Id>, { kind: 'done' }>['value']) => string,
): number {
  if (form === 'json') terminal.stdout.write(answerLine(reply));
  else if (reply.kind === 'done') terminal.stdout.write(tell(reply.value));
  else terminal.stderr.write(`${explainRefusal(reply)}\n`);
  return reply.kind === 'done' ? EXIT.ok : EXIT.failed;
}
