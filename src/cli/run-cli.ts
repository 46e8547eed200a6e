import { ConfigError } from '../config/index.ts';
import { StartError } from '../kernel/index.ts';
import { VERSION } from '../gateway/index.ts';
import { accounts } from './accounts.ts';
import { backup } from './backup.ts';
import { clients } from './clients.ts';
import { makeCompletion } from './completion.ts';
import { connections } from './connections.ts';
import { didYouMean } from './did-you-mean.ts';
import { doctor } from './doctor.ts';
import { init } from './init.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { audit } from './audit.ts';
import { deliveries } from './deliveries.ts';
import { demo } from './demo-command.ts';
import { ehr } from './ehr.ts';
import { erase } from './erase.ts';
import { exitOf } from './exit-of.ts';
import { exports } from './exports.ts';
import { explain as explainCommand } from './explain.ts';
import { grants } from './grants.ts';
import { groups } from './groups.ts';
import { jobs } from './jobs.ts';
import { subscriptions } from './subscriptions.ts';
import { keys } from './keys.ts';
import { operators } from './operators.ts';
import { patients } from './patients.ts';
import { ledger } from './ledger.ts';
import { mappings } from './mappings.ts';
import { link } from './link.ts';
import { links } from './links.ts';
import { replay } from './replay.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { settings } from './settings.ts';
import { shadow } from './shadow.ts';
import { targets } from './targets.ts';
import { unmapped } from './unmapped.ts';
import { validateCommand, validateHelp } from './validate.ts';
import { watch } from './watch.ts';
import { webhooks } from './webhooks.ts';
import { wordsOfHelp } from './words-of-help.ts';

const validate: Command = {
  name: 'validate',
  summary: 'check FHIR R4 resources in files',
  help: validateHelp,
  run: (args, terminal) => validateCommand(args, terminal),
};

export const COMMANDS: readonly Command[] = [
  init,
  doctor,
  serve,
  demo,
  validate,
  explainCommand,
  ledger,
  deliveries,
  watch,
  webhooks,
  replay,
  jobs,
  subscriptions,
  shadow,
  targets,
  unmapped,
  mappings,
  link,
  links,
  patients,
  connections,
  groups,
  erase,
  clients,
  accounts,
  grants,
  exports,
  operators,
  keys,
  ehr,
  settings,
  audit,
  backup,
  restore,
  makeCompletion(() => COMMANDS),
];

const overview = (): string => `Chartgate ${VERSION}: wearable and laboratory data into the chart.

Usage: chartgate <command> [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(13)} ${summary}`).join('\n')}

chartgate <command> --help tells more about each.
`;

function explain(thrown: unknown, terminal: Terminal, isJson: boolean): number {
  const say = (code: string, message: string, problems?: unknown): void =>
    void terminal.stderr.write(
      isJson
        ? `${JSON.stringify({ code, message, ...(problems === undefined ? {} : { problems }) })}\n`
        : `${message}\n`,
    );
  if (thrown instanceof ConfigError) {
    say('config', thrown.message, thrown.problems);
    return EXIT.config;
  }
  if (thrown instanceof StartError) {
    say(thrown.code, thrown.message);
    return exitOf(thrown);
  }
  throw thrown;
}

/**
 * Finds the command and runs it; what stops it from starting is told in a sentence, everything else is a bug and
 * rejects.
 */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.stdout.write(overview());
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version') {
    terminal.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    const names = COMMANDS.map((one) => one.name);
    terminal.stderr.write(`There is no command of that name.${didYouMean(name, names)}\nTry "chartgate --help".\n`);
    return EXIT.usage;
  }
  if (args.includes('--help') || args.includes('-h')) {
    terminal.stdout.write(command.help);
    return EXIT.ok;
  }
  const { subcommands } = wordsOfHelp(command);
  const [subcommand = '-'] = args;
  if (subcommands.length > 0 && !subcommand.startsWith('-') && !subcommands.includes(subcommand))
    return makeUsage(
      terminal,
      command.help,
    )(`${name} has no subcommand of that name.${didYouMean(subcommand, subcommands)}`);
  try {
    return await command.run(args, terminal);
  } catch (thrown) {
    return explain(thrown, terminal, args.includes('--json'));
  }
}
