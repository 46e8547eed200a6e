import { describe, expect, test } from '@jest/globals';
import { openFingerprints, type Fingerprint } from '../../../src/lanes/fingerprint.ts';
import {
  excusedParts,
  findsImmediately,
  habitsFromText,
  habitsOfNextSoftware,
  habitsToText,
  isNewToEhr,
  isSearchKnown,
  joinHabits,
  learnChanges,
  learnSearch,
  noHabits,
  saysSame,
  type EhrHabits,
} from '../../../src/forward/ehr-habits.ts';
import { packIntents, readIntents } from '../../../src/forward/intents.ts';

const of = (habits: EhrHabits) => habits.types['Observation'] ?? null;
const sent = { status: 'final', code: 'a', value: '70' } as const;
const printOf = openFingerprints('a key');

describe('how an EHR changes what it is given', () => {
  test('what was sent and seen again is no longer new; another part is', () => {
    const habits = learnChanges(noHabits('x'), 'Observation', sent, sent);
    expect(isNewToEhr(habits, 'Observation', printOf(sent))).toBe(false);
    expect(isNewToEhr(habits, 'Observation', printOf({ ...sent, notes: 'n' }))).toBe(true);
    expect(isNewToEhr(habits, 'DiagnosticReport', printOf(sent))).toBe(true);
    expect(excusedParts(of(habits), 'seen').always).toEqual([]);
  });

  test('a part that it drops, adds or rewrites tells nothing later', () => {
    const seen = { status: 'final', value: '70', code: 'a; b', interpretation: 'H' };
    expect(
      excusedParts(of(learnChanges(noHabits('x'), 'Observation', { ...sent, notes: 'n' }, seen)), 'seen').always,
    ).toEqual(['code', 'interpretation', 'notes']);
  });

  test('an EHR that changes a value or a status is never believed about it', () => {
    const habits = learnChanges(noHabits('x'), 'Observation', sent, { ...sent, status: 'registered', value: '71' });
    expect(habits.types['Observation']?.changed).toEqual(['status', 'value']);
    expect(excusedParts(of(habits), 'seen').always).toEqual([]);
  });

  test('before anything was seen of a type, only what makes a statement counts; then a note of somebody counts too', () => {
    const [ours, noted, other] = [
      { ...sent, other: 'a' },
      { ...sent, other: 'a', notes: 'checked' },
      { ...sent, other: 'b' },
    ].map(openFingerprints('k')) as [Fingerprint, Fingerprint, Fingerprint];
    const wrong = openFingerprints('k')({ ...sent, value: '71' });
    const before = excusedParts(null, 'unseen-too');
    expect([saysSame(ours, noted, before), saysSame(ours, other, before), saysSame(ours, wrong, before)]).toEqual([
      true,
      true,
      false,
    ]);
    const after = excusedParts(of(learnChanges(noHabits('x'), 'Observation', sent, sent)), 'unseen-too');
    expect([saysSame(ours, noted, after), saysSame(ours, other, after)]).toEqual([false, true]);
    const all = excusedParts(
      of(learnChanges(noHabits('x'), 'Observation', { ...sent, other: 'a' }, { ...sent, other: 'a' })),
      'unseen-too',
    );
    expect(saysSame(ours, other, all)).toBe(false);
    // Nothing is excused by what was never seen when it is asked who wrote it.
    expect(saysSame(ours, noted, excusedParts(null, 'seen'))).toBe(false);
  });

  test('nothing new is the same object, so that nothing is stored again', () => {
    const habits = learnChanges(noHabits('x'), 'Observation', sent, sent);
    expect(learnChanges(habits, 'Observation', sent, sent)).toBe(habits);
  });

  test('another software of the EHR is seen anew, and is still excused what it changed before', () => {
    const learnt = learnChanges(noHabits('x 1'), 'Observation', sent, { ...sent, code: 'b' });
    const next = habitsOfNextSoftware(learnt, 'x 2');
    expect(next).toMatchObject({ software: 'x 2', types: { Observation: { seen: [], changed: ['code'] } } });
    expect(isNewToEhr(next, 'Observation', printOf(sent))).toBe(true);
  });

  test('two processes do not forget for each other', () => {
    const one = learnChanges(noHabits('x'), 'Observation', sent, { ...sent, code: 'b' });
    const other = learnSearch(learnChanges(noHabits('x'), 'Device', sent, sent), 'not-found');
    for (const joined of [joinHabits(one, other), joinHabits(other, one)]) {
      expect(Object.keys(joined.types).sort()).toEqual(['Device', 'Observation']);
      expect([joined.types['Observation']?.changed, joined.search]).toEqual([['code'], 'delayed']);
    }
  });

  test('a search is trusted to find at once after it did so three times, and never again after it did not', () => {
    let habits = noHabits('x');
    expect([isSearchKnown(habits), findsImmediately(habits)]).toEqual([false, false]);
    for (let i = 0; i < 3; i += 1) habits = learnSearch(habits, 'found');
    expect([isSearchKnown(habits), findsImmediately(habits)]).toEqual([true, true]);
    habits = learnSearch(habits, 'not-found');
    expect([isSearchKnown(habits), findsImmediately(learnSearch(habits, 'found'))]).toEqual([true, false]);
  });

  test('is stored and read again; what cannot be read is learnt anew', () => {
    const habits = learnSearch(learnChanges(noHabits('x 1.0'), 'Observation', sent, { ...sent, code: 'b' }), 'found');
    expect(habitsFromText(habitsToText(habits))).toEqual(habits);
    for (const text of ['', '{', '{}', '{"software":"x","types":{"A":{"seen":["nonsense"],"changed":[]}},"search":0}'])
      expect(habitsFromText(text)).toBeNull();
  });
});

test('what an attempt means to do is found again by name', () => {
  const [a, b, c] = ['aa', 'bb', 'cc'].map((two) => two.repeat(32)) as [string, string, string];
  const fingerprint = '12'.repeat(44) as Fingerprint;
  const of = readIntents([
    packIntents([{ name: a, fingerprint }], [{ name: b }]),
    packIntents([{ name: a, fingerprint: '34'.repeat(44) as Fingerprint }], []),
  ]);
  expect([of(a), of(b), of(c)]).toEqual([[fingerprint, '34'.repeat(44)], ['withdraw'], []]);
});
