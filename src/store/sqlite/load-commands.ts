import type { AnyCommandFile, CommandContext, SqliteContext } from '../commands.ts';
import { performSqlite } from '../sql/perform.ts';
import type { Program } from '../sql/statement.ts';

export type Run = (context: SqliteContext, args: unknown) => unknown;

/** The commands of all modules by name. Two modules with one name for two commands is a bug, found at start. */
export async function loadCommands(files: readonly string[], kind: 'writes' | 'reads'): Promise<Map<string, Run>> {
  const all = new Map<string, Run>();
  for (const file of files) {
    const loaded = (await import(file)) as AnyCommandFile;
    for (const [name, run] of Object.entries(loaded[kind])) {
      if (all.has(name)) throw new Error(`two commands are named ${name}`);
      const start = run as (context: CommandContext, args: unknown) => Program<unknown>;
      all.set(name, (context, args) => performSqlite(context, start(context, args)));
    }
  }
  return all;
}
