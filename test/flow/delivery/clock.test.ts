import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock, type Clock } from '../../../src/kernel/index.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { aPatient, mergedInto, startRig, type Rig } from './rig.ts';
import { eventually } from '../../support/eventually.ts';

const HOUR = 3_600_000;

describe.each(PLACES)('when the clock of the gateway jumps, on %s', (_name, makePlace) => {
  let rig: Rig;
  let offset = 0;
  const clock: Clock = {
    now: () => new Date(systemClock.now().getTime() + offset),
    monotonicMs: systemClock.monotonicMs,
  };
  beforeAll(async () => {
    rig = await startRig(makePlace, { clock, traits: { noTransactions: true } });
  });
  afterAll(() => rig.stop());
  const jumpsSeen = (): number => rig.log.lines.filter(({ event }) => event === 'clock.jumped').length;

  test.each([
    ['ahead', HOUR],
    ['back', -HOUR],
    ['a day ahead', 24 * HOUR],
    ['a day back', -24 * HOUR],
  ])(
    '%s, while something is written: written once, in order, and nothing waits for the clock',
    async (name, jump) => {
      const user = `user-${name.replaceAll(' ', '-')}`;
      const survivor = await rig.enrol(user);
      rig.ehr.put(aPatient(`pat-x-${user}`, `MRN-X-${user}`, mergedInto(survivor)));
      await rig.admin('PUT', `links/${user}-x`, { mrn: `MRN-X-${user}` });
      rig.links.set(`${user}-x`, [survivor]);
      await rig.deliver(aClinicalReady({ userId: user, observations: 2, day: '2026-10-01', bundleId: `warm-${user}` }));
      await rig.deliver(
        aClinicalReady({ userId: `${user}-x`, observations: 2, day: '2026-10-02', bundleId: `warm-x-${user}` }),
      );

      rig.ehr.board.setRules([{ method: 'POST', delayMs: 1_500 }]);
      const ids = [await rig.send(aClinicalReady({ userId: user, observations: 4, bundleId: `b-${user}` }))];
      await rig.until(ids[0] ?? '', ({ state }) => state === 'sending');
      const jumps = jumpsSeen();
      offset += jump;
      ids.push(
        await rig.send(
          aClinicalReady({
            userId: user,
            documentVersion: 2,
            observations: 4,
            bundleId: `b-${user}`,
            values: { weight: 70 },
          }),
        ),
        await rig.send(
          aClinicalReady({ userId: `${user}-x`, observations: 4, day: '2026-11-12', bundleId: `x-${user}` }),
        ),
      );
      expect(await eventually(jumpsSeen, (seen) => seen > jumps)).toBe(jumps + 1);
      rig.ehr.board.setRules([]);
      for (const id of ids) expect(['delivered', 'superseded']).toContain((await rig.resting(id, 30_000)).state);
      expect(rig.chart(survivor)).toHaveLength(2 + 2 + 4 + 4);
    },
    45_000,
  );

  test('the checker finds nothing, and no lease was lost by it', async () => {
    expect(await rig.check()).toEqual([]);
    expect(rig.log.lines.filter(({ event }) => event === 'lane.lost')).toEqual([]);
    expect(jumpsSeen()).toBe(4);
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});
