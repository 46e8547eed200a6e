import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditSet } from '../../../src/audit/index.ts';
import { runLanes, type LanesDeps } from '../../../src/forward/index.ts';
import { makePretranslations } from '../../../src/judge/index.ts';
import { deliverSet, laneSet } from '../../../src/lanes/index.ts';
import { guardTarget } from '../../../src/ehr/index.ts';
import { identitySet } from '../../../src/identity/index.ts';
import { inboxSet } from '../../../src/inbox/index.ts';
import { makeBudget, systemClock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { collectLog } from '../../support/collect-log.ts';
import { newId } from '../../support/gateway.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

/** More asks than an honest second has; from then on nothing answers, so that a loop ends and can be told. */
const ASKS_MAX = 50;

let place: Place;
let store: Store;
beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
});
afterEach(() => place.remove());

const never = <T>(): Promise<T> => new Promise(() => undefined);

function lanesThatCount(target: LanesDeps['target']) {
  const { write, read, ...rest } = store.use(laneSet);
  const counted = { asked: 0 };
  const lanes: LanesDeps['lanes'] = {
    ...rest,
    write: (...given) => (++counted.asked > ASKS_MAX ? never() : write(...given)),
    read: (...given) => (++counted.asked > ASKS_MAX ? never() : read(...given)),
  };
  const log = collectLog();
  const budget = makeBudget(64 * 1024 * 1024);
  const sender = runLanes({
    tenant: 'default',
    owner: 'ins_1',
    lanes,
    translationContext: () => {
      throw new Error('nothing is read here');
    },
    target,
    guard: guardTarget({ clock: systemClock, log }),
    pretranslated: makePretranslations(budget),
    pretranslate: () => Promise.resolve(null),
    budget,
    habits: { load: () => Promise.resolve() } as LanesDeps['habits'],
    contentKey: '',
    clock: systemClock,
    log,
    newId,
    spread: () => 0,
    onFinished: () => undefined,
  });
  return { sender, counted };
}

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a store that is closed before the first sign of life is not asked again and again', async () => {
  const { sender, counted } = lanesThatCount(() => null);
  await store.close();
  sender.wake();
  await turns(10);
  expect(counted.asked).toBe(0);
  await sender.start();
  await turns(10);
  const afterStart = counted.asked;
  sender.wake();
  await turns(10);
  expect(counted.asked - afterStart).toBe(1);
  await sender.stop();
});

test('nor is one that closes later', async () => {
  const { sender, counted } = lanesThatCount(() => ({}) as ReturnType<LanesDeps['target']>);
  await sender.start();
  while (counted.asked < 3) await turns(1);
  await store.close();
  const before = counted.asked;
  sender.wake();
  await turns(10);
  expect(counted.asked - before).toBeLessThan(4);
  await sender.stop();
});
