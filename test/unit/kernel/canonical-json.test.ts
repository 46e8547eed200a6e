import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, openCanonicalTexts } from '../../../src/kernel/index.ts';

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

test('what is written in canonical form reads as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value))),
    ),
  );
});

test('the order in which names were given does not show', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
    }),
  );
});

// The example of RFC 8785, section 3.2.2 and 3.2.3.
test('the example of the standard comes out as the standard has it', () => {
  const value: unknown = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('a number that kept its digits is the number that it is', () => {
  expect(canonicalJson({ a: rawJSON('70.10') })).toBe(canonicalJson({ a: 70.1 }));
});

test.each([
  ['undefined members are left out', { b: undefined, a: 1 }, '{"a":1}'],
  ['undefined items are null', [undefined, 1], '[null,1]'],
  ['a lone surrogate is escaped', '\ud800', '"\\ud800"'],
])('%s', (_what, value, expected) => {
  expect(canonicalJson(value)).toBe(expected);
});

/** Texts and names from a few characters, among them what needs an escape, so that names meet. */
const words = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '\u{1f600}', ' ', '"', '\\', '\n', '\ud800'),
  maxLength: 4,
});
const objects = fc.dictionary(words, fc.oneof(words, fc.jsonValue(), fc.dictionary(words, words)));
const isPlain = (value: unknown): boolean => !JSON.stringify(value).includes('\\');

test('texts that are made together are those that are made alone', () => {
  const run = (given: readonly Record<string, unknown>[], left: readonly string[]): void => {
    const value = { entry: given, more: left };
    const texts = openCanonicalTexts(isPlain(value));
    for (const one of given) {
      const rest = Object.fromEntries(Object.entries(one).filter(([name]) => !left.includes(name)));
      expect(texts.without(one, new Set(left))).toBe(canonicalJson(rest));
    }
    expect(texts.of(value)).toBe(canonicalJson(value));
  };
  fc.assert(fc.property(fc.array(objects, { maxLength: 4 }), fc.array(words, { maxLength: 3 }), run), {
    numRuns: 300,
  });
});
