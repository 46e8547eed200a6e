import { expect, test } from '@jest/globals';
import type { Claimed } from '../../../src/deliver/lane/commands.ts';
import { holdLeases } from '../../../src/deliver/lane/hold-leases.ts';
import type { LaneReads, LaneWrites } from '../../../src/deliver/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
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
