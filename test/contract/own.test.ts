import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Result } from '../../src/kernel/index.ts';
import { openForReading, storeSet, type ReadOnlyStore } from '../../src/store/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};

describe.each(PLACES)('what a database says of itself on %s', (_engine, makePlace) => {
  let place: Place;
  const looked: ReadOnlyStore[] = [];
  beforeEach(async () => {
    place = await makePlace();
  });
  afterEach(async () => {
    await Promise.all(looked.splice(0).map((one) => one.close()));
    await place.remove();
  });
  const look = async () => {
    const store = await openForReading(place.database, [storeSet]);
    looked.push(store);
    return store.use(storeSet);
  };

  test('one of ours says which it is, takes the beat, and has no flaws', async () => {
    const store = await place.open();
    expect(must(await store.use(storeSet).write('store.beat', { nowMs: 1 }))).toBeNull();
    const about = must(await (await look()).read('store.about', null));
    expect(about).toEqual(must(await store.use(storeSet).read('store.about', null)));
    expect(about).toMatchObject({ environment: 'production', usedKeys: [expect.stringMatching(/^[0-9a-f]+$/)] });
    expect(about?.schema).toBeGreaterThan(0);
    expect(must(await (await look()).read('store.flaws', null))).toEqual([]);
  });

  test('one that is not ours says nothing', async () => {
    await place.tamper('CREATE TABLE somebody_elses (n INTEGER)');
    expect(must(await (await look()).read('store.about', null))).toBeNull();
  });
});
