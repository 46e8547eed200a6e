import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock, type Clock } from '../../../src/kernel/index.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

const MINUTE = 60_000;
const AHEAD = [
  ['ten minutes', 10 * MINUTE],
  ['a day', 24 * 60 * MINUTE],
] as const;

describe.each(PLACES.flatMap(([engine, makePlace]) => AHEAD.map(([name, ms]) => ({ engine, makePlace, name, ms }))))(
  'a life with a clock that is ahead by $name, and the next with the right one, on $engine',
  ({ makePlace, ms }) => {
    let rig: Rig;
    let offset = ms;
    const clock: Clock = {
      now: () => new Date(systemClock.now().getTime() + offset),
      monotonicMs: systemClock.monotonicMs,
    };
    beforeAll(async () => {
      rig = await startRig(makePlace, { clock, traits: { noClientIds: true } });
    });
    afterAll(() => rig.stop());

    test('nobody waits for the clock to catch up', async () => {
      const users = ['written', 'told-to-wait', 'in-doubt'];
      for (const userId of users) {
        await rig.enrol(userId);
        await rig.deliver(aClinicalReady({ userId, observations: 1, day: '2026-11-01', bundleId: `warm-${userId}` }));
      }
      rig.ehr.board.setRules([{ method: 'POST', drop: 'after-commit', times: 1 }]);
      const inDoubt = await rig.send(aClinicalReady({ userId: 'in-doubt', observations: 4, bundleId: 'in-doubt' }));
      await rig.until(inDoubt, ({ steps }) => steps.some(({ to }) => to === 'unknown'));
      rig.ehr.board.setRules([{ status: 503, retryAfter: '3600' }]);
      const toldToWait = await rig.send(
        aClinicalReady({ userId: 'told-to-wait', observations: 4, bundleId: 'told-to-wait' }),
      );
      await rig.until(
        toldToWait,
        ({ steps }) => steps.filter(({ to }) => to === 'sending' || to === 'queued').length > 1,
      );

      await rig.restart(() => {
        offset = 0;
        rig.ehr.board.setRules([]);
        return Promise.resolve();
      });
      const ids = [inDoubt, toldToWait];
      for (const userId of users)
        ids.push(
          await rig.send(aClinicalReady({ userId, observations: 2, day: '2026-11-02', bundleId: `next-${userId}` })),
        );
      for (const id of ids) expect((await rig.resting(id)).state).toBe('delivered');
      expect(await rig.check()).toEqual([]);
      expect(await rig.ledgerAddsUp()).toBe(true);
    }, 120_000);
  },
);
