import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isLastingElement, makeParseRecurring, parseLossless } from '../../../src/r4/index.ts';
import { howMany } from '../../support/how-much.ts';
import { mutateText } from '../../support/mutate-text.ts';
import { aClinicalReady, anAlertSummary, aStepsEvent, type Json } from '../../support/payloads/index.ts';
import { aDocument } from '../translate/arbitrary.ts';

const NAMES = { lasting: ['meta', 'code', 'category'], ofDocument: ['subject', 'effectivePeriod'] } as const;
const newParser = () => makeParseRecurring(NAMES);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Null where the parser is unsure; fails where it gives anything else than `parseLossless`. */
function parsed(parse: ReturnType<typeof newParser>, text: string): unknown {
  const found = parse(bytes(text));
  if (found === null) return null;
  const expected = parseLossless(bytes(text));
  expect({ text, isJson: expected.ok }).toEqual({ text, isJson: true });
  if (!expected.ok) return null;
  expect(JSON.stringify(found.value)).toBe(JSON.stringify(expected.value));
  expect(found.value).toEqual(expected.value);
  return found.value;
}

const partOf = (value: unknown, ...path: (string | number)[]): object =>
  path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], value) as object;

describe('what is parsed is what parseLossless gives', () => {
  test('of documents of every kind, again and again, with blanks and without', () => {
    const parse = newParser();
    const documents: readonly Json[] = [aClinicalReady(), aStepsEvent(), anAlertSummary(), aClinicalReady()];
    for (const document of [...documents, ...documents]) {
      const text = JSON.stringify(document);
      expect(parsed(parse, text)).toEqual(document);
      expect(parsed(parse, text.replaceAll('":', '" : ').replaceAll(',"', ', "'))).toEqual(document);
    }
  });

  test('of clinical documents that differ in everything', () => {
    const parse = newParser();
    let taken = 0;
    fc.assert(
      fc.property(aDocument, (document) => {
        if (parsed(parse, JSON.stringify(document)) !== null) taken += 1;
      }),
      { numRuns: howMany(100, 2_000) },
    );
    expect(taken).toBeGreaterThan(howMany(90, 1_800));
  });

  test('of any JSON, unless it is unsure', () => {
    const parse = newParser();
    const words = fc.constantFrom('meta', 'code', 'subject', 'a', 'b', '0', 'é', '"', 'x y');
    const { tree } = fc.letrec<{ tree: unknown; list: unknown; object: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 0 }), words, tie('list'), tie('object')),
      list: fc.array(tie('tree'), { maxLength: 3 }),
      object: fc.dictionary(words, tie('tree'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(tree, (value) => void parsed(parse, JSON.stringify(value))),
      { numRuns: howMany(500, 20_000) },
    );
  });

  test('of texts that were changed at random, unless it is unsure', () => {
    const parse = newParser();
    const whole = JSON.stringify(aClinicalReady());
    // A head, some entries and a tail, so that most changes are where something recurs.
    const text = `${whole.slice(0, whole.indexOf('"entry":[') + 9)}${whole.slice(whole.indexOf('{"fullUrl"')).slice(0, 2_400)}`;
    const seeds = [text.slice(0, text.lastIndexOf(',{"fullUrl"')) + ']}}}', '{"code":{"text":"a"},"meta":[1,2.50]}'];
    let taken = 0;
    const run = (seed: string, picks: readonly number[]): void => {
      let at = 0;
      const pick = (below: number): number => (picks[at++ % picks.length] ?? 0) % below;
      if (parsed(parse, mutateText(seed, pick, 3)) !== null) taken += 1;
    };
    const numRuns = howMany(1_500, 200_000);
    fc.assert(fc.property(fc.constantFrom(...seeds), fc.array(fc.nat(100_000), { minLength: 4, maxLength: 16 }), run), {
      numRuns,
    });
    expect(taken).toBeGreaterThan(numRuns / 10);
  });
});

describe('it is unsure of', () => {
  test.each<[string, string]>([
    ['a name that comes twice', '{"a":1,"a":2}'],
    ['a name that comes twice inside', '{"x":[{"code":{"a":1,"b":2,"a":1}}]}'],
    ['an escape', '{"a":"\\u0041"}'],
    ['what is no ASCII', '{"a":"é"}'],
    ['a line end', '{"a":1,\n"b":2}'],
    ['a line end in a text', '{"a":"x\ny"}'],
    ['a name without letters', '{"":1}'],
    ['the name of a prototype', '{"__proto__":1}'],
    ['something behind the end', '{"a":1}}'],
    ['a comma too many', '{"a":1,}'],
    ['a comma too few', '{"a":1"b":2}'],
    ['an end that is missing', '{"a":{"b":1}'],
    ['a number that is none', '{"a":01}'],
    ['a word that is none', '{"a":nul}'],
    ['what is infinite', '{"a":-Infinity}'],
    ['nothing', ''],
    ['deep nesting', `${'['.repeat(60)}${']'.repeat(60)}`],
    ['what is very long', JSON.stringify({ a: 'x'.repeat(200_000) })],
    ['a byte order mark', '\ufeff{}'],
  ])('%s', (_, text) => {
    const parse = newParser();
    expect(parse(bytes(text))).toBeNull();
    // What it learnt on the way does no harm.
    expect(parsed(parse, '{"a":{"b":[1,{"code":{"a":1,"b":2}}]}}')).not.toBeNull();
  });

  test('more names than it remembers, but not of those that it knows', () => {
    const parse = newParser();
    expect(parsed(parse, '{"known":1}')).toEqual({ known: 1 });
    const some = (n: number): string => `{${Array.from({ length: 500 }, (_, i) => `"n${n}_${i}":1`).join()}}`;
    const found = Array.from({ length: 14 }, (_, n) => parsed(parse, some(n)));
    expect(found[0]).not.toBeNull();
    expect(found.at(-1)).toBeNull();
    expect(parsed(parse, '{"known":2}')).toEqual({ known: 2 });
  });
});

describe('an element that stands there again', () => {
  const said = (code: string, day: string): string =>
    `{"entry":[${[1, 2].map((n) => `{"code":{"coding":[{"code":"${code}"}]},"subject":{"reference":"${day}"},"value":${n}}`).join()}]}`;

  test('is the same frozen object in all documents, where it lasts', () => {
    const parse = newParser();
    const [first, second, other] = [said('a', '1'), said('a', '2'), said('b', '1')].map((text) => parsed(parse, text));
    const code = partOf(first, 'entry', 0, 'code');
    expect(partOf(first, 'entry', 1, 'code')).toBe(code);
    expect(partOf(second, 'entry', 0, 'code')).toBe(code);
    expect(partOf(other, 'entry', 0, 'code')).not.toBe(code);
    expect(isLastingElement(code)).toBe(true);
    expect([code, partOf(code, 'coding'), partOf(code, 'coding', 0)].every(Object.isFrozen)).toBe(true);
  });

  test('is the same frozen object in its document alone, where it is of that', () => {
    const parse = newParser();
    const [first, second] = [said('a', '1'), said('b', '1')].map((text) => parsed(parse, text));
    const subject = partOf(first, 'entry', 0, 'subject');
    expect(partOf(first, 'entry', 1, 'subject')).toBe(subject);
    expect(partOf(second, 'entry', 0, 'subject')).not.toBe(subject);
    expect(Object.isFrozen(subject)).toBe(true);
    expect(isLastingElement(subject)).toBe(false);
  });

  test('whose name is another one is parsed each time, and can be changed', () => {
    const parse = newParser();
    const text = '{"a":[{"value":{"b":1}},{"value":{"b":1}}]}';
    const value = parsed(parse, text);
    expect(partOf(value, 'a', 0, 'value')).not.toBe(partOf(value, 'a', 1, 'value'));
    expect(Object.isFrozen(partOf(value, 'a', 0, 'value'))).toBe(false);
  });

  test('keeps the digits of its numbers', () => {
    const parse = newParser();
    for (let n = 0; n < 3; n += 1)
      expect(JSON.stringify(parsed(parse, '{"code":{"v":70.10},"subject":{"v":[1e3]},"b":7.0}'))).toBe(
        '{"code":{"v":70.10},"subject":{"v":[1e3]},"b":7.0}',
      );
  });

  test('is parsed anew where more elements came than are remembered', () => {
    const parse = newParser();
    for (let n = 0; n < 300; n += 1) parsed(parse, said(`code-${n}`, '1'));
    expect(isLastingElement(partOf(parsed(parse, said('code-1', '1')), 'entry', 0, 'code'))).toBe(true);
    expect(isLastingElement(partOf(parsed(parse, said('code-299', '1')), 'entry', 0, 'code'))).toBe(false);
  });

  test('that begins like another one is told from it', () => {
    const parse = newParser();
    for (const text of ['{"code":[1]}', '{"code":[1],"b":2}', '{"code":[1,2]}', '{"code":[1]}', '{"code":[1]x}'])
      parsed(parse, text);
    expect(parse(bytes('{"code":[1]x}'))).toBeNull();
  });
});
