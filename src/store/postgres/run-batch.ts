import type pg from 'pg';
import { fault, isError, type Fault } from '../../kernel/index.ts';
import type { PostgresContext } from '../commands.ts';
import { writeAdditions } from '../sql/additions.ts';
import { performPostgres } from '../sql/perform.ts';
import type { Addition } from '../sql/statement.ts';
import type { Vault } from '../vault.ts';
import type { Ask, Outcome } from '../write-queue.ts';
import { makeWriterMemory } from '../writer-memory.ts';
import { makeDb, sendTogether } from './connect.ts';
import { COMMIT_DURABLY, isRefusal } from './durability.ts';
import { sqlState, storeFault, wasInTheWay } from './errors.ts';
import type { Commands } from './gather-commands.ts';

export interface BatchResult {
  readonly outcomes: readonly Outcome[];
  /** The trouble of the server, if there was any; what it concerns has it as its outcome. */
  readonly fault: Fault | null;
  /** Whether the connection can be used again. */
  readonly isUsable: boolean;
}

/** After one command waited in vain for a lock, those behind it do not wait that long again. */
const STRAINED_LOCK_MS = 100;
const DEADLOCK_TRIES = 3;
const IN_FAILED_TRANSACTION = '25P02';

/**
 * Thrown through the batch when it must be undone as a whole: for the server's sake, or to run its commands one by one.
 */
class Undo extends Error {
  readonly fault: Fault | null;
  constructor(why: Fault | null, cause?: unknown) {
    super('the batch is undone', { cause });
    this.fault = why;
  }
}

const asError = (thrown: unknown, name: string): Error => (isError(thrown) ? thrown : new Error(`${name} failed`));

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

export function makeRunBatch(client: pg.Client, vault: Vault, writer: string, commands: Commands) {
  const memory = makeWriterMemory();

  /** The connection is pipelined: what is not awaited is answered before what is awaited after it. */
  function send(sql: string): Promise<pg.QueryResult> {
    sendTogether(client);
    const answer = client.query(sql);
    answer.catch(() => undefined);
    return answer;
  }

  function rollBack(sql: string): Promise<pg.QueryResult> {
    memory.forget();
    return send(sql);
  }

  /** The server's own word on an error; where it has none, the connection is asked whether it still lives. */
  async function undoTo(sql: string, thrown: unknown): Promise<void> {
    const known = storeFault(thrown);
    if (known !== null) throw new Undo(fault(known, { cause: thrown }));
    try {
      await rollBack(sql);
    } catch (second) {
      // Answered, so the connection lives: a command before has left the transaction broken, and each must go alone.
      const isAlive = sqlState(second) !== null && storeFault(second) === null;
      throw new Undo(isAlive ? null : fault(storeFault(second) ?? 'store.unreachable', { cause: thrown }));
    }
  }

  async function withDb<T>(additions: Addition[], work: (context: PostgresContext) => Promise<T>): Promise<T> {
    const db = makeDb(client);
    try {
      return await work({ db, vault, writer, memory, engine: 'postgres', additions });
    } finally {
      db.end();
    }
  }

  const write = (additions: readonly Addition[]): Promise<void> =>
    withDb([], (context) => performPostgres(context, writeAdditions(additions)));

  /** With what it adds to counters. */
  async function withAdditions<T>(work: (context: PostgresContext) => Promise<T>): Promise<T> {
    const additions: Addition[] = [];
    const done = await withDb(additions, work);
    await write(additions);
    return done;
  }

  /**
   * PostgreSQL says COMMIT to what it has committed, and warns where a commit that waited for its standby was
   * interrupted: then nobody knows. An answer that never came is the same. Of a transaction that had failed before, it
   * does not come to the commit.
   */
  async function commit(): Promise<'committed' | 'rolled-back' | Fault> {
    const warnings: string[] = [];
    const notice = ({ severity }: { severity?: string | undefined }): void => {
      if (severity === 'WARNING') warnings.push(severity);
    };
    client.on('notice', notice);
    try {
      await send(COMMIT_DURABLY);
      return warnings.length > 0 ? fault('store.commit-unknown') : 'committed';
    } catch (thrown) {
      if (isRefusal(thrown)) return fault('store.not-durable', { cause: thrown });
      const state = sqlState(thrown);
      if (state === IN_FAILED_TRANSACTION) {
        void rollBack('ROLLBACK');
        return 'rolled-back';
      }
      const isAnswered = state !== null && !/^(08|57P)/.test(state);
      return fault(isAnswered ? (storeFault(thrown) ?? 'store.io') : 'store.commit-unknown', { cause: thrown });
    } finally {
      client.off('notice', notice);
    }
  }

  /**
   * One transaction for all. `bare`: a command that throws ends it. `guarded`: with one savepoint for each command or
   * group of like ones, so that it fails alone.
   */
  async function runTogether(asks: readonly Ask[], manner: 'bare' | 'guarded'): Promise<Outcome[]> {
    const releases: Promise<unknown>[] = [];
    const additions: Addition[] = [];
    let n = 0;

    async function within<T>(
      work: (context: PostgresContext) => Promise<T>,
    ): Promise<{ ok: true; value: T } | { ok: false; thrown: unknown }> {
      if (manner === 'bare') return { ok: true, value: await withDb(additions, work) };
      n += 1;
      const name = `command_${n}`;
      void send(`SAVEPOINT ${name}`);
      try {
        const value = await withAdditions(work);
        releases.push(send(`RELEASE ${name}`));
        return { ok: true, value };
      } catch (thrown) {
        // Its locks would be kept by the commands before it: all of them are better off alone.
        if (wasInTheWay(thrown)) throw new Undo(null, thrown);
        await undoTo(`ROLLBACK TO ${name}`, thrown);
        return { ok: false, thrown };
      }
    }

    async function runOne(ask: Ask): Promise<Outcome> {
      const command = commands.one.get(ask.name);
      if (command === undefined) return { done: false, bug: new Error(`no command is named ${ask.name}`) };
      const result = await within((context) => command(context, ask.args));
      return result.ok ? { done: true, out: result.value } : { done: false, bug: asError(result.thrown, ask.name) };
    }

    async function runGroup(group: readonly Ask[]): Promise<Outcome[]> {
      const together = group.length > 1 ? commands.many.get(group[0]?.name ?? '') : undefined;
      if (together !== undefined) {
        const args = group.map((ask) => ask.args);
        const result = await within((context) => together(context, args));
        if (result.ok && result.value.length === group.length) return result.value.map((out) => ({ done: true, out }));
        if (result.ok)
          throw new Undo(null, new Error(`${group[0]?.name ?? ''} answered ${result.value.length} of ${group.length}`));
      }
      const outcomes: Outcome[] = [];
      for (const ask of group) outcomes.push(await runOne(ask));
      return outcomes;
    }

    void send('BEGIN');
    const outcomes: Outcome[] = [];
    for (const one of group(asks, commands.many)) outcomes.push(...(await runGroup(one)));
    await write(additions);
    // A command that caught an error of the database and went on has left the transaction broken behind its back.
    await Promise.all(releases).catch((thrown: unknown) => {
      throw new Undo(null, thrown);
    });
    const end = await commit();
    if (end === 'committed') return outcomes;
    if (end === 'rolled-back') throw new Undo(null);
    throw new Undo(end);
  }

  /** One command in a transaction of its own. */
  async function runAlone(ask: Ask, isStrained: boolean): Promise<Outcome & { wasBlocked?: true }> {
    const command = commands.one.get(ask.name);
    if (command === undefined) return { done: false, bug: new Error(`no command is named ${ask.name}`) };
    for (let tries = 1; ; tries += 1) {
      void send(isStrained ? `BEGIN; SET LOCAL lock_timeout = ${STRAINED_LOCK_MS}` : 'BEGIN');
      try {
        const out = await withAdditions((context) => command(context, ask.args));
        const end = await commit();
        if (end === 'committed') return { done: true, out };
        if (end === 'rolled-back')
          return { done: false, bug: new Error(`${ask.name} went on after an error of the database`) };
        throw new Undo(end);
      } catch (thrown) {
        if (thrown instanceof Undo) throw thrown;
        await undoTo('ROLLBACK', thrown);
        if (!wasInTheWay(thrown)) return { done: false, bug: asError(thrown, ask.name) };
        const isBlocked = sqlState(thrown) === '55P03' || sqlState(thrown) === '57014';
        if (isBlocked || tries === DEADLOCK_TRIES)
          return {
            done: false,
            fault: fault('store.busy', { cause: thrown }),
            ...(isBlocked ? { wasBlocked: true } : {}),
          };
      }
    }
  }

  async function runOneByOne(asks: readonly Ask[]): Promise<BatchResult> {
    const outcomes: Outcome[] = [];
    let isStrained = false;
    for (const ask of asks) {
      try {
        const { wasBlocked, ...outcome } = await runAlone(ask, isStrained);
        isStrained ||= wasBlocked === true;
        outcomes.push(outcome);
      } catch (thrown) {
        if (!(thrown instanceof Undo) || thrown.fault === null) throw thrown;
        const { fault: why } = thrown;
        // Only the one under way may have been stored; those behind it were never begun.
        const behind = why.code === 'store.commit-unknown' ? fault('store.unreachable', { cause: why.cause }) : why;
        asks.slice(outcomes.length).forEach((_, i) => outcomes.push({ done: false, fault: i === 0 ? why : behind }));
        return { outcomes, fault: why, isUsable: false };
      }
    }
    return { outcomes, fault: null, isUsable: true };
  }

  /** A command hardly ever throws: only then is the batch undone and repeated with savepoints. */
  async function runBareFirst(asks: readonly Ask[]): Promise<Outcome[]> {
    try {
      return await runTogether(asks, 'bare');
    } catch (thrown) {
      if (thrown instanceof Undo) throw thrown;
      if (wasInTheWay(thrown)) throw new Undo(null, thrown);
      await undoTo('ROLLBACK', thrown);
    }
    return runTogether(asks, 'guarded');
  }

  /** Never rejects for the database's sake. */
  return async (asks: readonly Ask[]): Promise<BatchResult> => {
    try {
      return { outcomes: await runBareFirst(asks), fault: null, isUsable: true };
    } catch (thrown) {
      if (!(thrown instanceof Undo)) throw thrown;
      const isClean = await rollBack('ROLLBACK').then(
        () => true,
        () => false,
      );
      if (thrown.fault === null && isClean) return runOneByOne(asks);
      const why = thrown.fault ?? fault('store.unreachable', { cause: thrown.cause });
      // A full disk is answered, and the connection is as good as before.
      return {
        outcomes: asks.map(() => ({ done: false, fault: why })),
        fault: why,
        isUsable: isClean && why.code === 'store.full',
      };
    }
  };
}
