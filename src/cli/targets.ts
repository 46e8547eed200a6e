import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';
import { laneLine, moreLine, probeText, targetLine, targetText } from './targets-report.ts';

const help = `Usage: chartgate targets list [--url URL] [--json]
       chartgate targets show [--url URL] [--json]
       chartgate targets pause|resume [--url URL] [--json]
       chartgate targets probe [--url URL] [--json]
       chartgate targets probes [--limit N] [--cursor CURSOR] [--url URL] [--json]
       chartgate targets lanes [--limit N] [--cursor CURSOR] [--url URL] [--json]

The EHR of a running gateway. The token or API key is taken from CHARTGATE_ADMIN_TOKEN.

  list             its state in a line
  show             what it can, how it is written to, and what waits for it
  pause, resume    stop sending, and go on; deliveries wait in their lanes meanwhile
  probe            ask it now what it can, and wait for the answer
  probes           what each probe found, and what had changed since the one before
  lanes            patients whose deliveries wait, the longest wait first, and why

  --limit N        how many of a list are shown (default: 50)
  --cursor CURSOR  where the next page of a list begins
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused, or the probe failed · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  limit: { type: 'string' },
  cursor: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const VERBS = ['list', 'show', 'pause', 'resume', 'probe', 'probes', 'lanes'] as const;
const params = { id: 'ehr' };

const tellProbes = ({ probes, next }: AnswerOf<ContractOf<'targets.probes'>>): string =>
  probes.map(probeText).join('') + moreLine(next);
const tellLanes = ({ waiting, lanes, next }: AnswerOf<ContractOf<'targets.lanes'>>): string =>
  `${waiting.jobs} wait in ${waiting.lanes} lanes\n${lanes.map(laneLine).join('')}${moreLine(next)}`;

export const targets: Command = {
  name: 'targets',
  summary: 'the EHR: what it can and what waits for it; pause, resume, probe',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, json, ...query } = parsed.value.values;
    const [said, ...more] = parsed.value.positionals;
    const verb = VERBS.find((one) => one === said);
    if (verb === undefined || more.length > 0) return usage(`Say one of ${VERBS.join(', ')}.`);
    const isList = verb === 'probes' || verb === 'lanes';
    if (!isList && Object.keys(query).length > 0) return usage('--limit and --cursor go with probes and lanes.');
    const form = json === true ? 'json' : 'text';
    const api = makeAdminApi(url, terminal.env);
    switch (verb) {
      case 'list':
        return reportAnswer(await api.call('targets.list'), terminal, form, (all) =>
          all.targets.map(targetLine).join(''),
        );
      case 'show':
        return reportAnswer(await api.call('targets.list'), terminal, form, (all) =>
          all.targets.map(targetText).join(''),
        );
      case 'pause':
        return reportAnswer(await api.call('targets.pause', { params }), terminal, form, ({ state }) => `${state}\n`);
      case 'resume':
        return reportAnswer(await api.call('targets.resume', { params }), terminal, form, ({ state }) => `${state}\n`);
      case 'probe': {
        const reply = await api.call('targets.probe', { params });
        const code = reportAnswer(reply, terminal, form, probeText);
        return reply.kind === 'done' && reply.value.outcome === 'failed' ? EXIT.failed : code;
      }
      case 'probes':
        return reportAnswer(await api.call('targets.probes', { params, query }), terminal, form, tellProbes);
      case 'lanes':
        return reportAnswer(await api.call('targets.lanes', { params, query }), terminal, form, tellLanes);
    }
  },
};
