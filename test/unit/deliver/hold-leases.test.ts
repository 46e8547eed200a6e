import { expect, test } from '@jest/globals';
import type { Claimed } from '../../../src/deliver/lane/commands.ts';
import { holdLeases } from '../../../src/deliver/lane/hold-leases.ts';
import type { LaneReads, LaneWrites } from '../../../src/deliver/index.ts';
import { ok, fail, fault, systemClock, type Result } from '../../../src/kernel/index.ts';
import type { Sent } from '../../../src/ehr/index.ts';
import type { Target } from '../../../src/deliver/lane/run-job.ts';
import type { Operate } from '../../../src/store/index.ts';

const nobody = {} as Operate<LaneWrites, LaneReads>;
const leasesOf = () => holdLeases({ tenant: 't', owner: 'a', lanes: nobody, clock: systemClock });
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

/** Leases over a store that answers what it is told to, by a clock that is set. */
function leasesAt() {
  const time = { ms: 1_000 };
  const asked: LaneWrites['lane.renew']['args'][] = [];
  let answer: () => Promise<Result<readonly boolean[]>> = () => Promise.resolve(ok([]));
  const lanes = {
    write: (name: string, args: LaneWrites['lane.renew']['args']) => {
      if (name !== 'lane.renew') throw new Error(name);
      asked.push(args);
      return answer();
    },
  } as unknown as Operate<LaneWrites, LaneReads>;
  const clock = { now: () => new Date(time.ms), monotonicMs: () => time.ms };
  const leases = holdLeases({ tenant: 't', owner: 'a', lanes, clock });
  const sent: string[] = [];
  const went = { exchange: null, verdict: { kind: 'ok' } } as unknown as Sent;
  const target = {
    send: ({ path }: { path: string }) => {
      sent.push(path);
      return Promise.resolve(went);
    },
  } as unknown as Target;
  const send = async (lease: ReturnType<typeof leases.take>, path: string): Promise<string> =>
    (await leases.guard(target, lease).send({ path } as Parameters<Target['send']>[0])).verdict.kind;
  return { leases, time, asked, sent, send, says: (next: typeof answer) => void (answer = next) };
}

test('what is sent goes out while the lease is renewed, and not once it may be somebody else’s', async () => {
  const { leases, time, sent, send } = leasesAt();
  const lease = leases.take(laneOf(1), time.ms, null);
  time.ms += 9_999;
  expect(await send(lease, 'a')).toBe('ok');
  time.ms += 1;
  expect(await send(lease, 'b')).toBe('abandoned');
  expect(sent).toEqual(['a']);
});

test('who was told to end sends nothing more, however fresh the lease is', async () => {
  const { leases, time, sent, send } = leasesAt();
  const lease = leases.take(laneOf(1), time.ms, null);
  leases.abort();
  expect([await send(lease, 'a'), sent]).toEqual(['abandoned', []]);
});

test('a renewal counts from when it was asked for, of the leases that were kept alone; the others are ended', async () => {
  const { leases, time, asked, send, says } = leasesAt();
  const [kept, lost] = [leases.take(laneOf(1), time.ms, null), leases.take(laneOf(2), time.ms, null)];
  time.ms += 8_000;
  says(() => {
    // The store takes its time over it.
    time.ms += 3_000;
    return Promise.resolve(ok([true, false]));
  });
  await leases.renew();
  expect(asked.map(({ tenant, owner, leaseMs, held }) => ({ tenant, owner, leaseMs, held }))).toEqual([
    {
      tenant: 't',
      owner: 'a',
      leaseMs: 15_000,
      held: [
        { patient: Uint8Array.of(1), epoch: 1 },
        { patient: Uint8Array.of(2), epoch: 1 },
      ],
    },
  ]);
  expect([kept.abort.signal.aborted, lost.abort.signal.aborted]).toEqual([false, true]);
  expect([await send(kept, 'a'), await send(lost, 'b')]).toEqual(['ok', 'abandoned']);
  time.ms = 1_000 + 8_000 + 10_000;
  expect(await send(kept, 'c')).toBe('abandoned');
});

test('a store that does not answer renews nothing, and what was not renewed in time is ended at the next turn', async () => {
  const { leases, time, asked, says } = leasesAt();
  const lease = leases.take(laneOf(1), time.ms, null);
  says(() => Promise.resolve(fail(fault('store.unreachable'))));
  time.ms += 5_000;
  await leases.renew();
  expect(lease.abort.signal.aborted).toBe(false);
  time.ms += 5_000;
  await leases.renew();
  expect([asked.length, lease.abort.signal.aborted]).toEqual([2, true]);
});

test('who holds nothing asks the store for nothing', async () => {
  const { leases, asked } = leasesAt();
  await leases.renew();
  expect(asked).toEqual([]);
});
