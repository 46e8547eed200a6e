import type pg from 'pg';
import { fault, type Fault } from '../../kernel/index.ts';
import type { AnyPostgresFile, PostgresContext } from '../commands.ts';
import type { Ask, Outcome } from '../write-queue.ts';
import { storeFault, wasAnswered, wasInTheWay } from './errors.ts';

type Run = (context: PostgresContext, args: unknown) => Promise<unknown>;
type RunMany = (context: PostgresContext, args: readonly unknown[]) => Promise<readonly unknown[]>;

export interface Commands {
  readonly one: ReadonlyMap<string, Run>;
  readonly many: ReadonlyMap<string, RunMany>;
}

export function gatherCommands(files: readonly AnyPostgresFile[], kind: 'writes' | 'reads'): Commands {
  const one = new Map<string, Run>();
  const many = new Map<string, RunMany>();
  for (const file of files) {
    for (const [name, run] of Object.entries(file[kind])) {
      if (one.has(name)) throw new Error(`two commands are named ${name}`);
      one.set(name, run as Run);
    }
    if (kind === 'writes')
      for (const [name, run] of Object.entries(file.writesMany ?? {})) if (run !== undefined) many.set(name, run as RunMany);
  }
  return { one, many };
}

export type BatchResult =
  | { readonly committed: true; readonly outcomes: readonly Outcome[] }
  /** Nothing of the batch is known to be stored. */
  | { readonly committed: false; readonly fault: Fault };

const TRIES = 3;

/** Neighbours of one name that can go as one. */
function group(asks: readonly Ask[], many: Commands['many']): Ask[][] {
  const groups: Ask[][] = [];
  for (const ask of asks) {
    const last = groups.at(-1);
    if (last?.[0]?.name === ask.name && many.has(ask.name)) last.push(ask);
    else groups.push([ask]);
  }
  return groups;
}

/** One transaction for the batch, one savepoint for each command (or group of like ones): a bad one fails alone. */
export async function runBatch(
  client: pg.Client,
  context: PostgresContext,
  commands: Commands,
  asks: readonly Ask[],
): Promise<BatchResult> {
  // The connection is pipelined: what is not awaited here is answered before what is awaited after it.
  const send = (sql: string): Promise<pg.QueryResult> => {
    const answer = client.query(sql);
    answer.catch(() => undefined);
    return answer;
  };

  async function attempt<T>(run: () => Promise<T>): Promise<{ ok: true; value: T } | { ok: false; thrown: unknown }> {
    for (let tries = 1; ; tries += 1) {
      void send('SAVEPOINT command');
      try {
        const value = await run();
        void send('RELEASE command');
        return { ok: true, value };
      } catch (thrown) {
        if (storeFault(thrown) !== null) throw thrown;
        await send('ROLLBACK TO command');
        void send('RELEASE command');
        if (!wasInTheWay(thrown) || tries === TRIES) return { ok: false, thrown };
      }
    }
  }

  async function runOne(ask: Ask): Promise<Outcome> {
    const command = commands.one.get(ask.name);
    if (command === undefined) return { done: false, bug: new Error(`no command is named ${ask.name}`) };
    const result = await attempt(() => command(context, ask.args));
    if (result.ok) return { done: true, out: result.value };
    if (wasInTheWay(result.thrown)) return { done: false, fault: fault('store.busy', { cause: result.thrown }) };
    return { done: false, bug: result.thrown instanceof Error ? result.thrown : new Error(`${ask.name} failed`) };
  }

  async function runGroup(group: readonly Ask[]): Promise<Outcome[]> {
    const together = group.length > 1 ? commands.many.get(group[0]?.name ?? '') : undefined;
    if (together !== undefined) {
      const result = await attempt(() =>
        together(
          context,
          group.map((ask) => ask.args),
        ),
      );
      if (result.ok) return group.map((_, i) => ({ done: true, out: result.value[i] }));
    }
    const outcomes: Outcome[] = [];
    for (const ask of group) outcomes.push(await runOne(ask));
    return outcomes;
  }

  const outcomes: Outcome[] = [];
  try {
    void send('BEGIN');
    for (const one of group(asks, commands.many)) outcomes.push(...(await runGroup(one)));
  } catch (thrown) {
    await send('ROLLBACK').catch(() => undefined);
    return { committed: false, fault: fault(storeFault(thrown) ?? 'store.io', { cause: thrown }) };
  }
  try {
    const { command } = await send('COMMIT');
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, and without an error.
    if (command !== 'COMMIT') return { committed: false, fault: fault('store.io') };
    return { committed: true, outcomes };
  } catch (thrown) {
    const code = wasAnswered(thrown) ? (storeFault(thrown) ?? 'store.io') : 'store.commit-unknown';
    return { committed: false, fault: fault(code, { cause: thrown }) };
  }
}
