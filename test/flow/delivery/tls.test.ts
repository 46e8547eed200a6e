import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { CA_FILE, makeTlsFront, type TlsFront, type TlsMood } from '../../support/tls-front.ts';
import { startRig, type Rig } from './rig.ts';
import { eventually } from '../../support/eventually.ts';

const FAULTS: readonly (readonly [TlsMood, readonly string[]])[] = [
  ['expired', ['ehr.tls']],
  ['wrong-name', ['ehr.tls']],
  ['cut', ['ehr.tls', 'ehr.unreachable']],
];

describe.each(PLACES)('when the EHR cannot be trusted, on %s', (_name, makePlace) => {
  let rig: Rig;
  let front: TlsFront | null = null;
  beforeAll(async () => {
    rig = await startRig(makePlace, {
      settings: { CHARTGATE_EHR_TLS_CA_FILE: CA_FILE },
      front: async (url) => {
        front = await makeTlsFront(Number(new URL(url).port));
        return `${front.origin}/fhir`;
      },
    });
  });
  afterAll(async () => {
    await rig.stop();
    await front?.stop();
  });

  test.each(FAULTS)(
    '%s: nothing is sent, nothing is parked, and all of it arrives once it is mended',
    async (mood, codes) => {
      const userId = `user-${mood}`;
      const patient = await rig.enrol(userId);
      expect((await rig.deliver(aClinicalReady({ userId, observations: 4 }))).state).toBe('delivered');
      front?.become(mood);
      const before = rig.ehr.log.requests().length;
      const refusedBefore = front?.refused() ?? 0;
      const from = performance.now();
      const id = await rig.send(
        aClinicalReady({ userId, documentVersion: 2, observations: 4, values: { weight: 70 } }),
      );
      const tried = await rig.until(
        id,
        ({ steps }) => steps.some(({ reason }) => reason !== null && codes.includes(reason)),
        8_000,
      );
      expect(tried.steps.some(({ reason }) => reason !== null && codes.includes(reason))).toBe(true);
      const tries = await eventually(
        () => (front?.refused() ?? 0) - refusedBefore,
        (count) => count > 2,
        20_000,
      );
      expect(tries).toBeGreaterThan(2);
      // It may be in the middle of the next try.
      expect((await rig.until(id, ({ state }) => state === 'queued', 5_000)).state).toBe('queued');
      expect(rig.ehr.log.requests().slice(before)).toEqual([]);
      // No busy loop.
      const perSecond = ((front?.refused() ?? 0) - refusedBefore) / ((performance.now() - from) / 1_000);
      expect(perSecond).toBeLessThan(3);
      front?.become('good');
      expect((await rig.resting(id, 20_000)).state).toBe('delivered');
      expect(rig.chart(patient)).toHaveLength(4);
    },
    45_000,
  );

  test('the checker finds nothing', async () => {
    expect(await rig.check()).toEqual([]);
  });
});
