import type { SqliteContext, SqliteFile } from '../commands.ts';
import { isProgram, performSqlite } from '../sql/perform.ts';

type Run = (context: SqliteContext, args: unknown) => unknown;

/** The commands of all modules by name. Two modules with one name for two commands is a bug, found at start. */
export async function loadCommands(files: readonly string[], kind: 'writes' | 'reads'): Promise<Map<string, Run>> {
  const all = new Map<string, Run>();
  for (const file of files) {
    const loaded = (await import(file)) as SqliteFile;
    for (const [name, run] of Object.entries<Run>(loaded[kind])) {
      if (all.has(name)) throw new Error(`two commands are named ${name}`);
      all.set(name, (context, args) => {
        const given = run(context, args);
        return isProgram(given) ? performSqlite(context, given) : given;
      });
    }
  }
  return all;
}
