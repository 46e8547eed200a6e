import { setTimeout as pause } from 'node:timers/promises';
import type { AdminReply, AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi, type AdminApi } from './admin-api.ts';
import { makeUsage, type Command, type Terminal } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { makeBar } from './progress.ts';
import { reportAnswer } from './report-answer.ts';
import { evaluationLine, progressOf, shadowText } from './shadow-report.ts';

const help = `Usage: chartgate shadow report [--watch] [--url URL] [--json]
       chartgate shadow list [--kind KIND] [--reason REASON] [--cursor CURSOR] [--limit N] [--url URL] [--json]
       chartgate shadow evaluate [--kind KIND] [--reason REASON] [--url URL] [--json]
       chartgate shadow leave --confirm N [--url URL] [--json]

Shadow mode (CHARTGATE_MODE=shadow) reads from the EHR and writes nothing. These ask a running gateway what it would
have written, refused and parked, and why; and let go on what waits, once the gateway runs with CHARTGATE_MODE=live.
The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  report           what waits, what would become of it, and what the EHR can do
  list             the same for each delivery, newest first
  evaluate         look again, for example after a patient was registered at the EHR
  leave            forward what waits, in order

  --watch          wait until everything that waits was evaluated, and show how far that is
  --kind KIND      write, nothing-to-write, park, refuse or not-yet
  --reason REASON  a reason or fault code of the report, such as patient or patient.none
  --cursor CURSOR  where the next page of a list begins
  --limit N        how many of a list are shown (default: 50)
  --confirm N      the number of waiting deliveries that the report shows
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  watch: { type: 'boolean' },
  kind: { type: 'string' },
  reason: { type: 'string' },
  cursor: { type: 'string' },
  limit: { type: 'string' },
  confirm: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const WATCH_MS = 2_000;

/** Which options go with which verb. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  report: ['watch'],
  list: ['kind', 'reason', 'cursor', 'limit'],
  evaluate: ['kind', 'reason'],
  leave: ['confirm'],
};

/** Asks until everything was evaluated, or until the process is to stop. */
async function watchReport(api: AdminApi, { stderr, stopped }: Terminal): Promise<AdminReply<'shadow.report'>> {
  const bar = makeBar(stderr);
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  for (;;) {
    const reply = await api.call('shadow.report');
    const isOver = reply.kind === 'refused' || reply.value.state === 'running' || reply.value.pending === 0;
    if (!isOver) {
      const { part, words } = progressOf(reply.value);
      bar.draw(part, words);
      await pause(WATCH_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    if (isOver || stopping.signal.aborted) {
      bar.clear();
      return reply;
    }
  }
}

const tellLeft = ({ outcome, waiting }: AnswerOf<ContractOf<'shadow.leave'>>): string =>
  outcome === 'left'
    ? `${waiting} ${waiting === 1 ? 'is' : 'are'} forwarded now, in order\n`
    : 'Nothing is held back: deliveries are written to the EHR\n';

const tellList = ({ deliveries, next }: AnswerOf<ContractOf<'shadow.deliveries'>>): string =>
  [...deliveries.map(evaluationLine), next === null ? '' : `more: --cursor ${next}\n`].join('');

export const shadow: Command = {
  name: 'shadow',
  summary: 'what would be written to the EHR, and the way out of shadow mode',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, ...values } = parsed.value.values;
    const [verb = '', ...more] = parsed.value.positionals;
    const takes = TAKES[verb];
    if (takes === undefined || more.length > 0) return usage('Say report, list, evaluate or leave.');
    const odd = Object.entries(values).find(([name]) => !takes.includes(name));
    if (odd !== undefined) return usage(`--${odd[0]} does not go with ${verb}.`);
    if (verb === 'leave' && !/^\d{1,12}$/.test(values.confirm ?? ''))
      return usage('Say how many deliveries wait: --confirm N, as chartgate shadow report shows it.');
    const form = json === true ? 'json' : 'text';
    const api = makeAdminApi(url, terminal.env);
    // What is not taken, the gateway refuses with what would be.
    const filter = { kind: values.kind as 'write' | undefined, reason: values.reason };
    switch (verb) {
      case 'report': {
        const reply = values.watch === true ? await watchReport(api, terminal) : await api.call('shadow.report');
        return reportAnswer(reply, terminal, form, shadowText);
      }
      case 'list': {
        const query = { ...filter, cursor: values.cursor, limit: values.limit };
        return reportAnswer(await api.call('shadow.deliveries', { query }), terminal, form, tellList);
      }
      case 'evaluate': {
        const reply = await api.call('shadow.evaluate', { query: filter });
        return reportAnswer(reply, terminal, form, ({ count }) => `${count} are evaluated again\n`);
      }
      default: {
        const reply = await api.call('shadow.leave', { body: { confirm: Number(values.confirm) } });
        return reportAnswer(reply, terminal, form, tellLeft);
      }
    }
  },
};
