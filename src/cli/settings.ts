import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { reportAnswer } from './report-answer.ts';

const help = `Usage: chartgate settings [--all] [--url URL] [--json]

The settings that a running gateway has in force, without secrets, how old its keys are (the data keys, the key of the
audit's checkpoints, and the keys of id tokens), and which settings are weak, with what would mend each. The operator's
token is taken from CHARTGATE_ADMIN_TOKEN.

  --all       also settings that are not set
  --url URL   where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json      the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = { all: { type: 'boolean' }, url: { type: 'string' }, json: { type: 'boolean' } } as const;

export const settings: Command = {
  name: 'settings',
  summary: 'what a running gateway is configured with, what of it is weak, and how old its keys are',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'none');
    if (!parsed.ok) return makeUsage(terminal, help)(parsed.wrong);
    const { all, url, json } = parsed.value.values;
    const reply = await makeAdminApi(url, terminal.env).call('settings.get');
    return reportAnswer(reply, terminal, json === true ? 'json' : 'text', (found) =>
      [
        ...found.settings
          .filter(({ from }) => all === true || from !== 'none')
          .map(
            ({ key, value, from }) =>
              `${key.padEnd(38)} ${value ?? 'not set'}${from === 'none' ? '' : `  (${from})`}\n`,
          ),
        '\n',
        ...found.keys.map(({ kind, id, isInUse, since, ageDays }) =>
          [
            `${kind} key`.padEnd(13),
            id,
            isInUse ? 'in use' : 'older',
            since === null ? 'not used yet\n' : `since ${since}, ${ageDays ?? 0} days\n`,
          ].join('  '),
        ),
        ...(found.weak.length === 0 ? [] : ['\n']),
        ...found.weak.map(({ key, what, mend }) => `weak: ${key}: ${what}\n      ${mend}\n`),
      ].join(''),
    );
  },
};
