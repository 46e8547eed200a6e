import { setTimeout as pause } from 'node:timers/promises';
import type { AdminReply, AnswerOf, ContractOf } from '../admin/index.ts';
import type { AdminApi } from './admin-api.ts';
import { EXIT, type Terminal } from './command.ts';
import { makeBar } from './progress.ts';
import { reportAnswer } from './report-answer.ts';

const EVERY_MS = 500;

type Keys = AnswerOf<ContractOf<'keys.data'>>;

const STILL = 'so it must stay in CHARTGATE_DATA_KEY';

function tell({ state, sealing, older, last: p }: Keys): string {
  const seals = `${sealing} seals.`;
  const needed = older.join(', ');
  if (p === undefined || state === 'none')
    return needed === ''
      ? `${seals} No older key is needed.\n`
      : `${seals} Older keys are needed: ${needed}. "keys rotate data" retires them.\n`;
  const from = p.from.join(', ');
  const far = `${p.resealed} values sealed anew`;
  switch (state) {
    case 'waiting':
      return `${seals} Another process still seals by ${from}. It goes on when that one was given the new key first.\n`;
    case 'running':
      return `${seals} ${far}; ${p.rows} of about ${p.rowsInAll} rows looked at${p.table === null ? '' : `, now in ${p.table}`}.\n`;
    case 'stuck':
      return `${seals} ${far}. ${p.left ?? 0} values that ${from} sealed do not open, ${STILL}.\n`;
    case 'done':
      return `${seals} ${far}. Nothing is sealed by ${from} any more: it may leave CHARTGATE_DATA_KEY. Keep it with the backups from before.\n${
        p.scrubbed === 'partly' ? 'Freed space of the database files could not all be overwritten just now.\n' : ''
      }`;
  }
}

/** Asks a running gateway to retire older data keys, and watches it at that. */
export async function rotateDataKey(
  api: AdminApi,
  terminal: Terminal,
  { begin, wait, form }: { readonly begin: boolean; readonly wait: boolean; readonly form: 'json' | 'text' },
): Promise<number> {
  const bar = makeBar(terminal.stderr);
  let reply: AdminReply<'keys.data'> = await (begin ? api.call('keys.rotateData') : api.call('keys.data'));
  const stopped = terminal.stopped.then(() => 'stopped' as const);
  while (wait && reply.kind === 'done' && (reply.value.state === 'running' || reply.value.state === 'waiting')) {
    const { state, last } = reply.value;
    const part = last === undefined || last.rowsInAll === 0 ? 0 : Math.min(1, last.rows / last.rowsInAll);
    bar.draw(part, `${state}, ${last?.resealed ?? 0} values ${last?.table ?? ''}`.padEnd(50));
    // Whoever stops watching does not stop the gateway.
    if ((await Promise.race([pause(EVERY_MS), stopped])) === 'stopped') break;
    reply = await api.call('keys.data');
  }
  bar.clear();
  const code = reportAnswer(reply, terminal, form, tell);
  return reply.kind === 'done' && reply.value.state === 'stuck' ? EXIT.failed : code;
}
