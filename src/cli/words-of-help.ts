import type { Command } from './command.ts';

/** What can stand behind the name of a command, as its help says. */
export interface WordsOfHelp {
  /** Such as `list` of `clients list`; empty where the command has none. */
  readonly subcommands: readonly string[];
  /** Such as `--json`. */
  readonly options: readonly string[];
}

/** The help is the one place that names them, so that completion and advice cannot know others than it tells. */
export function wordsOfHelp({ name, help }: Pick<Command, 'name' | 'help'>): WordsOfHelp {
  const usage = [...help.matchAll(new RegExp(`chartgate ${name} ([a-z][a-z-]*(?:\\|[a-z-]+)*)(?=[ \\n])`, 'g'))];
  return {
    subcommands: [...new Set(usage.flatMap(([, words = '']) => words.split('|')))],
    options: [...new Set([...help.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option).concat('--help'))],
  };
}
