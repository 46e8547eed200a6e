import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canBeForgotten, isOurs, type Item } from '../../../src/deliver/lane/build-items.ts';

describe('what a ledger can have forgotten', () => {
  const since = Date.parse('2026-11-14T10:00:00Z');
  test.each([
    ['2026-11-16', false],
    ['2026-11-15', false],
    ['2026-11-14', true],
    ['2026-01-01', true],
    ['not a day', true],
    [null, true],
  ])('of %s, where it is known since 2026-11-14T10:00Z: %j', (day, isForgotten) => {
    expect(canBeForgotten(day, since)).toBe(isForgotten);
  });

  test('nothing, where it never had a gap', () => {
    fc.assert(fc.property(fc.option(fc.string()), (day) => !canBeForgotten(day, 0)));
  });
});

describe('whether what stands at the EHR is as we left it', () => {
  const DIGEST = 'ab'.repeat(32);
  const tag = (code: string) => ({ meta: { tag: [{ system: 'urn:chartgate:content', code }] } });
  const [same, other] = [tag(DIGEST.slice(0, 40)), tag('0'.repeat(40))];
  const item = (more: Partial<Item>): Item =>
    ({ digest: DIGEST, at: null, isRetracted: false, mayBeForgotten: false, isDecided: false, ...more }) as Item;

  test.each<[string, Partial<Item>, Readonly<Record<string, unknown>>, string | null, boolean]>([
    ['the version that we know', { at: { id: 'a', versionId: '3' } }, other, '3', true],
    ['the next one, with a mark of ours', { at: { id: 'a', versionId: '3' } }, same, '4', true],
    ['the next one, without any', { at: { id: 'a', versionId: '3' } }, {}, '4', false],
    ['a later one', { at: { id: 'a', versionId: '3' } }, same, '5', false],
    ['forgotten, and the first', { mayBeForgotten: true }, other, '1', true],
    ['forgotten, and a later one', { mayBeForgotten: true }, other, '2', false],
    ['forgotten, versions that are no numbers, other content', { mayBeForgotten: true }, other, 'f00d', false],
    ['forgotten, versions that are no numbers, our content', { mayBeForgotten: true }, same, 'f00d', true],
    ['decided on, as it was seen', { isDecided: true, at: { id: 'a', versionId: '9' } }, {}, '9', true],
    ['decided on, and changed since', { isDecided: true, at: { id: 'a', versionId: '9' } }, same, '10', false],
  ])('%s', (_name, more, resource, found, expected) => {
    expect(isOurs(item(more), resource, found)).toBe(expected);
  });
});
