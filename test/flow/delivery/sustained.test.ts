import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Rule, Switches } from '../../../sandbox/index.ts';
import type { DeliveryViolation } from '../../support/check-delivery.ts';
import { howMany } from '../../support/how-much.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { runCases, startRig, type Rig } from './rig.ts';

/** The short form of reliability.md F4; `node test/chaos/deliver.ts --seconds 300` plays a long one. */
const FAULT_MS = howMany(10_000, 20_000);
const USERS = ['user-1', 'user-2', 'user-3', 'user-4'];

interface Case {
  readonly name: string;
  readonly fault: Switches;
  /** `all`: of the requests, whatever they are. `a fifth`: of the writes. */
  readonly share: 'all' | 'a fifth';
}
const CASES: readonly Case[] = [
  { name: '503', fault: { status: 503 }, share: 'all' },
  { name: '500', fault: { status: 500 }, share: 'all' },
  { name: 'cut before anything is done', fault: { drop: 'before-commit' }, share: 'all' },
  { name: 'cut after it was done', fault: { drop: 'after-commit' }, share: 'a fifth' },
  { name: '429 with Retry-After', fault: { status: 429, retryAfter: '1' }, share: 'a fifth' },
];

interface Done {
  readonly ends: readonly string[];
  readonly violations: readonly DeliveryViolation[];
  /** Requests that reached the EHR while it failed, for each lane and second. */
  readonly perLaneAndSecond: number;
  /** Null where the breaker never opened. */
  readonly openedAfterMs: number | null;
}

const failing = ({ fault, share }: Case): readonly Rule[] =>
  share === 'all'
    ? [fault]
    : Array.from({ length: 200 }, (_one, i) => ({ method: 'POST', after: i * 5, times: 1, ...fault }));

async function play(one: Case, rig: Rig): Promise<Done> {
  for (const user of USERS) {
    await rig.enrol(user);
    await rig.deliver(aClinicalReady({ userId: user, observations: 1, day: '2026-10-01', bundleId: `warm-${user}` }));
  }
  const before = rig.ehr.log.requests().length;
  const lines = rig.log.lines.length;
  rig.ehr.board.setRules(failing(one));
  const from = performance.now();
  let openedAfterMs: number | null = null;
  const ids: string[] = [];
  for (let round = 0; performance.now() - from < FAULT_MS; round += 1) {
    if (round < 6)
      for (const userId of USERS)
        ids.push(
          await rig.send(
            aClinicalReady({ userId, observations: 3, day: `2026-10-1${round}`, bundleId: `${userId}-${round}` }),
          ),
        );
    if (openedAfterMs === null && rig.log.lines.slice(lines).some(({ event }) => event === 'ehr.breaker-opened'))
      openedAfterMs = performance.now() - from;
    await pause(500);
  }
  const asked = rig.ehr.log.requests().length - before;
  rig.ehr.board.setRules([]);
  const ends = await Promise.all(ids.map(async (id) => (await rig.resting(id, 90_000)).state));
  return {
    ends: [...new Set(ends)],
    violations: await rig.check(),
    perLaneAndSecond: asked / USERS.length / (FAULT_MS / 1_000),
    openedAfterMs,
  };
}

const playing = new Map<string, Promise<Map<Case, Done | Error>>>();
beforeAll(() => {
  for (const [name, makePlace] of PLACES)
    playing.set(
      name,
      runCases(CASES, CASES.length, async (one) => {
        const rig = await startRig(makePlace);
        try {
          return await play(one, rig);
        } finally {
          await rig.stop();
        }
      }),
    );
});
afterAll(async () => {
  await Promise.all(playing.values());
}, 60_000);

describe.each(PLACES)('a fault that lasts, on %s', (engine, _makePlace) => {
  let done: Map<Case, Done | Error>;
  beforeAll(async () => {
    done = (await playing.get(engine)) ?? new Map<Case, Done | Error>();
  }, 170_000);

  test.each(CASES.map((one) => [one.name, one] as const))(
    '%s: nothing lost or doubled, no busy loop, and all of it arrives',
    (_name, one) => {
      const found = done.get(one);
      expect(found).not.toBeInstanceOf(Error);
      const { ends, violations, perLaneAndSecond, openedAfterMs } = found as Done;
      expect({ ends, violations }).toEqual({ ends: ['delivered'], violations: [] });
      if (one.share === 'a fifth') return;
      expect(perLaneAndSecond).toBeLessThanOrEqual(1);
      expect(openedAfterMs).toBeLessThanOrEqual(10_000);
    },
  );
});
