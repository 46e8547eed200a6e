import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryViolation } from '../../support/check-delivery.ts';
import { eventually } from '../../support/eventually.ts';
import { PLACES, postgresPlace } from '../../support/new-store.ts';
import { aClinicalReady, USER } from '../../support/payloads/index.ts';
import { withStage } from './stage.ts';

interface Told {
  readonly state: string;
  readonly written: number;
  readonly violations: readonly DeliveryViolation[];
}

/** The EHR has written, and the process is gone before it hears of it. */
const killed = (makePlace: (typeof PLACES)[number][1]): Promise<Told> =>
  withStage(makePlace, { noClientIds: true, noTransactions: true }, async (stage) => {
    const first = await stage.start();
    await stage.enrol(first, USER);
    await stage.delivered(
      first,
      (await stage.send(first, aClinicalReady({ observations: 1, day: '2026-11-01', bundleId: 'warm' }))) ?? '',
    );
    stage.ehr.board.setRules([{ method: 'POST', times: 1, delayMs: 3_000 }]);
    const id = (await stage.send(first, aClinicalReady({ observations: 6 }))) ?? '';
    await eventually(stage.written, (n) => n > 1, 20_000);
    first.signal('SIGKILL');
    await first.ended;
    const second = await stage.start();
    const { state } = await stage.delivered(second, id);
    return { state, written: stage.written(), violations: await stage.check(second) };
  });

/**
 * A replica is stopped between two requests of one document; another takes over, and writes a newer version; the first
 * goes on.
 */
const stopped = (): Promise<Told> =>
  withStage(postgresPlace, { noTransactions: true, noBatch: true }, async (stage) => {
    const values = (n: number) => ({ weight: 70 + n, height: 178 + n, bmi: 22 + n, resting_heart_rate: 58 + n });
    const first = await stage.start();
    await stage.enrol(first, USER);
    stage.ehr.board.setRules([{ method: 'PUT', delayMs: 500 }]);
    await stage.send(first, aClinicalReady({ observations: 4, values: values(0) }));
    await eventually(stage.written, (n) => n > 0, 20_000);
    first.signal('SIGSTOP');
    const second = await stage.start();
    stage.ehr.board.setRules([]);
    const id =
      (await stage.send(second, aClinicalReady({ documentVersion: 2, observations: 4, values: values(1) }))) ?? '';
    const { state } = await stage.delivered(second, id);
    first.signal('SIGCONT');
    // It has come to itself when what it is sent now is delivered, by whomever.
    const last = aClinicalReady({ documentVersion: 3, observations: 4, values: values(2) });
    const after = await stage.delivered(second, (await stage.send(first, last)) ?? '');
    return { state: `${state}, then ${after.state}`, written: stage.written(), violations: await stage.check(second) };
  });

/** All at once: most of the time is waiting for leases to run out. */
let playing: { readonly killed: ReadonlyMap<string, Promise<Told>>; readonly stopped: Promise<Told> };
beforeAll(() => {
  playing = { killed: new Map(PLACES.map(([name, makePlace]) => [name, killed(makePlace)])), stopped: stopped() };
});
afterAll(async () => {
  await Promise.allSettled([...playing.killed.values(), playing.stopped]);
}, 180_000);

test.each(PLACES.map(([engine]) => [engine] as const))(
  'kill -9 after the EHR has written and before it has answered: read back, nothing twice, soon; on %s',
  async (engine) => {
    const told = await playing.killed.get(engine);
    expect(told).toMatchObject({ state: 'delivered', written: 7, violations: [] });
  },
  180_000,
);

test('a replica that was stopped writes nothing of an older version after another has written the newer', async () => {
  expect(await playing.stopped).toMatchObject({ state: 'delivered, then delivered', violations: [] });
}, 180_000);
