import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { collectAfterStart, ownMemory } from '../../kernel/index.ts';
import { makeWriterMemory } from '../writer-memory.ts';
import { storeFault } from './errors.ts';
import { loadCommands } from './load-commands.ts';
import { readKeptKeys } from './migrate.ts';
import { openReader } from './open-database.ts';
import { toThreadError, type FromReader, type ThreadData, type ThreadOutcome, type ToReader } from './protocol.ts';
import { makeStatements } from './statements.ts';

const data = workerData as ThreadData;
const send = (message: FromReader, give: ArrayBuffer[] = []): void => parentPort?.postMessage(message, give);

/** Large bytes in rows go over as they are: nobody here looks at them again. */
const bytesIn = (out: unknown): ArrayBuffer[] =>
  [out]
    .flat()
    .flatMap((row) => (typeof row === 'object' && row !== null ? Object.values(row as Record<string, unknown>) : []))
    .flatMap((value) => (value instanceof Uint8Array ? (ownMemory(value) ?? []) : []));

let db: DatabaseSync | undefined;
const letGo = (): void => db?.close();

async function main(): Promise<void> {
  db = openReader(data.file);
  const commands = await loadCommands(data.commandFiles, 'reads');
  const context = {
    db: makeStatements(db),
    vault: readKeptKeys(db, data.keys),
    writer: data.writer,
    memory: makeWriterMemory(),
    engine: 'sqlite',
  } as const;

  function answer(name: string, args: unknown): ThreadOutcome {
    try {
      const command = commands.get(name);
      if (command === undefined) throw new Error(`no query is named ${name}`);
      return { done: true, out: command(context, args) };
    } catch (thrown) {
      const store = storeFault(thrown);
      const error = toThreadError(thrown);
      return store === null ? { done: false, error } : { done: false, store, error };
    }
  }

  parentPort?.on('message', (message: ToReader) => {
    if (message.kind === 'close') {
      letGo();
      parentPort?.close();
      return;
    }
    const outcome = answer(message.ask.name, message.ask.args);
    try {
      send({ kind: 'read', n: message.n, outcome }, outcome.done ? bytesIn(outcome.out) : []);
    } catch (thrown) {
      send({ kind: 'read', n: message.n, outcome: { done: false, error: toThreadError(thrown) } });
    }
  });
  collectAfterStart();
  send({ kind: 'open' });
}

main().catch((thrown: unknown) => {
  letGo();
  send({ kind: 'refused', error: toThreadError(thrown) });
  parentPort?.close();
});
