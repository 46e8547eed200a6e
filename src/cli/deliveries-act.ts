import type { AdminApi } from './admin-api.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';

type Form = 'json' | 'text';

/* What is not taken, the gateway refuses with what would be: words go to it as they were given. */

export async function replayOne(api: AdminApi, terminal: Terminal, form: Form, id: string): Promise<number> {
  const reply = await api.call('deliveries.replay', { params: { id } });
  const note = 'Nothing is approved by that. "chartgate deliveries decide" decides.\n';
  return reportAnswer(reply, terminal, form, ({ undecided }) => `${id} is looked at again\n${undecided ? note : ''}`);
}

export async function decideOn(
  api: AdminApi,
  terminal: Terminal,
  form: Form,
  id: string,
  decision: string,
  reason?: string,
): Promise<number> {
  const body = { decision: decision as 'approve' };
  const asked = { params: { id }, body, ...(reason === undefined ? {} : { reason }) };
  const reply = await api.call('deliveries.decide', asked);
  return reportAnswer(reply, terminal, form, () => `${id} is decided, and is looked at again\n`);
}

export async function discardOne(
  api: AdminApi,
  terminal: Terminal,
  form: Form,
  id: string,
  reason: string,
): Promise<number> {
  const reply = await api.call('deliveries.discard', { params: { id }, body: { reason } });
  return reportAnswer(reply, terminal, form, () => `${id} is discarded\n`);
}

export async function addNote(
  api: AdminApi,
  terminal: Terminal,
  form: Form,
  id: string,
  text: string,
): Promise<number> {
  const reply = await api.call('deliveries.note', { params: { id }, body: { text } });
  return reportAnswer(reply, terminal, form, () => `${id} has the note\n`);
}

/** `operator` is null where nobody is to have it any more. */
export async function assign(
  api: AdminApi,
  terminal: Terminal,
  form: Form,
  id: string,
  operator: string | null,
): Promise<number> {
  const reply = await api.call('deliveries.assign', { params: { id }, body: { operator } });
  const told = operator === null ? `${id} is nobody's\n` : `${id} is assigned to ${operator}\n`;
  return reportAnswer(reply, terminal, form, () => told);
}
