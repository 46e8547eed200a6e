import { setTimeout as pause } from 'node:timers/promises';
import type { AdminAnswer, AdminApi } from './admin-api.ts';
import { EXIT, type Terminal } from './command.ts';
import { makeBar } from './progress.ts';
import { reportAnswer } from './report-answer.ts';

const EVERY_MS = 500;

interface Progress {
  readonly from: readonly string[];
  readonly table: string | null;
  readonly rows: number;
  readonly rowsInAll: number;
  readonly resealed: number;
  readonly left: number | null;
  readonly scrubbed: string | null;
}

const lastOf = ({ body }: AdminAnswer): Progress | null => (body['last'] ?? null) as Progress | null;
const isUnderWay = ({ status, body }: AdminAnswer): boolean =>
  status === 200 && (body['state'] === 'running' || body['state'] === 'waiting');

const STILL = 'so it must stay in CHARTGATE_DATA_KEY';

function tell({ state, sealing, older, last }: Readonly<Record<string, unknown>>): string {
  const seals = `${String(sealing)} seals.`;
  const needed = (older as string[]).join(', ');
  const p = (last ?? null) as Progress | null;
  if (p === null || state === 'none')
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
    default:
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
  let answer = await (begin ? api.ask('POST', 'keys/data/rotate') : api.ask('GET', 'keys/data'));
  const stopped = terminal.stopped.then(() => 'stopped' as const);
  while (wait && isUnderWay(answer)) {
    const last = lastOf(answer);
    const part = last === null || last.rowsInAll === 0 ? 0 : Math.min(1, last.rows / last.rowsInAll);
    bar.draw(part, `${String(answer.body['state'])}, ${last?.resealed ?? 0} values ${last?.table ?? ''}`.padEnd(50));
    // Whoever stops watching does not stop the gateway.
    if ((await Promise.race([pause(EVERY_MS), stopped])) === 'stopped') break;
    answer = await api.ask('GET', 'keys/data');
  }
  bar.clear();
  const code = reportAnswer(answer, terminal, form, tell);
  return code === EXIT.ok && answer.body['state'] === 'stuck' ? EXIT.failed : code;
}
