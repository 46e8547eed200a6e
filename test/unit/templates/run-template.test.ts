import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRunTemplate } from '../../../src/templates/index.ts';
import { aTemplate, giving, lossless } from '../../support/a-template.ts';

const run = makeRunTemplate();
const codeOf = async (expression: string, payload: unknown = {}): Promise<unknown> => {
  const result = await run(giving(expression), payload);
  return result.ok ? 'ok' : [result.fault.code, (result.fault.cause as { code?: string } | undefined)?.code];
};

test('a template makes a key and resources of a payload', async () => {
  const template = aTemplate({ key: 'id', resources: "[items.{'resourceType': 'Basic', 'id': name}]" });
  expect(await run(template, { id: 'd1', items: [{ name: 'a' }, { name: 'b' }] })).toEqual({
    ok: true,
    value: {
      key: 'd1',
      resources: [
        { resourceType: 'Basic', id: 'a' },
        { resourceType: 'Basic', id: 'b' },
      ],
    },
  });
});

test('one resource without brackets is a list of one', async () => {
  expect(await run(aTemplate({ resources: "{'resourceType': 'Basic'}" }), {})).toEqual({
    ok: true,
    value: { key: 'k', resources: [{ resourceType: 'Basic' }] },
  });
});

test('the same payload gives the same bytes, whatever ran before', async () => {
  const template = giving(
    "$sort($keys($)), $string($), $each($, function($v, $k) { $k & $v }), $toMillis('10:00', '[H01]:[m01]')",
  );
  const payload = lossless('{"b":1.50,"a":"x","c":[3,1.0,2]}');
  const first = JSON.stringify(await run(template, payload));
  await run(giving('$error("x")'), {});
  await run(giving('($string := 5; $sum := 1; $string)'), {});
  expect(JSON.stringify(await run(template, payload))).toBe(first);
  expect(JSON.stringify(await makeRunTemplate()(template, payload))).toBe(first);
});

test('the payload is not changed', async () => {
  const text = '{"list":[],"o":{"n":70.10}}';
  const payload = lossless(text);
  await run(giving("list{'a': 1}, o, $append(list, 5)"), payload);
  expect(JSON.stringify(payload)).toBe(text);
});

describe('what does not end', () => {
  const hasty = makeRunTemplate({ timeMs: 300 });
  test.each([
    ['tail calls', '($f := function($n) { $f($n + 1) }; $f(0))'],
    ['a regular expression that backtracks', "$contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', /^(a+)+$/)"],
  ])('%s: stopped, and the next run is answered', async (_, expression) => {
    const [stopped, next] = await Promise.all([hasty(giving(expression), {}), hasty(aTemplate(), {})]);
    expect(stopped).toMatchObject({ ok: false, fault: { code: 'template.timeout', at: 'custom/x.json' } });
    expect(next.ok).toBe(true);
  });

  test('recursion that is no tail call fails by its depth', async () => {
    expect(await codeOf('($f := function($n) { 1 + $f($n + 1) }; $f(0))')).toEqual(['template.failed', 'D1011']);
  });

  test.each([
    "$uppercase($pad('x', 400000000))",
    "($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $uppercase($f('abcdefgh', 25)))",
    "$join([1..1000].$pad('x', 2000))",
    "$replace($pad('x', 100000, 'x'), /x/, $pad('y', 1000))",
    "$replace($pad('x', 100000, 'x'), /x/, function($m) { $pad('y', 1000) })",
    "($f := function($a, $n) { $n = 0 ? $a : $f({'p': [$a], 'q': [$a]}, $n - 1) }; $string($f(1, 30)))",
    "($f := function($a, $n) { $n = 0 ? $a : $f({'p': [$a], 'q': [$a]}, $n - 1) }; $f(1, 30) & '')",
  ])('a text that would take all memory is refused: %s', async (expression) => {
    expect(await codeOf(expression)).toEqual(['template.failed', 'C0002']);
  });

  test('too much memory ends the thread, not the process', async () => {
    const small = makeRunTemplate({ timeMs: 20_000, memoryMb: 32 });
    const result = await small(
      giving("($f := function($a, $n) { $f({'p': $a, 'q': [1..1000]}, $n + 1) }; $f(1, 0))"),
      {},
    );
    expect(result).toMatchObject({
      ok: false,
      fault: { code: 'template.failed', cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' } },
    });
    expect((await small(aTemplate(), {})).ok).toBe(true);
  });
});

describe('a failure tells the place and no value', () => {
  test('line and column of the expression', async () => {
    const template = aTemplate({ resources: "[\n  {'resourceType': 'Basic',\n   'v': name + 1}\n]" });
    const result = await run(template, { name: 'MARKER' });
    expect(result).toMatchObject({
      ok: false,
      fault: { code: 'template.failed', at: 'custom/x.json#resources, line 3, column 15', cause: { code: 'T2001' } },
    });
    expect(JSON.stringify(result) + String((result as { fault: { cause: Error } }).fault.cause.stack)).not.toContain(
      'MARKER',
    );
  });

  test.each([
    '$error(name)',
    '$assert(false, name)',
    'name(1)',
    '$number(name)',
    '$toMillis(name)',
    'name.$single([1,2])',
  ])('%s', async (expression) => {
    const result = await run(giving(expression), { name: 'MARKER' });
    expect(result).toMatchObject({ ok: false, fault: { code: 'template.failed' } });
    expect(JSON.stringify(result)).not.toContain('MARKER');
  });
});

describe('what is not a key and resources', () => {
  test.each([
    ['no key', { key: 'nothing' }, '#key'],
    ['an empty key', { key: "''" }, '#key'],
    ['a number as key', { key: '5' }, '#key'],
    ['a long key', { key: "$pad('x', 1001)" }, '#key'],
    ['nothing', { resources: 'nothing' }, '#resources'],
    ['text', { resources: "'x'" }, '#resources'],
    ['an unknown type', { resources: "[{'resourceType': 'Basic'}, {'resourceType': 'Bogus'}]" }, '#resources[1]'],
    ['a function', { resources: "[{'resourceType': 'Basic', 'f': $sum}]" }, '#resources[0]'],
    ['a lambda', { resources: "[{'resourceType': 'Basic', 'f': function($x) { $x }}]" }, '#resources[0]'],
    ['an infinite number', { resources: "[{'resourceType': 'Basic', 'n': 1/0}]" }, '#resources[0]'],
    [
      'a unit without a value',
      {
        resources:
          "[{'resourceType': 'Basic'}, {'resourceType': 'Observation', 'valueQuantity': {'value': nothing, 'unit': 'mg/dL'}}]",
      },
      '#resources[1].valueQuantity',
    ],
    [
      'a unit with null for a value, deep inside',
      {
        resources:
          "[{'resourceType': 'Observation', 'component': [{'referenceRange': [{'low': {'value': null, 'unit': 'g'}}]}]}]",
      },
      '#resources[0].component[0].referenceRange[0].low',
    ],
    ['too many', { resources: "[1..1001].{'resourceType': 'Basic'}" }, '#resources'],
    ['too large', { resources: "[1..10].{'resourceType': 'Basic', 'x': $pad('x', 600000)}" }, '#resources'],
  ])('%s', async (_, fields, at) => {
    expect(await run(aTemplate(fields), {})).toMatchObject({
      ok: false,
      fault: { code: 'template.output', at: `custom/x.json${at}` },
    });
  });

  test('an empty list in brackets is an answer', async () => {
    expect(await run(aTemplate({ resources: "[items.{'resourceType': 'Basic'}]" }), {})).toEqual({
      ok: true,
      value: { key: 'k', resources: [] },
    });
  });
});

describe('what a payload may try', () => {
  test.each(['_jsonata_lambda', '_jsonata_function', 'tupleStream', 'outerWrapper'])('%s is refused', async (name) => {
    expect(await codeOf('x', { x: { [name]: true } })).toEqual(['template.failed', 'C0003']);
  });

  test('a payload above the limit is refused', async () => {
    expect(await codeOf('x', { x: 'x'.repeat(5_000_001) })).toEqual(['template.failed', 'C0004']);
  });

  test('prototypes are out of reach', async () => {
    const payload = lossless('{"__proto__":{"p":1.50},"constructor":"own"}');
    const result = await run(
      giving("constructor, {}.constructor, {}.__proto__, $lookup('x', 'constructor'), x.constructor"),
      payload,
    );
    expect(result.ok && result.value.resources[0]?.['v']).toEqual(['own']);
    await run(giving("{'__proto__': {'polluted': 1}}, $merge([$])"), payload);
    expect(await run(giving("{}.polluted, 'x'.polluted"), {})).toMatchObject({ value: { resources: [{ v: [] }] } });
  });
});

test('a process that ran templates, also one without an end, exits by itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  const door = new URL('../../../src/templates/index.ts', import.meta.url);
  writeFileSync(
    join(folder, 'script.mjs'),
    `import { makeRunTemplate } from '${door.href}';
    const run = makeRunTemplate({ timeMs: 200 });
    const made = (resources) => run({ row: 'x', key: '"k"', resources }, {});
    console.log((await made('{"resourceType":"Basic"}')).ok);
    console.log((await made('($f := function() { $f() }; $f())')).fault.code);
    console.log((await made('{"resourceType":"Basic"}')).ok);`,
  );
  const { stdout, status } = spawnSync(process.execPath, [join(folder, 'script.mjs')], {
    timeout: 20_000,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect([stdout.trim().split('\n'), status]).toEqual([['true', 'template.timeout', 'true'], 0]);
});
