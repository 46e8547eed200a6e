import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { makeNotes } from '../../../src/gateway/history.ts';
import type { LoadedTranslationContext } from '../../../src/judge/index.ts';
import { fail, fault, ok, type Result } from '../../../src/kernel/index.ts';
import { testClock } from '../../support/clock.ts';
import { collectLog } from '../../support/collect-log.ts';

const NOTHING_LOADED = { data: { files: new Map(), templates: new Map(), guides: [] } } as unknown;

function noting(written: Promise<Result<unknown>>) {
  const log = collectLog();
  const history = { write: () => written } as never;
  const notes = makeNotes({ tenant: 'main', history, clock: testClock(), log });
  const loaded = ok({ version: 'v', changed: 'changed', templates: 0 } as const);
  return { log, noted: notes.loaded(loaded, NOTHING_LOADED as LoadedTranslationContext, 'eve') };
}

test('a load is noted once the store has it, so that whoever asked for it finds it in the history', async () => {
  const { promise, resolve } = Promise.withResolvers<Result<unknown>>();
  const { noted } = noting(promise);
  let isNoted = false;
  void noted.then(() => (isNoted = true));
  await setImmediate();
  expect(isNoted).toBe(false);
  resolve(ok({ seq: 1 }));
  await noted;
});

test.each([
  ['a store that cannot take it', () => Promise.resolve(fail(fault('store.unreachable'))), 'warn'],
  ['a bug', () => Promise.reject(new Error('bug')), 'error'],
] as const)('%s is a line of the log, and the load stands', async (_name, written, level) => {
  const { log, noted } = noting(written());
  await noted;
  expect(log.lines).toMatchObject([{ level, event: 'history.not-stored' }]);
});
