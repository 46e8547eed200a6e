import { expect, test } from '@jest/globals';
import type { Claimed } from '../../../src/lanes/commands.ts';
import { makeLeases, LEASE_MS, RENEW_MS, TRUST_MS, WATCH_MS } from '../../../src/forward/leases.ts';
import type { LaneReads, LaneWrites } from '../../../src/lanes/index.ts';
import type { Target } from '../../../src/ehr/target.ts';
import { fail, fault, ok, systemClock, type Result } from '../../../src/kernel/index.ts';
import type { Operate } from '../../../src/store/index.ts';
import { testClock } from '../../support/clock.ts';

const nobody = {} as Operate<LaneWrites, LaneReads>;
const leasesOf = () => makeLeases({ tenant: 't', owner: 'a', lanes: nobody, clock: systemClock });
const laneOf = (byte: number): Claimed => ({ patient: Uint8Array.of(byte), epoch: 1 }) as unknown as Claimed;

test("a chart that is kept for an attempt in commit is nobody else's until that attempt has ended", () => {
  const leases = leasesOf();
  const other = leases.take(laneOf(1), 0, null);
  expect(leases.expectChart('Patient/one')).toBe(true);
  expect([leases.expectChart('Patient/one'), leases.enterChart(other, 'Patient/one')]).toEqual([false, false]);
  leases.endExpectation('Patient/one');
  const begun = leases.take(laneOf(2), 0, 'Patient/one');
  expect([leases.enterChart(begun, 'Patient/one'), leases.enterChart(other, 'Patient/one')]).toEqual([true, false]);
  leases.drop(begun);
  expect(leases.enterChart(other, 'Patient/one')).toBe(true);
});

test('a chart that a lane is at is not kept for what is being settled', () => {
  const leases = leasesOf();
  const at = leases.take(laneOf(1), 0, null);
  expect(leases.enterChart(at, 'Patient/one')).toBe(true);
  expect([leases.expectChart('Patient/one'), leases.expectChart('Patient/two')]).toEqual([false, true]);
});

test('a lane that was claimed again by somebody is not dropped with the lease before', () => {
  const leases = leasesOf();
  const before = leases.take(laneOf(1), 0, null);
  leases.take(laneOf(1), 0, null);
  leases.drop(before);
  expect(leases.isHeld(Uint8Array.of(1))).toBe(true);
});

test('between the last byte of one owner and the first of the next lie four seconds, and two renewals may be lost', () => {
  expect(LEASE_MS - TRUST_MS - WATCH_MS).toBeGreaterThanOrEqual(4_000);
  expect(TRUST_MS).toBeGreaterThanOrEqual(3 * RENEW_MS);
});

test('the lanes of a process that is gone are free within ten seconds, which leaves two of the twelve of a takeover', () => {
  expect(LEASE_MS).toBeLessThanOrEqual(10_000);
});

/** Leases on a clock that stands, at a store that answers a renewal when it is told to. */
function play() {
  const clock = testClock();
  const answers: ((kept: Result<readonly boolean[]>) => void)[] = [];
  const asked: LaneWrites['lane.renew']['args'][] = [];
  const write = (_name: string, args: LaneWrites['lane.renew']['args']) => {
    asked.push(args);
    return new Promise<Result<readonly boolean[]>>((resolve) => answers.push(resolve));
  };
  const lanes = { write } as unknown as Operate<LaneWrites, LaneReads>;
  const leases = makeLeases({ tenant: 't', owner: 'a', lanes, clock });
  const lease = leases.take(laneOf(1), clock.monotonicMs(), null);
  const sent = { exchange: null, verdict: { kind: 'ok' } };
  const target = { send: () => Promise.resolve(sent) } as unknown as Target;
  const guarded = leases.guard(target, lease);
  const mayGo = async (): Promise<boolean> => (await guarded.send({} as never)).verdict.kind === 'ok';
  return { clock, answers, asked, leases, lease, mayGo };
}

test('a lease is trusted for a while after it was asked for, and what is under way is ended then', async () => {
  const { clock, leases, lease, mayGo } = play();
  clock.advance(TRUST_MS - 1);
  leases.endUntrusted();
  expect([await mayGo(), lease.abort.signal.aborted]).toEqual([true, false]);
  clock.advance(1);
  expect(await mayGo()).toBe(false);
  leases.endUntrusted();
  expect(lease.abort.signal.aborted).toBe(true);
});

test('a renewal counts from when it was asked for, also where an earlier one is answered after it', async () => {
  const { clock, answers, leases, mayGo } = play();
  clock.advance(1_000);
  const earlier = leases.renew();
  clock.advance(1_000);
  const later = leases.renew();
  clock.advance(1_000);
  answers[1]?.(ok([true]));
  await later;
  answers[0]?.(ok([true]));
  await earlier;
  clock.advance(TRUST_MS - 1_001);
  expect(await mayGo()).toBe(true);
  clock.advance(1);
  expect(await mayGo()).toBe(false);
});

test('a renewal that finds the lease gone ends what is under way at once', async () => {
  const { answers, leases, lease, mayGo } = play();
  const renewal = leases.renew();
  answers[0]?.(ok([false]));
  await renewal;
  expect([lease.abort.signal.aborted, await mayGo()]).toEqual([true, false]);
});

test('who was told to end sends nothing more, however fresh the lease is', async () => {
  const { leases, mayGo } = play();
  leases.abort();
  expect(await mayGo()).toBe(false);
});

test('a renewal names each lease that is held, and ends those alone that were not kept', async () => {
  const { answers, asked, leases, lease, clock, mayGo } = play();
  const other = leases.take(laneOf(2), clock.monotonicMs(), null);
  const renewal = leases.renew();
  answers[0]?.(ok([true, false]));
  await renewal;
  expect(asked).toMatchObject([
    {
      tenant: 't',
      owner: 'a',
      leaseMs: LEASE_MS,
      held: [
        { patient: Uint8Array.of(1), epoch: 1 },
        { patient: Uint8Array.of(2), epoch: 1 },
      ],
    },
  ]);
  expect([lease.abort.signal.aborted, other.abort.signal.aborted, await mayGo()]).toEqual([false, true, true]);
});

test('a store that does not answer renews nothing', async () => {
  const { answers, leases, clock, mayGo } = play();
  clock.advance(TRUST_MS - 1);
  const renewal = leases.renew();
  answers[0]?.(fail(fault('store.unreachable')));
  await renewal;
  expect(await mayGo()).toBe(true);
  clock.advance(1);
  expect(await mayGo()).toBe(false);
});

test('who holds nothing asks the store for nothing', async () => {
  const { asked, leases, lease } = play();
  leases.drop(lease);
  await leases.renew();
  expect(asked).toEqual([]);
});
