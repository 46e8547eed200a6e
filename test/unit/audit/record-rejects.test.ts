import { describe, expect, test } from '@jest/globals';
import type { AuditDraft } from '../../../src/audit/index.ts';
import { makeRecordReject, type RecordReject } from '../../../src/audit/index.ts';
import { testClock } from '../../support/clock.ts';

const ADDRESS = '203.0.113.77';

function started(): {
  drafts: AuditDraft[];
  rejects: RecordReject;
  clock: ReturnType<typeof testClock>;
  refuse(count: number): void;
} {
  const drafts: AuditDraft[] = [];
  const clock = testClock();
  const rejects = makeRecordReject({
    as: { type: 'hook.reject', action: 'C' },
    append: (draft) => void drafts.push(draft),
    tenant: 'default',
    pseudonymKey: Buffer.alloc(32, 3),
    clock,
  });
  let n = 0;
  const refuse = (count: number): void => {
    for (let i = 0; i < count; i += 1)
      rejects.record({ requestId: `req_${(n += 1)}`, why: 'secret-path', remoteAddress: ADDRESS });
  };
  return { drafts, rejects, clock, refuse };
}

const several = (at: string, count: number) => ({
  at: new Date(at),
  type: 'hook.reject',
  tenant: 'default',
  requestId: '(several)',
  action: 'C',
  outcome: '8',
  why: 'more-than-a-hundred-a-second',
  count,
});

describe('refusals in the audit', () => {
  test('one refusal has its own record, with the address only as a hash', () => {
    const { drafts, refuse } = started();
    refuse(1);
    expect(drafts).toEqual([
      {
        at: new Date('2026-01-02T03:04:05.678Z'),
        type: 'hook.reject',
        tenant: 'default',
        requestId: 'req_1',
        action: 'C',
        outcome: '8',
        why: 'secret-path',
        addressHash: expect.stringMatching(/^[\w-]{22}$/) as unknown,
      },
    ]);
    expect(JSON.stringify(drafts)).not.toContain(ADDRESS);
  });

  test('one address has one hash, two have two, and another key gives others', () => {
    const hashes = (fill: number): (string | undefined)[] => {
      const drafts: AuditDraft[] = [];
      const rejects = makeRecordReject({
        as: { type: 'hook.reject', action: 'C' },
        append: (draft) => void drafts.push(draft),
        tenant: 'default',
        pseudonymKey: Buffer.alloc(32, fill),
        clock: testClock(),
      });
      for (const remoteAddress of [ADDRESS, ADDRESS, '203.0.113.78'])
        rejects.record({ requestId: 'r', why: 'basic', remoteAddress });
      return drafts.map(({ addressHash }) => addressHash);
    };
    const [first, again, other] = hashes(3);
    const [withOtherKey] = hashes(4);
    expect([first === again, new Set([first, other, withOtherKey]).size]).toEqual([true, 3]);
  });

  test('up to a hundred in a second each have their own', () => {
    const { drafts, rejects, refuse } = started();
    refuse(100);
    rejects.flush();
    expect(drafts.map(({ requestId }) => requestId)).toEqual(Array.from({ length: 100 }, (_, i) => `req_${i + 1}`));
  });

  test('those above a hundred share one record with their exact number', () => {
    const { drafts, clock, rejects, refuse } = started();
    refuse(1_337);
    expect(drafts.length).toBe(100);
    clock.advance(500);
    rejects.flush();
    expect(drafts.slice(100)).toEqual([several('2026-01-02T03:04:06.178Z', 1_237)]);
  });

  test('the next second begins anew, and tells of the one before first', () => {
    const { drafts, clock, refuse } = started();
    refuse(103);
    clock.advance(1_000);
    refuse(2);
    expect(drafts.slice(100).map(({ requestId, count }) => [requestId, count])).toEqual([
      ['(several)', 3],
      ['req_104', undefined],
      ['req_105', undefined],
    ]);
  });

  test('a second in which nothing was shared leaves no shared record', () => {
    const { drafts, clock, rejects, refuse } = started();
    for (let i = 0; i < 5; i += 1) {
      refuse(100);
      clock.advance(1_000);
    }
    rejects.flush();
    rejects.flush();
    expect([drafts.length, drafts.filter(({ count }) => count !== undefined)]).toEqual([500, []]);
  });

  test('the records of any burst add up to every refusal', () => {
    const { drafts, clock, rejects, refuse } = started();
    const bursts = [7, 250, 100, 101, 0, 999];
    for (const burst of bursts) {
      refuse(burst);
      clock.advance(1_000);
    }
    rejects.flush();
    expect(drafts.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(bursts.reduce((sum, burst) => sum + burst, 0));
  });
});
