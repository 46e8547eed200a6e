import type { AnyCommandFile, CommandContext, PostgresContext } from '../commands.ts';
import { performPostgres } from '../sql/perform.ts';
import type { Program } from '../sql/statement.ts';

export type Run = (context: PostgresContext, args: unknown) => Promise<unknown>;
export type RunMany = (context: PostgresContext, args: readonly unknown[]) => Promise<readonly unknown[]>;

export interface Commands {
  readonly one: ReadonlyMap<string, Run>;
  readonly many: ReadonlyMap<string, RunMany>;
}

/** The commands of all modules by name. Two modules with one name for two commands is a bug, found at start. */
export function gatherCommands(files: readonly AnyCommandFile[], kind: 'writes' | 'reads'): Commands {
  const one = new Map<string, Run>();
  const many = new Map<string, RunMany>();
  for (const file of files) {
    for (const [name, run] of Object.entries(file[kind])) {
      if (one.has(name)) throw new Error(`two commands are named ${name}`);
      const start = run as (context: CommandContext, args: unknown) => Program<unknown>;
      one.set(name, (context, args) => performPostgres(context, start(context, args)));
    }
    if (kind === 'writes')
      for (const [name, run] of Object.entries(file.writesMany ?? {}))
        if (run !== undefined) many.set(name, run as RunMany);
  }
  return { one, many };
}
