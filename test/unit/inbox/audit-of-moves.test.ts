import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { auditOfMoves, withMoves, type Move } from '../../../src/inbox/move.ts';
import { STATES } from '../../../src/inbox/state.ts';

const AT = new Date('2026-01-02T03:04:05.000Z');
const aMove = (more: Partial<Move>): Move => ({
  tenant: 'default',
  seq: 1,
  id: 'dlv_1',
  from: 'received',
  to: 'queued',
  reason: null,
  actor: 'gateway',
  at: AT,
  requestId: 'req_1',
  ...more,
});

/** Moves of one delivery, each from where the one before it led. */
const chains = fc
  .tuple(
    fc.array(fc.constantFrom(...STATES), { minLength: 2, maxLength: 5 }),
    fc.array(
      fc.record({
        reason: fc.option(fc.constantFrom('read-back', 'paused')),
        actor: fc.constantFrom('gateway', 'ada'),
      }),
    ),
  )
  .map(([states, more]) => states.slice(1).map((to, i) => aMove({ from: states[i] ?? to, to, ...(more[i] ?? {}) })))
  .filter((moves): moves is [Move, ...Move[]] => moves.length > 0);

const stepOf = ({ from, to, reason }: Move) => [from, to, reason];

test('whatever is written together, each change stands in one record, in their order, by who made it', () => {
  fc.assert(
    fc.property(chains, (moves) => {
      const records = auditOfMoves(moves);
      const told = records.flatMap(({ from, to, why, steps, actor }) =>
        (steps ?? [{ from, to, why }]).map((one) => [one.from, one.to, one.why ?? null, actor]),
      );
      expect(told).toEqual(moves.map((one) => [...stepOf(one), one.actor]));
      const [first, last] = [records[0], records.at(-1)];
      expect([first?.from, last?.to, last?.why ?? null]).toEqual([
        moves[0].from,
        moves.at(-1)?.to,
        moves.at(-1)?.reason,
      ]);
      if (new Set(moves.map(({ actor }) => actor)).size === 1) expect(records).toHaveLength(1);
    }),
  );
});

test('the record of an attempt names what it changed of its own delivery, and of no other', () => {
  const write = {
    at: AT,
    type: 'ehr.write',
    tenant: 'default',
    requestId: 'req_1',
    action: 'U',
    outcome: '0',
    actor: 'gateway',
    deliveryId: 'dlv_1',
  } as const;
  expect(withMoves(write, [])).toEqual(write);
  expect(withMoves(write, [aMove({ from: 'sending', to: 'parked', reason: 'ehr-refused' })])).toEqual({
    ...write,
    steps: [{ from: 'sending', to: 'parked', why: 'ehr-refused' }],
  });
  expect(() => withMoves(write, [aMove({ id: 'dlv_2' })])).toThrow();
  expect(() => withMoves(write, [aMove({ actor: 'ada' })])).toThrow();
});
