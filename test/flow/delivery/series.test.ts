import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

describe.each(PLACES)('what happened over time, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
  });
  afterAll(() => rig.stop());

  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

  test('is counted from the webhook to the chart, and stays over a restart', async () => {
    await rig.enrol('walker');
    expect((await rig.deliver(aClinicalReady({ userId: 'walker' }))).state).toBe('delivered');
    expect((await rig.deliver(aClinicalReady({ userId: 'nobody-knows' }))).state).toBe('parked');
    await rig.restart();
    const { counts, times } = (await rig.admin('GET', 'series?span=hour')).body as {
      counts: Record<string, number[]>;
      times: Record<string, { p99: (number | null)[] }>;
    };
    expect(Object.fromEntries(Object.entries(counts).map(([name, numbers]) => [name, sum(numbers)]))).toEqual({
      received: 2,
      refused: 0,
      delivered: 1,
      parked: 1,
      quarantined: 0,
      'failed-attempts': 0,
    });
    expect(times['lag']?.p99.filter((one) => one !== null)).toHaveLength(1);
    expect(times['ehr-latency']?.p99.filter((one) => one !== null)).toHaveLength(1);
  });
});
