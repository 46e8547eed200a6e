import { expect, test } from '@jest/globals';
import type { DocumentFacts, Verdict } from '../../../src/inbox/index.ts';
import { decideSettlement } from '../../../src/inbox/decide-settlement.ts';
import { decideVersion, type KnownDocument } from '../../../src/inbox/decide-version.ts';

const bytes = (text: string | null): Uint8Array | null => (text === null ? null : new TextEncoder().encode(text));
const facts = (version: number, clinical: string | null, order: DocumentFacts['order'] = 'version'): DocumentFacts => ({
  key: 'k',
  version,
  clinicalDigest: bytes(clinical),
  order,
});
const known = (version: number, clinical: string | null, seq = 7): KnownDocument => ({
  version,
  seq,
  clinicalDigest: bytes(clinical),
});

test.each<[string, DocumentFacts, KnownDocument | null, ReturnType<typeof decideVersion>]>([
  ['the first of its document', facts(1, 'a'), null, 'current'],
  ['a higher version', facts(3, 'a'), known(2, 'a'), 'current'],
  ['a lower version', facts(1, 'a'), known(2, 'a'), 'older'],
  ['the same version with the same content', facts(2, 'a'), known(2, 'a'), 'same'],
  ['the same version with other content', facts(2, 'b'), known(2, 'a'), 'conflict'],
  ['a count that has not risen, of other content', facts(2, 'b', 'ascending'), known(2, 'a'), 'older'],
  ['a finished one after an unfinished one of its number', facts(2, 'a'), known(2, null), 'current'],
  ['an unfinished one after a finished one of its number', facts(2, null), known(2, 'a'), 'older'],
  ['two unfinished ones', facts(2, null), known(2, null), 'current'],
  ['the one that brought the known version, looked at again', facts(2, 'b'), known(2, 'a', 9), 'current'],
  ['the one that brought it, although it says less now', facts(1, 'b'), known(2, 'a', 9), 'current'],
])('%s is %4$s', (_name, document, stored, expected) => {
  expect(decideVersion(9, document, stored)).toBe(expected);
});

const sound = (document: DocumentFacts | null, trouble: 'unmapped' | null = null): Verdict => ({
  kind: 'sound',
  trouble,
  document,
});

test.each<[string, Parameters<typeof decideSettlement>, ReturnType<typeof decideSettlement>]>([
  [
    'the same content as another, whatever it is worth',
    [9, sound(facts(3, 'a')), 4, known(2, 'a'), 'queued'],
    { to: 'duplicate', reason: 'same-content', duplicateOf: 4, isCurrent: false },
  ],
  [
    'what cannot be believed',
    [9, { kind: 'quarantine', reason: 'shape' }, null, null, 'queued'],
    { to: 'quarantined', reason: 'shape', duplicateOf: null, isCurrent: false },
  ],
  [
    'a notification',
    [9, { kind: 'handled' }, null, null, 'queued'],
    { to: 'delivered', reason: 'notification', duplicateOf: null, isCurrent: false },
  ],
  [
    'a linked and sound one',
    [9, sound(facts(3, 'a')), null, known(2, 'a'), 'queued'],
    { to: 'queued', reason: null, duplicateOf: null, isCurrent: true },
  ],
  [
    'one that nobody has linked',
    [9, sound(facts(3, 'a')), null, null, 'unlinked'],
    { to: 'parked', reason: 'unlinked', duplicateOf: null, isCurrent: true },
  ],
  [
    'one in trouble, which is told before the missing link',
    [9, sound(facts(3, 'a'), 'unmapped'), null, null, 'unlinked'],
    { to: 'parked', reason: 'unmapped', duplicateOf: null, isCurrent: true },
  ],
  [
    'one without a document',
    [9, sound(null), null, null, 'queued'],
    { to: 'queued', reason: null, duplicateOf: null, isCurrent: false },
  ],
  [
    'an older version',
    [9, sound(facts(1, 'a')), null, known(2, 'a'), 'queued'],
    { to: 'superseded', reason: 'older-version', duplicateOf: null, isCurrent: false },
  ],
  [
    'another content of the same version',
    [9, sound(facts(2, 'b')), null, known(2, 'a'), 'queued'],
    { to: 'quarantined', reason: 'version-conflict', duplicateOf: null, isCurrent: false },
  ],
  [
    'the same clinical content of the same version',
    [9, sound(facts(2, 'a')), null, known(2, 'a', 5), 'queued'],
    { to: 'duplicate', reason: 'same-clinical-content', duplicateOf: 5, isCurrent: false },
  ],
])('%s is settled as such', (_name, args, expected) => {
  expect(decideSettlement(...args)).toEqual(expected);
});
