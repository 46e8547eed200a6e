import { expect, test } from '@jest/globals';
import { decideChange, decideRevocation, type Decision, type LiveLink } from '../../../src/identity/decide-change.ts';

const confirmed = (seq: number, isWanted = false): LiveLink => ({ seq, status: 'confirmed', isWanted });
const proposed = (seq: number, isWanted = false): LiveLink => ({ seq, status: 'proposed', isWanted });

test.each<[string, readonly LiveLink[], 'proposed' | 'confirmed', Decision]>([
  ['the first', [], 'confirmed', { change: 'confirmed', take: null, revoke: [], replaces: null }],
  ['the first proposal', [], 'proposed', { change: 'proposed', take: null, revoke: [], replaces: null }],
  [
    'what is confirmed already',
    [confirmed(1, true)],
    'confirmed',
    { change: 'unchanged', take: 1, revoke: [], replaces: null },
  ],
  [
    'a proposal of what is confirmed',
    [confirmed(1, true)],
    'proposed',
    { change: 'unchanged', take: 1, revoke: [], replaces: null },
  ],
  [
    'what is proposed already',
    [proposed(2, true)],
    'proposed',
    { change: 'unchanged', take: 2, revoke: [], replaces: null },
  ],
  [
    'a confirmation of a proposal',
    [proposed(2, true)],
    'confirmed',
    { change: 'confirmed', take: 2, revoke: [], replaces: null },
  ],
  [
    'another proposal',
    [confirmed(1), proposed(2)],
    'proposed',
    { change: 'proposed', take: null, revoke: [2], replaces: null },
  ],
  ['another patient', [confirmed(1)], 'confirmed', { change: 'changed', take: null, revoke: [1], replaces: 1 }],
  [
    'another patient, one of two who were proposed',
    [confirmed(1), proposed(2), proposed(3, true)],
    'confirmed',
    { change: 'changed', take: 3, revoke: [1, 2], replaces: 1 },
  ],
  [
    'one of two who were proposed, where nobody is confirmed',
    [proposed(2), proposed(3, true)],
    'confirmed',
    { change: 'confirmed', take: 3, revoke: [2], replaces: null },
  ],
])('%s', (_name, live, wanted, expected) => {
  expect(decideChange(live, wanted)).toEqual(expected);
});

test('a revocation ends what is confirmed; else what is proposed; else nothing', () => {
  expect(decideRevocation([proposed(2), confirmed(1)])).toEqual(confirmed(1));
  expect(decideRevocation([proposed(2), proposed(3)])).toEqual(proposed(2));
  expect(decideRevocation([])).toBeNull();
});
