import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PostgresDb } from '../../../src/store/commands.ts';
import { performPostgres } from '../../../src/store/sql/perform.ts';
import { fragment, get, insert, lockEach, send, sendOne, type Program } from '../../../src/store/sql/statement.ts';
import { rowsOf } from '../../../src/store/sql/rows.ts';

type Act = 'get' | 'send' | 'insert' | 'lock' | 'one';
const ROWS = rowsOf('t', { n: 'int' });

/**
 * A connection as PostgreSQL has it inside a transaction: it answers in the order of asking, and behind a statement that
 * failed it refuses all others. Answers come together or one by one.
 */
function connection(failsAt: number | null, answersAtOnce: number) {
  const waiting: (() => void)[] = [];
  const sentBefore: number[] = [];
  let asked = 0;
  let answered = 0;
  let hasFailed = false;
  const answerSome = (): void => {
    for (const answer of waiting.splice(0, answersAtOnce)) answer();
    if (waiting.length > 0) setImmediate(answerSome);
  };
  function ask<T>(value: T): Promise<T> {
    const n = asked;
    asked += 1;
    sentBefore.push(answered);
    if (waiting.length === 0) setImmediate(answerSome);
    return new Promise((resolve, reject) => {
      waiting.push(() => {
        answered += 1;
        if (hasFailed) reject(new Error('current transaction is aborted'));
        else if (n === failsAt) {
          hasFailed = true;
          reject(new Error(`statement ${n} failed`));
        } else resolve(value);
      });
    });
  }
  const db: PostgresDb = {
    get: () => ask({ found: 1 }),
    all: () => ask([]),
    run: (text) => ask({ changes: text.includes('nothing') ? 0 : 1 }),
  };
  /** `sentBefore`: how many answers had come when each statement was sent. */
  return { db, sentBefore, unanswered: () => asked - answered };
}

function* step(act: Act): Program<void> {
  if (act === 'get') yield* get`SELECT 1`;
  else if (act === 'send') yield* send`UPDATE t SET n = 1`;
  else if (act === 'insert') yield* insert(ROWS, [{ n: 1 }]);
  else if (act === 'lock') yield* lockEach([fragment`SELECT 1 FOR UPDATE`]);
  else yield* sendOne(fragment`UPDATE t SET n = 2`, 'not one row');
}
function* program(acts: readonly Act[]): Program<string> {
  for (const act of acts) yield* step(act);
  return 'done';
}

const someActs = fc.array(fc.constantFrom<Act>('get', 'send', 'insert', 'lock', 'one'), {
  minLength: 1,
  maxLength: 12,
});

test('what tells nothing is not waited for, everything is answered at the end, and of what fails the first is told', async () => {
  await fc.assert(
    fc.asyncProperty(someActs, fc.option(fc.nat(11)), fc.integer({ min: 1, max: 4 }), async (acts, failsAt, atOnce) => {
      const { db, sentBefore, unanswered } = connection(failsAt, atOnce);
      const ended = await performPostgres({ db }, program(acts)).catch((thrown: unknown) => (thrown as Error).message);
      const hasFailed = failsAt !== null && failsAt < acts.length;
      expect(ended).toBe(hasFailed ? `statement ${failsAt} failed` : 'done');
      if (hasFailed) return;
      expect(unanswered()).toBe(0);
      // Each was sent as soon as the last that is heard before it was answered.
      expect(sentBefore).toEqual(acts.map((_, i) => acts.slice(0, i).lastIndexOf('get') + 1));
    }),
  );
});

test('a statement that should change one row, and does not, fails the command with its words', async () => {
  function* change(): Program<string> {
    yield* sendOne(fragment`UPDATE nothing`, 'it is not there');
    yield* send`UPDATE t`;
    return 'done';
  }
  await expect(performPostgres({ db: connection(null, 1).db }, change())).rejects.toThrow('it is not there');
});

test('a command that throws by itself tells of what failed before that', async () => {
  function* thrower(): Program<string> {
    yield* send`UPDATE t`;
    throw new Error('of its own');
    return 'done';
  }
  await expect(performPostgres({ db: connection(null, 1).db }, thrower())).rejects.toThrow('of its own');
  await expect(performPostgres({ db: connection(0, 1).db }, thrower())).rejects.toThrow('statement 0 failed');
});
