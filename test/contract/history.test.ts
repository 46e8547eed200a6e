import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { historySet, type Entry } from '../../src/history/index.ts';
import type { Store } from '../../src/store/index.ts';
import { must, tenant } from '../support/lane-tools.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const atMinute = (minute: number): Date => new Date(Date.UTC(2026, 2, 1, 12, minute));
const sound = (version: string, facts: Entry['facts'] = {}): Entry => ({
  actor: 'gateway',
  outcome: 'ok',
  faultCode: null,
  version,
  size: 1,
  facts,
  problems: [],
});
const failed = (faultCode: string): Entry => ({ ...sound(''), outcome: 'failed', faultCode });

describe.each(PLACES)('history on %s', (_, newPlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await newPlace();
    store = await place.open({ sets: [historySet] });
  });
  afterEach(() => place.remove());

  const note = async (entry: Entry, minute = 0, list: 'probe' | 'load' = 'probe') =>
    must(await store.use(historySet).write('history.note', { tenant, list, at: atMinute(minute), entry }));
  const list = async (limit = 1_000, before: number | null = null, of: 'probe' | 'load' = 'probe') =>
    must(await store.use(historySet).read('history.list', { tenant, list: of, before, limit }));

  test('what is found again stands once, with how often and until when', async () => {
    await note(sound('a'), 0);
    await note(sound('a'), 1);
    expect(await note(sound('a'), 2)).toMatchObject({ count: 3, changes: [] });
    await note({ ...sound('a'), actor: 'ann' }, 3);
    expect(await list()).toMatchObject([
      { actor: 'ann', count: 1, firstAt: atMinute(3).getTime() },
      { actor: 'gateway', count: 3, firstAt: atMinute(0).getTime(), lastAt: atMinute(2).getTime() },
    ]);
  });

  test('changes are told against the last that succeeded, whatever failed between', async () => {
    await note(sound('a', { software: 'one', batch: 'no', gone: 'x' }));
    await note(failed('ehr.unreachable'));
    await note(failed('ehr.unreachable'));
    expect(await note(sound('b', { software: 'two', batch: 'no', come: 'y' }))).toMatchObject({
      changes: [
        { what: 'come', from: null, to: 'y' },
        { what: 'gone', from: 'x', to: null },
        { what: 'software', from: 'one', to: 'two' },
      ],
    });
    expect((await list()).map(({ outcome, faultCode, count }) => [outcome, faultCode, count])).toEqual([
      ['ok', null, 1],
      ['failed', 'ehr.unreachable', 2],
      ['ok', null, 1],
    ]);
  });

  test('lists are apart, in pages, and bounded', async () => {
    await note(sound('load'), 0, 'load');
    for (let n = 0; n < 505; n += 1) await note(sound(`v${n}`));
    const all = await list();
    expect([all.length, all[0]?.version, all.at(-1)?.version]).toEqual([500, 'v504', 'v5']);
    const first = await list(2);
    expect((await list(2, first[1]?.seq)).map(({ version }) => version)).toEqual(['v502', 'v501']);
    expect((await list(10, null, 'load')).map(({ version }) => version)).toEqual(['load']);
  });

  test('two processes that find the same at once lose nothing', async () => {
    await note(sound('a'));
    await Promise.all(Array.from({ length: 10 }, () => note(sound('a'))));
    expect((await list()).reduce((sum, { count }) => sum + count, 0)).toBe(11);
  });
});
