import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';
import { wordsOfHelp } from './words-of-help.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const help = `Usage: chartgate completion bash|zsh|fish [--json]

Prints what your shell needs to complete commands, subcommands and options.

  bash   source <(chartgate completion bash)       in ~/.bashrc
  zsh    source <(chartgate completion zsh)        in ~/.zshrc, after compinit
  fish   chartgate completion fish | source        in ~/.config/fish/config.fish

  --json the words themselves as JSON

Exit code: 0 done · 2 wrong arguments
`;

/** Summaries hold no quotes that a shell would take for its own. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;

function forBash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const { subcommands, options } = wordsOfHelp(command);
    return `    ${command.name}) words=${quoted([...subcommands, ...options].join(' '))} ;;`;
  });
  return `_chartgate() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  case "$([ "$COMP_CWORD" -gt 1 ] && echo "\${COMP_WORDS[1]}")" in
${cases.join('\n')}
    *) words=${quoted([...commands.map(({ name }) => name), '--help', '--version'].join(' '))} ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _chartgate chartgate
`;
}

function forZsh(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map((command) => {
    const { subcommands, options } = wordsOfHelp(command);
    return `    ${command.name}) compadd -- ${[...subcommands, ...options].join(' ')}; _files ;;`;
  });
  return `#compdef chartgate
_chartgate() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _chartgate chartgate
`;
}

function forFish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const { subcommands, options } = wordsOfHelp(command);
    const within = `-n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c chartgate -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
      ...(subcommands.length === 0 ? [] : [`complete -c chartgate ${within} -a ${quoted(subcommands.join(' '))}`]),
      ...options.map((option) => `complete -c chartgate ${within} -l ${option.slice(2)}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}

const WRITE: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: forBash,
  zsh: forZsh,
  fish: forFish,
};
const isShell = (word: string | undefined): word is Shell => SHELLS.some((shell) => shell === word);

/** `commands`: all of them, this one included. */
export const makeCompletion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'what a shell needs to complete commands',
  help,
  run(args, terminal) {
    const usage = makeUsage(terminal, help);
    const parsed = parseOptions(args, { json: { type: 'boolean' } }, 'some');
    if (!parsed.ok) return Promise.resolve(usage(parsed.wrong));
    const { values, positionals } = parsed.value;
    const [shell, ...more] = positionals;
    const words = commands().map((command) => ({ name: command.name, ...wordsOfHelp(command) }));
    if (values.json === true && positionals.length === 0) {
      terminal.stdout.write(`${JSON.stringify(words)}\n`);
      return Promise.resolve(EXIT.ok);
    }
    if (!isShell(shell) || more.length > 0) return Promise.resolve(usage(`Name one shell: ${SHELLS.join(', ')}.`));
    terminal.stdout.write(values.json === true ? `${JSON.stringify(words)}\n` : WRITE[shell](commands()));
    return Promise.resolve(EXIT.ok);
  },
});
