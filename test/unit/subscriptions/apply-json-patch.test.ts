import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyJsonPatch } from '../../../src/subscriptions/apply-json-patch.ts';

const RESOURCE = {
  resourceType: 'Subscription',
  status: 'active',
  reason: 'first',
  'a/b': { 'm~n': 8 },
  channel: { header: ['A: 1', 'B: 2'], extension: [{ url: 'x', valueString: 'y' }] },
} as const;

const apply = (...patch: readonly unknown[]) => applyJsonPatch(RESOURCE, patch);
const changed = (...patch: readonly unknown[]) => {
  const done = apply(...patch);
  return done.ok ? done.value : done.fault.detail;
};

describe('operations of RFC 6902', () => {
  test.each<[string, unknown, object]>([
    ['a member is added', { op: 'add', path: '/end', value: null }, { ...RESOURCE, end: null }],
    ['a member is added over one', { op: 'add', path: '/reason', value: 'next' }, { ...RESOURCE, reason: 'next' }],
    ['a member is replaced', { op: 'replace', path: '/status', value: 'off' }, { ...RESOURCE, status: 'off' }],
    [
      'a name with a slash and a tilde',
      { op: 'replace', path: '/a~1b/m~0n', value: 9 },
      { ...RESOURCE, 'a/b': { 'm~n': 9 } },
    ],
    ['other members say nothing', { op: 'test', path: '/reason', value: 'first', xyz: 1 }, RESOURCE],
    ['the whole is tested', { op: 'test', path: '', value: RESOURCE }, RESOURCE],
    [
      'members in another order are the same',
      { op: 'test', path: '/channel/extension/0', value: { valueString: 'y', url: 'x' } },
      RESOURCE,
    ],
  ])('%s', (_name, operation, expected) => {
    expect(changed(operation)).toEqual(expected);
  });

  test.each<[string, unknown, readonly string[]]>([
    ['at an index', { op: 'add', path: '/channel/header/1', value: 'C: 3' }, ['A: 1', 'C: 3', 'B: 2']],
    ['at the end', { op: 'add', path: '/channel/header/-', value: 'C: 3' }, ['A: 1', 'B: 2', 'C: 3']],
    ['just behind the end', { op: 'add', path: '/channel/header/2', value: 'C: 3' }, ['A: 1', 'B: 2', 'C: 3']],
    ['removed', { op: 'remove', path: '/channel/header/0' }, ['B: 2']],
    ['replaced', { op: 'replace', path: '/channel/header/0', value: 'C: 3' }, ['C: 3', 'B: 2']],
    ['moved', { op: 'move', from: '/channel/header/0', path: '/channel/header/1' }, ['B: 2', 'A: 1']],
    ['copied', { op: 'copy', from: '/channel/header/0', path: '/channel/header/-' }, ['A: 1', 'B: 2', 'A: 1']],
  ])('an item of a list %s', (_name, operation, header) => {
    expect(changed(operation)).toEqual({ ...RESOURCE, channel: { ...RESOURCE.channel, header } });
  });

  test('operations follow each other', () => {
    const steps = [
      { op: 'add', path: '/_criteria', value: {} },
      { op: 'add', path: '/_criteria/extension', value: [] },
      { op: 'copy', from: '/channel/extension/0', path: '/_criteria/extension/-' },
      { op: 'replace', path: '/_criteria/extension/0/url', value: 'z' },
    ];
    expect(changed(...steps)).toEqual({ ...RESOURCE, _criteria: { extension: [{ url: 'z', valueString: 'y' }] } });
  });
});

test.each<[string, unknown]>([
  ['no operation', 7],
  ['an operation that nobody knows', { op: 'spam', path: '/reason', value: 1 }],
  ['no path', { op: 'add', value: 1 }],
  ['no value', { op: 'add', path: '/reason' }],
  ['a pointer that does not begin with a slash', { op: 'add', path: 'reason', value: 1 }],
  ['a wrong escape', { op: 'test', path: '/a~2b', value: 1 }],
  ['a parent that is not there', { op: 'add', path: '/a/b', value: 1 }],
  ['a parent that is a text', { op: 'add', path: '/reason/0', value: 1 }],
  ['removal of what is not there', { op: 'remove', path: '/end' }],
  ['replacement of what is not there', { op: 'replace', path: '/end', value: 1 }],
  ['an index behind the end', { op: 'add', path: '/channel/header/3', value: 1 }],
  ['an index with a zero before it', { op: 'test', path: '/channel/header/00', value: 'A: 1' }],
  ['an index that is none', { op: 'add', path: '/channel/header/1e0', value: 1 }],
  ['a negative index', { op: 'add', path: '/channel/header/-1', value: 1 }],
  ['the place behind the end, removed', { op: 'remove', path: '/channel/header/-' }],
  ['a test of another value', { op: 'test', path: '/reason', value: 'second' }],
  ['a test of a number that is a text', { op: 'test', path: '/a~1b/m~0n', value: '8' }],
  ['a move into itself', { op: 'move', from: '/channel', path: '/channel/header' }],
  ['a move of the whole', { op: 'move', from: '', path: '/channel' }],
  ['the whole, replaced', { op: 'replace', path: '', value: {} }],
  ['the whole, removed', { op: 'remove', path: '' }],
  ['what every object inherits', { op: 'test', path: '/toString', value: {} }],
  ['a member of what every object inherits', { op: 'add', path: '/hasOwnProperty/x', value: 1 }],
  ['the prototype', { op: 'add', path: '/__proto__', value: { x: 1 } }],
  ['a member of the prototype', { op: 'add', path: '/__proto__/x', value: 1 }],
  ['a member of the constructor', { op: 'add', path: '/constructor/prototype/x', value: 1 }],
])('%s is refused, and told by its place', (_name, operation) => {
  const before = structuredClone(RESOURCE);
  expect(changed({ op: 'test', path: '', value: before }, operation)).toBe(
    'Operation 2 of the patch cannot be applied.',
  );
  expect(RESOURCE).toEqual(before);
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('what is no list, or a long one, is no patch', () => {
  expect(applyJsonPatch(RESOURCE, { op: 'remove', path: '/reason' })).toMatchObject({
    fault: { code: 'subscription.patch' },
  });
  const long = Array.from({ length: 101 }, () => ({ op: 'test', path: '/reason', value: 'first' }));
  expect(applyJsonPatch(RESOURCE, long)).toMatchObject({ fault: { code: 'subscription.patch' } });
  expect(applyJsonPatch(RESOURCE, long.slice(1)).ok).toBe(true);
});

test('whatever the patch, the resource stays as it was, and nothing is thrown', () => {
  const step = fc.constantFrom('channel', 'header', 'extension', '0', '1', '-', 'a~1b', 'm~0n', '__proto__', 'length');
  const pointer = fc.array(step, { maxLength: 4 }).map((steps) => steps.map((one) => `/${one}`).join(''));
  const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test');
  const operation = fc.record({ op, path: pointer, from: pointer, value: fc.jsonValue() });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (patch) => {
      const before = JSON.stringify(RESOURCE);
      const done = applyJsonPatch(RESOURCE, patch);
      expect(JSON.stringify(RESOURCE)).toBe(before);
      if (done.ok) expect(Object.getPrototypeOf(done.value)).toBe(Object.getPrototypeOf(structuredClone({})));
    }),
    { numRuns: 500 },
  );
});
