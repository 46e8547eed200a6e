import { setTimeout as pause } from 'node:timers/promises';
import type { ContractOf, EventOf } from '../admin/index.ts';
import { StartError } from '../kernel/index.ts';
import { explainRefusal, makeAdminApi, type AdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { parseOptions } from './parse-options.ts';

const help = `Usage: chartgate watch [--url URL] [--json]

What goes on at a running gateway, as it changes: how many deliveries come and go, how many wait, whether the EHR is left
alone, and what became a problem, by reason. Nothing of a patient. Where the gateway is started anew, it goes on from
where it was. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --url URL   where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json      each event as one line of JSON

Exit code: 0 ended by Ctrl-C, or nobody reads on · 1 refused · 2 wrong arguments · 69 no gateway there
`;

type Event = EventOf<ContractOf<'flow.stream'>>;

const AGAIN_MS = 1_000;
/** How often in a row it is tried to come back, about a minute. */
const TRIES = 60;

const perSecond = (rate: number | null): string => (rate === null ? '-' : `${rate.toFixed(1)}/s`);

function flowLine({ at, rates, waiting, byState, target }: Extract<Event, { kind: 'flow' }>['data']): string {
  const oldest = waiting.oldestAt === null ? '' : ` since ${waiting.oldestAt}`;
  return [
    at,
    `received ${perSecond(rates.received)}`,
    `delivered ${perSecond(rates.delivered)}`,
    `${waiting.deliveries} wait${oldest}`,
    `${byState.parked} parked`,
    `${byState.quarantined} quarantined`,
    `breaker ${target.breaker}`,
    ...(target.forwarding === 'running' ? [] : [target.forwarding]),
  ].join('  ');
}

/** One event for people; an event that only says that the stream ends is not shown. */
export function eventLines(event: Event): string {
  switch (event.kind) {
    case 'flow':
      return `${flowLine(event.data)}\n`;
    case 'problems': {
      const { to, problems, isExact } = event.data;
      const least = isExact ? '' : 'at least ';
      return problems
        .map(({ state, reason, count }) => `${to}  ${least}${count} newly ${state}: ${reason ?? 'no reason'}\n`)
        .join('');
    }
    case 'end':
      return '';
  }
}

/** Whoever watches until the process is to stop, or until nobody reads what is written. */
async function watchFlow(api: AdminApi, terminal: Terminal, form: 'json' | 'text'): Promise<number> {
  const { stdout, stderr } = terminal;
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopping = (): boolean => signal.aborted;
  void terminal.stopped.then(() => stopping.abort());
  stdout.on('error', () => stopping.abort());
  let after: string | undefined;
  const session = { isOver: false };
  for (let tries = 0; tries < TRIES && !isStopping() && !session.isOver; tries += 1) {
    try {
      const watched = await api.watch('flow.stream', { after, signal });
      // A gateway that is stopping, or has no room, may take us later; one that does not know us will not.
      if (watched.kind === 'refused' && (after === undefined || watched.status < 500)) {
        stderr.write(`${explainRefusal(watched)}\n`);
        return EXIT.failed;
      }
      for await (const event of watched.kind === 'open' ? watched.events : []) {
        tries = 0;
        after = event.id;
        stdout.write(form === 'json' ? `${JSON.stringify(event)}\n` : eventLines(event));
        session.isOver = event.kind === 'end' && event.data.reason === 'signed-out';
      }
    } catch (thrown) {
      // Cut, or not there: whoever was connected once comes again.
      if (after === undefined && !isStopping()) throw thrown;
    }
    if (!session.isOver) await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
  if (isStopping()) return EXIT.ok;
  if (!session.isOver)
    throw new StartError('cli.unreachable', 'The gateway is gone and did not come back within a minute.');
  stderr.write('The session or key has ended.\n');
  return EXIT.failed;
}

export const watch: Command = {
  name: 'watch',
  summary: 'show what goes on at a running gateway, as it changes',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, { url: { type: 'string' }, json: { type: 'boolean' } }, 'none');
    if (!parsed.ok) return makeUsage(terminal, help)(parsed.wrong);
    const { url, json } = parsed.value.values;
    return watchFlow(makeAdminApi(url, terminal.env), terminal, json === true ? 'json' : 'text');
  },
};
