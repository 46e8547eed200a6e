import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { decideOn, replayOne } from './deliveries-act.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate replay DELIVERY-ID [--conflict keep-theirs|overwrite] [--url URL] [--json]
       chartgate replay --state parked|quarantined|delivered [--reason REASON] [--approve] [--url URL] [--json]

Lets a running gateway look at deliveries again: one, or all of a state. Of delivered ones only what the mapping data
now say otherwise is sent. To decide (--conflict, --approve) asks for the permission plans.decide; "chartgate deliveries
decide" decides on one. The operator's token is taken from CHARTGATE_ADMIN_TOKEN.

  --conflict WHAT  for one that is parked because somebody else changed its resource: keep theirs, or overwrite it
  --state STATE    all of that state
  --reason REASON  of the parked or quarantined ones those alone
  --approve        with --state parked: carry out the plans that were parked as suspicious, ambiguous or identity, as
                   they were shown; only these are looked at again
  --url URL        where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json           the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  conflict: { type: 'string' },
  state: { type: 'string' },
  reason: { type: 'string' },
  approve: { type: 'boolean' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const replay: Command = {
  name: 'replay',
  summary: 'let a running gateway look at deliveries again, one or many',
  help,
  async run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, OPTIONS, 'some');
    if (!parsed.ok) return usage(parsed.wrong);
    const { conflict, state, reason, approve, url, json } = parsed.value.values;
    const [id, ...more] = parsed.value.positionals;
    if (more.length > 0 || (id === undefined) === (state === undefined))
      return usage('Name one delivery, or a --state.');
    if (id !== undefined && (reason !== undefined || approve === true))
      return usage('--reason and --approve go with --state.');
    if (id === undefined && conflict !== undefined) return usage('--conflict goes with one delivery.');
    if (approve === true && state !== 'parked') return usage('--approve goes with --state parked.');
    const form = json === true ? 'json' : 'text';
    const api = makeAdminApi(url, terminal.env);
    // What is not taken, the gateway refuses with what would be.
    if (conflict !== undefined) return decideOn(api, terminal, form, id ?? '', conflict);
    if (id !== undefined) return replayOne(api, terminal, form, id);
    const tell = ({ count }: { readonly count: number }): string => `${count} are looked at again\n`;
    if (approve === true) {
      const query = { reason: reason as 'suspicious' | undefined };
      return reportAnswer(await api.call('deliveries.approveMany', { query }), terminal, form, tell);
    }
    const query = { state: (state ?? '') as 'parked', reason };
    return reportAnswer(await api.call('deliveries.replayMany', { query }), terminal, form, tell);
  },
};
