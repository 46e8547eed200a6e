import { DatabaseSync } from 'node:sqlite';
import type { CommandContext, Program } from '../../src/store/index.ts';
import type { SqliteDb } from '../../src/store/commands.ts';
import { performSqlite } from '../../src/store/sql/perform.ts';
import type { Place } from './new-store.ts';

/** How SQLite would go about each statement of a read: one line a step. Nothing is found by any of them. */
export function explainSqlite(place: Place, program: (context: CommandContext) => Program<unknown>): string[] {
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const file = new DatabaseSync(place.database.file, { readOnly: true });
  const plans: string[] = [];
  const explain = (text: string, ...values: (string | Uint8Array)[]): void => {
    for (const { detail } of file.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)) plans.push(String(detail));
  };
  const explained = {
    all: (text: string, ...values: (string | Uint8Array)[]) => {
      explain(text, ...values);
      return [];
    },
    get: explain,
  } as unknown as SqliteDb;
  const context = { db: explained, vault: { index: () => Buffer.alloc(32) } } as unknown as CommandContext;
  performSqlite({ db: explained }, program(context));
  file.close();
  return plans;
}
