import { expect, test } from '@jest/globals';
import { KEYS, type Key } from '../../../src/config/index.ts';
import { showSettings } from '../../../src/config/show-settings.ts';

const MARK = 'marker-of-a-secret-that-nobody-may-see-0123456789';
const shown = (env: Record<string, string>, file = '{}') =>
  new Map(showSettings(env, () => file).map((one) => [one.key, one]));

test('every setting is there in order, with where it comes from', () => {
  expect([...shown({}).keys()]).toEqual(Object.keys(KEYS));
  const all = shown(
    { CHARTGATE_PORT: '9000', CHARTGATE_HOST: '', CHARTGATE_CONFIG: 'settings.json' },
    '{"CHARTGATE_PORT": 9001, "CHARTGATE_LOG_LEVEL": "debug"}',
  );
  const of = (key: string) => [all.get(key)?.value, all.get(key)?.from];
  expect(of('CHARTGATE_PORT')).toEqual([{ kind: 'plain', text: '9000' }, 'environment']);
  expect(of('CHARTGATE_LOG_LEVEL')).toEqual([{ kind: 'plain', text: 'debug' }, 'file']);
  expect(of('CHARTGATE_HOST')).toEqual([{ kind: 'plain', text: '127.0.0.1' }, 'default']);
  expect(of('CHARTGATE_EHR_URL')).toEqual([{ kind: 'plain', text: null }, 'none']);
});

test('of a secret nothing is told but whether it is set, wherever it stands', () => {
  const secrets = Object.entries<Key>(KEYS).flatMap(([name, { isSecret }]) => (isSecret === true ? [name] : []));
  expect(secrets.length).toBeGreaterThan(15);
  const direct = Object.fromEntries(secrets.map((name) => [name, MARK]));
  const byFile = Object.fromEntries(secrets.map((name) => [`${name}_FILE`, `/run/${MARK}`]));
  for (const [env, file, from] of [
    [direct, '{}', 'environment'],
    [byFile, MARK, 'environment'],
    [{ CHARTGATE_CONFIG: 'settings.json' }, JSON.stringify(direct), 'file'],
  ] as const) {
    const all = shown(env, file);
    for (const name of secrets)
      expect([name, all.get(name)?.value, all.get(name)?.from]).toEqual([name, { kind: 'secret', isSet: true }, from]);
    expect(JSON.stringify([...all])).not.toContain(MARK);
  }
  expect(shown({}).get('CHARTGATE_DATA_KEY')?.value).toEqual({ kind: 'secret', isSet: false });
});
