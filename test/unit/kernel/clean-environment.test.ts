import { expect, test } from '@jest/globals';
import { cleanEnvironment } from '../../../src/kernel/index.ts';
import { filesBelow, read } from '../../support/source-files.ts';

test('what libraries would take from the environment is taken out and named; ours and the machine’s stays', () => {
  const ours = { PATH: '/bin', HOME: '/h', CHARTGATE_PORT: '1', NODE_EXTRA_CA_CERTS: 'ca.pem', TZ: 'UTC', PGX1: 'x' };
  const theirs = {
    DEBUG: 'express:*',
    DEBUG_COLORS: '1',
    DIAGNOSTICS: '*',
    PGPASSWORD: 'x',
    PGSSLMODE: 'disable',
    READABLE_STREAM: 'disable',
  };
  const env: Record<string, string | undefined> = { ...ours, ...theirs, NODE_ENV: 'test' };
  expect(cleanEnvironment(env)).toEqual({ ignored: Object.keys(theirs), refused: [] });
  expect(env).toEqual({ ...ours, NODE_ENV: 'production' });
});

test.each([
  ['NODE_DEBUG', '*', 'refused'],
  ['NODE_DEBUG', 'http', 'refused'],
  ['NODE_DEBUG', '', 'taken'],
  ['NODE_DEBUG_NATIVE', 'tls', 'refused'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0', 'refused'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '1', 'taken'],
])('%s=%s is %s', (name, value, what) => {
  const { refused } = cleanEnvironment({ [name]: value });
  expect(refused).toEqual(what === 'taken' ? [] : [expect.stringContaining(`Unset ${name}: `)]);
});

/**
 * Harmless: who the user is and where a cache lies, which nothing of ours asks for; test runners; proxies that nobody
 * here opts in to.
 */
const HARMLESS = new Set([
  'HOME',
  'USER',
  'USERNAME',
  'XDG_CACHE_HOME',
  'NODE_OPTIONS',
  'CI',
  'JEST_WORKER_ID',
  'APPDATA',
]);
const PROXIES = /^(https?|no)_proxy$/i;
/** Of a compiler that a parser was written with; nothing loads it. */
const NOT_LOADED = ['coffeescript'];
/** Bundles for browsers, which Node does not load. */
const FOR_BROWSERS = /\/csv-parse\/dist\/(?:esm|iife|umd)\//;

test('every variable that a dependency reads is known here: a new one is a decision', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean; link?: boolean }>;
  };
  const production = Object.entries(packages).filter(
    ([path, one]) =>
      path.startsWith('node_modules/') && ![one.dev, one.devOptional, one.optional, one.link].includes(true),
  );
  const names = new Set<string>();
  for (const [path] of production) {
    if (NOT_LOADED.some((name) => path.endsWith(`/${name}`))) continue;
    for (const file of filesBelow(path, 'js').filter(
      (one) => !one.slice(path.length).includes('/node_modules/') && !FOR_BROWSERS.test(one),
    ))
      for (const [, name = ''] of read(file).matchAll(/\bprocess\.env(?:\.|\[['"])([A-Za-z_][A-Za-z0-9_]*)/g))
        names.add(name);
  }
  expect(names).toContain('DEBUG');
  const unknown = [...names].filter((name) => {
    if (name === 'NODE_ENV' || HARMLESS.has(name) || PROXIES.test(name)) return false;
    return cleanEnvironment({ [name]: '1' }).ignored.length === 0;
  });
  expect(unknown).toEqual([]);
});
