import type { AdminApi } from './admin-api.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';

type Form = 'json' | 'text';

/** What is not taken, the gateway refuses with what would be: words go to it as they were given. */
export async function replayOne(api: AdminApi, terminal: Terminal, form: Form, id: string): Promise<number> {
  const reply = await api.call('deliveries.replay', { params: { id } });
  return reportAnswer(
    reply,
    terminal,
    form,
    ({ undecided }) =>
      `${id} is looked at again\n${undecided ? 'Nothing is approved by that. "chartgate deliveries decide" decides.\n' : ''}`,
  );
}

export async function decideOn(
  api: AdminApi,
  terminal: Terminal,
  form: Form,
  id: string,
  decision: string,
): Promise<number> {
  const body = { decision: decision as 'approve' };
  const reply = await api.call('deliveries.decide', { params: { id }, body });
  return reportAnswer(reply, terminal, form, () => `${id} is decided, and is looked at again\n`);
}
