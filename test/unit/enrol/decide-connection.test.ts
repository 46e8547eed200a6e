import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideConnection, type Kept } from '../../../src/enrol/decide-connection.ts';

const news = fc.record({
  state: fc.constantFrom('asked' as const, 'connected' as const, 'ended' as const, null),
  atMs: fc.integer({ min: 1, max: 1_000 }),
});

test('the order in which notifications arrive does not matter to what they say', () => {
  const said = fc.uniqueArray(
    fc.record({
      state: fc.constantFrom('connected' as const, 'ended' as const),
      atMs: fc.integer({ min: 1, max: 99 }),
    }),
    {
      selector: ({ atMs }) => atMs,
      minLength: 1,
    },
  );
  const fold = (all: readonly { state: 'connected' | 'ended'; atMs: number }[]): Kept | null =>
    all.reduce<Kept | null>((kept, { state, atMs }) => decideConnection(kept, { state }, atMs), null);
  fc.assert(
    fc.property(said, (all) => {
      const newest = all.toSorted((a, b) => b.atMs - a.atMs)[0];
      expect(fold(all)?.state).toBe(newest?.state);
      expect(fold(all.toReversed())?.state).toBe(newest?.state);
    }),
  );
});

test('time never goes back, and being asked again takes no connection away', () => {
  fc.assert(
    fc.property(fc.array(news, { maxLength: 20 }), (all) => {
      let kept: Kept | null = null;
      for (const { state, atMs } of all) {
        const next: Kept = decideConnection(kept, { state }, atMs);
        if (kept !== null) expect(next.changedAt).toBeGreaterThanOrEqual(kept.changedAt);
        if (kept?.state === 'connected' && state === 'asked') expect(next.state).toBe('connected');
        kept = next;
      }
    }),
  );
});

test('after a revocation the end that the provider reports changes nothing, a new connection does', () => {
  const revoked: Kept = { state: 'revoked', askedAt: null, changedAt: 10 };
  expect(decideConnection(revoked, { state: 'ended' }, 20)).toEqual(revoked);
  expect(decideConnection(revoked, { state: 'connected' }, 9)).toEqual(revoked);
  expect(decideConnection(revoked, { state: 'connected' }, 20).state).toBe('connected');
});
