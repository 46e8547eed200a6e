import { expect, test } from '@jest/globals';
import { sayParameter } from '../../../src/ops/say-parameter.ts';
import { filesBelow, read } from '../../support/source-files.ts';

const namesIn = (file: string, pattern: RegExp): string[] =>
  [...read(file).matchAll(pattern)].map(([, name = '']) => name);

test('of every parameter that the admin API refuses it is said what is taken', () => {
  const routes = filesBelow('src/ops', '.ts');
  const names = new Set([
    ...routes.flatMap((file) => namesIn(file, /'admin\.parameter', \{ at: '(\w+)' \}/g)),
    ...[...routes, 'src/auth/registry.ts'].flatMap((file) => namesIn(file, /wrong(?:\(|: )'(\w+)'/g)),
    ...routes.flatMap((file) => namesIn(file, /(\w+): \{ (?:isRequired: true, )?isGood/g)),
    ...namesIn('src/auth/client.ts', /fail\('(\w+)'\)/g),
  ]);
  for (const expected of ['limit', 'salt', 'username', 'jwksUri', 'evidence', 'confirm', 'particulars'])
    expect(names).toContain(expected);
  expect([...names].filter((name) => !sayParameter('/', name).startsWith(`\`${name}\` must be `))).toEqual([]);
});

test('where a route means something of its own by a name, that is said', () => {
  expect(sayParameter('/admin/api/replay', 'state')).toBe('`state` must be one of parked, quarantined, delivered.');
  expect(sayParameter('/admin/api/deliveries', 'state')).toContain('received, queued');
  expect(sayParameter('/admin/api/clients', 'kind')).not.toBe(sayParameter('/admin/api/shadow/deliveries', 'kind'));
});
