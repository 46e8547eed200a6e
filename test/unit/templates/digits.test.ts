import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeRunTemplate } from '../../../src/templates/index.ts';
import { giving, lossless } from '../../support/a-template.ts';

const run = makeRunTemplate({ timeMs: 20_000 });
const PAYLOAD = '{"a":70.10,"same":70.1,"list":[1.0,2.50,0.0],"o":{"x":1.10,"t":"T"},"zero":0.0}';

async function printed(expression: string, payload = PAYLOAD): Promise<string> {
  const result = await run(giving(expression), lossless(payload));
  return result.ok ? JSON.stringify(result.value.resources[0]?.['v']) : result.fault.code;
}

describe('a number that is only handed on keeps its digits', () => {
  test.each([
    ['a', '[70.10]'],
    ['a, same', '[70.10,70.1]'],
    ['$$.a', '[70.10]'],
    ['($x := a; $x)', '[70.10]'],
    ['{"q": a}', '[{"q":70.10}]'],
    ['o', '[{"x":1.10,"t":"T"}]'],
    ['o.*', '[1.10,"T"]'],
    ['o.**', '[{"x":1.10,"t":"T"},1.10,"T"]'],
    ['o.x.%.x', '[1.10]'],
    ['list', '[1.0,2.50,0.0]'],
    ['list[1]', '[2.50]'],
    ['list[-1]', '[0.0]'],
    ['list[$ > 0.5]', '[1.0,2.50]'],
    ['list^(>$)', '[2.50,1.0,0.0]'],
    ['list#$i.{"i": $i, "v": $}', '[{"i":0,"v":1.0},{"i":1,"v":2.50},{"i":2,"v":0.0}]'],
    ['list@$v.{"v": $v}', '[{"v":1.0},{"v":2.50},{"v":0.0}]'],
    ['true ? a : 0', '[70.10]'],
    ['$sort(list)', '[0.0,1.0,2.50]'],
    ['$sort(list, function($l, $r) { $l < $r })', '[2.50,1.0,0.0]'],
    ['$reverse(list)', '[0.0,2.50,1.0]'],
    ['$append(list, a)', '[1.0,2.50,0.0,70.10]'],
    ['$distinct([a, same, a])', '[70.10]'],
    ['$zip(list, list)[0]', '[1.0,1.0]'],
    ['$map(list, function($v) { $v })', '[1.0,2.50,0.0]'],
    ['$map(list, function($v)<n:n> { $v })', '[1.0,2.50,0.0]'],
    ['$filter(list, function($v) { $v })', '[1.0,2.50]'],
    ['$single(list, function($v) { $v > 2 })', '[2.50]'],
    ['$reduce(list, function($l, $r) { $l > $r ? $l : $r })', '[2.50]'],
    ['$merge([o, {"y": a}])', '[{"x":1.10,"t":"T","y":70.10}]'],
    ['$sift(o, function($v) { $v = 1.1 })', '[{"x":1.10}]'],
    ['$each(o, function($v, $k) { $v })', '[1.10,"T"]'],
    ['$lookup(o, "x")', '[1.10]'],
    ['$spread(o)', '[{"x":1.10},{"t":"T"}]'],
    ['$clone(o)', '[{"x":1.10,"t":"T"}]'],
    [
      '$string(a), a & "", $string(list), $string(o)',
      '["70.10","70.10","[1.0,2.50,0.0]","{\\"x\\":1.10,\\"t\\":\\"T\\"}"]',
    ],
    ['a.$string()', '["70.10"]'],
    ['a ~> $string', '["70.10"]'],
  ])('%s', async (expression, expected) => {
    expect(await printed(expression)).toBe(expected);
  });

  test('for any decimal, through paths, variables, objects, lists and text', async () => {
    const decimal = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt(0n, 10n ** 20n),
        fc.stringMatching(/^(\.\d{1,20})?([eE][+-]?\d{1,2})?$/),
      )
      .map(([sign, whole, rest]) => `${sign}${whole}${rest}`);
    await fc.assert(
      fc.asyncProperty(fc.array(decimal, { minLength: 1, maxLength: 8 }), async (digits) => {
        const payload = `{"list":[${digits.join(',')}],"first":${digits[0]}}`;
        expect(await printed('{"l": $map(list, function($v) { {"v": $v} }).v, "f": first}', payload)).toBe(
          `[{"l":${digits.length === 1 ? digits[0] : `[${digits.join(',')}]`},"f":${digits[0]}}]`,
        );
        expect(await printed('first & ""', payload)).toBe(`["${digits[0]}"]`);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a number that is computed is printed as JavaScript does, and kept numbers count as numbers everywhere', () => {
  test.each([
    ['a + 1, a - 0, a * 1, a / 1, a % 100, -a', '[71.1,70.1,70.1,70.1,70.1,-70.1]'],
    ['a = 70.1, a != same, a = same, a in [70.1], o = {"x": 1.1, "t": "T"}', '[true,false,true,true,true]'],
    ['a < 71, a <= 70.1, a > 70, a >= 71', '[true,true,true,false]'],
    ['zero ? 1 : 2, zero and true, zero or a, $not(zero), $boolean(list)', '[2,false,true,true,true]'],
    ['[list[0]..list[1] + 0.5]', '[[1,2,3]]'],
    ['$sum(list), $max(list), $min(list), $average(list), $count(list)', '[3.5,2.5,0,1.1666666666666667,3]'],
    [
      '$round(a), a.$round(), $round(a, ?)(0), a ~> $floor, $abs(a), $number(a), $power(list[1], 2)',
      '[70,70,70,70,70.1,70.1,6.25]',
    ],
    ['$type(a), $exists(a), $formatNumber(a, "0.000"), $type($string(a))', '["number",true,"70.100","string"]'],
    ['["p", "q", "r"][$$.list[0]]', '["q"]'],
    ['a.rawJSON, a.x, $keys(a)', '[]'],
    ['list.($ * 2)', '[2,5,0]'],
    ['$reduce(list, function($l, $r) { $l + $r })', '[3.5]'],
    ['(function($n)<n:n> { $n + 1 })(a)', '[71.1]'],
    ['$substring("abcdef", list[0], $$.list[0])', '["b"]'],
    ['1.50', '[1.5]'],
  ])('%s', async (expression, expected) => {
    expect(await printed(expression)).toBe(expected);
  });

  test('what holds no kept number gives what JSONata gives alone', async () => {
    const { default: jsonata } = await import('jsonata');
    const payload = { a: 3, list: [3, 1, 2], o: { x: 1, t: 'T' } };
    for (const expression of [
      'list^($)',
      '$distinct(list.($ > 1))',
      '$distinct(o.t)',
      'list[$ in [1, 2]]',
      '$sort(list)',
      'o{t: x}',
    ]) {
      const alone: unknown = await jsonata(`{'v': [${expression}]}`).evaluate(payload);
      expect(await printed(expression, JSON.stringify(payload))).toBe(JSON.stringify((alone as { v: unknown }).v));
    }
  });
});
