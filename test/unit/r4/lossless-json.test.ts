import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseLossless } from '../../../src/r4/index.ts';
import { howMany } from '../../support/how-much.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const fault = (input: Uint8Array | string, limits = {}) => {
  const parsed = parseLossless(input, limits);
  return parsed.ok ? null : { rule: parsed.fault.rule, offset: parsed.fault.offset };
};
const again = (text: string): string => {
  const parsed = parseLossless(text);
  return parsed.ok ? JSON.stringify(parsed.value) : `refused: ${parsed.fault.text}`;
};

describe('digits', () => {
  test.each([
    '70.10',
    '1.0',
    '-0',
    '-0.0',
    '1e3',
    '1E+3',
    '0.0000001',
    '12345678901234567890',
    '0.1',
    '100',
    '-1.50',
    '1.7976931348623157e309',
    '3.141592653589793238',
  ])('%s is printed as it came', (number) => {
    for (const text of [
      `{"a":${number}}`,
      `[${number},${number}]`,
      number,
      `{"b":"\\u0000","a":${number}}`,
      `{"é":"ü","a":${number}}`,
    ])
      expect(again(text)).toBe(text);
  });

  test('a number that JavaScript prints alike stays a number', () => {
    const parsed = parseLossless('{"a":70.1,"b":7,"c":-12.5,"d":70.10}');
    if (!parsed.ok) throw new Error(parsed.fault.text);
    const value = parsed.value as Record<string, unknown>;
    expect([typeof value['a'], typeof value['b'], typeof value['c'], typeof value['d']]).toEqual([
      'number',
      'number',
      'number',
      'object',
    ]);
  });

  const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
  test('any JSON number survives', () => {
    fc.assert(
      fc.property(digits, (number) => again(`{"a":[${number}]}`) === `{"a":[${number}]}`),
      { numRuns: 1_000 },
    );
  });
});

describe('content', () => {
  test('agrees with JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const parsed = parseLossless(bytes(text));
        expect(parsed.ok).toBe(true);
        if (parsed.ok) expect(JSON.parse(JSON.stringify(parsed.value))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('refuses exactly what JSON.parse refuses, and repeated keys', () => {
    const scraps = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"b"',
        '1',
        '1.0',
        '-',
        'true',
        'null',
        ' ',
        '"',
        '\\',
        'e',
        '.',
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(scraps, (parts) => {
        const text = parts.join('');
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const parsed = parseLossless(text);
        if (parsed.ok) return isJson;
        return isJson ? parsed.fault.rule === 'json-duplicate-key' : parsed.fault.rule.startsWith('json-');
      }),
      { numRuns: howMany(1_000, 3_000) },
    );
  });

  test('__proto__ is a property like any other', () => {
    const parsed = parseLossless('{"__proto__":{"isAdmin":true},"a":1.0}');
    if (!parsed.ok) throw new Error(parsed.fault.text);
    const value = parsed.value as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value['isAdmin']).toBeUndefined();
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"isAdmin":true},"a":1.0}');
  });
});

test('a byte order mark is passed over, once and at the start', () => {
  for (const input of ['\ufeff{"a":1.0}', bytes('\ufeff{"a":1.0}')]) {
    const parsed = parseLossless(input);
    expect(parsed.ok && JSON.stringify(parsed.value)).toBe('{"a":1.0}');
  }
  expect(fault('\ufeff{"a":1,"a":2}')).toEqual({ rule: 'json-duplicate-key', offset: 7 });
});

describe('refusals have a position', () => {
  test.each([
    ['{"a":1,"a":2}', 'json-duplicate-key', 7],
    ['{"a":1,"\\u0061":2}', 'json-duplicate-key', 7],
    ['{"x":{"a":1.0,"a":2}}', 'json-duplicate-key', 14],
    ['[{"a":1},{"a":1,"b":{},"b":0}]', 'json-duplicate-key', 23],
    ['{"a":1', 'json-syntax', 6],
    ['{"a":01}', 'json-syntax', 6],
    ['{"a":1}}', 'json-syntax', 7],
    ["{'a':1}", 'json-syntax', 1],
    ['{"a":NaN}', 'json-syntax', 5],
    ['{"a":"\u0001"}', 'json-syntax', 6],
    ['\ufeff\ufeff{}', 'json-syntax', 0],
    ['{}\ufeff', 'json-syntax', 2],
    ['', 'json-syntax', 0],
  ])('%s', (text, rule, offset) => {
    expect(fault(text)).toEqual({ rule, offset });
    expect(fault(bytes(text))).toEqual({ rule, offset });
  });

  test.each([
    [[0x22, 0xff, 0x22], 1],
    [[0x22, 0x41, 0xc3, 0xa9, 0xc0, 0x80, 0x22], 4],
    [[0x22, 0xe2, 0x82], 1],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 1],
  ])('invalid UTF-8 %j', (input, offset) => {
    expect(fault(new Uint8Array(input))).toEqual({ rule: 'json-utf8', offset });
  });

  test('half a surrogate pair in a string is no Unicode', () => {
    expect(fault('"\ud800"')?.rule).toBe('json-utf8');
  });

  test('depth 10,000 is refused where it gets too deep', () => {
    expect(fault('['.repeat(10_000) + ']'.repeat(10_000))).toEqual({ rule: 'json-depth', offset: 100 });
    expect(fault('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000))?.rule).toBe('json-depth');
  });

  test('size and number of values are bounded', () => {
    expect(fault('"0123456789"', { bytesMax: 10 })?.rule).toBe('json-size');
    expect(fault(`[${'0,'.repeat(100)}0]`, { tokensMax: 50 })?.rule).toBe('json-tokens');
    expect(fault('{"a":{"b":1,"c":1},"d":[{"e":1,"f":1,"g":1}]}', { keysMax: 2 })?.rule).toBe('json-keys');
    expect(fault('{"a":{"b":1,"c":1},"d":[{"e":1},{"f":1}]}', { keysMax: 2 })).toBeNull();
    expect(fault(`{${Array.from({ length: 300_000 }, (_, n) => `"${n}":0`).join()}}`)?.rule).toBe('json-keys');
    expect(fault(`[${'{},'.repeat(3_000_000)}{}]`)?.rule).toBe('json-tokens');
  });

  test('pathological strings take no longer than their length', () => {
    for (const text of [
      `"${'\\\\'.repeat(500_000)}"`,
      `"${'\\u0000'.repeat(100_000)}"`,
      `{"${'a'.repeat(1_000_000)}":1.0}`,
      '1'.repeat(100_000),
      `"${'"'.repeat(1)}`,
      '-'.repeat(100_000),
      `1.${'0'.repeat(100_000)}`,
    ])
      expect(() => parseLossless(text)).not.toThrow();
  });
});
