import { readFileSync } from 'node:fs';
import { ConfigError, loadConfig } from '../config/index.ts';
import { checkConnections, worstOf } from './check-connections.ts';
import { checkParts } from './check-parts.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { parseOptions } from './parse-options.ts';

const help = `Usage: chartgate doctor [--json]

Looks whether a gateway with these settings could work: settings, keys, certificates, mapping data and templates, then
the database, the EHR, the issuer and the health data service. Writes nothing anywhere. The same as "serve --check
--connect", with colours for a person at a terminal (none with NO_COLOR).

  --json   as JSON

Exit code: 0 all is well · 2 wrong arguments · 69 something cannot be reached · 78 something is configured wrongly
`;

const COLOURS = { good: 32, note: 33, bad: 31 } as const;
const SIGNS = { good: '✓', note: '!', bad: '✗' } as const;
type Mark = keyof typeof SIGNS;

/** One line; the sign says as much as the colour. */
const makeSay = (terminal: Terminal) => {
  const isColoured = terminal.stdout.isTTY === true && (terminal.env['NO_COLOR'] ?? '') === '';
  return (mark: Mark, what: string, text: string): void => {
    const sign = isColoured ? `\u001b[${COLOURS[mark]}m${SIGNS[mark]}\u001b[0m` : SIGNS[mark];
    terminal.stdout.write(`${sign} ${what.padEnd(11)} ${text}\n`);
  };
};

/** As far as it goes without asking anybody; problems are told one by one. */
async function loadAll(terminal: Terminal) {
  try {
    const config = loadConfig('serve', terminal.env, (path) => readFileSync(path, 'utf8'));
    await checkParts(config);
    return { config, problems: [] };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { config: null, problems: thrown.problems };
  }
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'look whether a gateway with these settings could work',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, { json: { type: 'boolean' } }, 'none');
    if (!parsed.ok) return makeUsage(terminal, help)(parsed.wrong);
    const isJson = parsed.value.values.json === true;
    const { config, problems } = await loadAll(terminal);
    const connections = config === null ? [] : await checkConnections(config);
    const exit = config === null ? EXIT.config : worstOf(connections);
    const unverified = (config?.weak ?? []).map(({ what }) => what);
    if (isJson) {
      terminal.stdout.write(`${JSON.stringify({ sound: exit === EXIT.ok, problems, unverified, connections })}\n`);
      return exit;
    }
    const say = makeSay(terminal);
    for (const { key, text } of problems) say('bad', 'setting', `${key} ${text}`);
    if (config !== null) say('good', 'settings', 'Settings, keys, certificates, mapping data and templates are sound.');
    for (const one of unverified) say('note', 'weak', one);
    for (const { part, exit: one, text } of connections) say(one === EXIT.ok ? 'good' : 'bad', part, text);
    if (config === null)
      say('note', 'not asked', 'Database, EHR and the others are asked once the settings are sound.');
    return exit;
  },
};
