import { expect, test } from '@jest/globals';
import { EXIT } from '../../src/cli/index.ts';
import { read } from '../support/source-files.ts';
import { findProgram, isSecretSetting, isSetting, runProgram, testWith } from '../support/deploy-files.ts';

const UNIT = 'deploy/systemd/chartgate.service';
const lines = read(UNIT)
  .split('\n')
  .filter((line) => /^[A-Z]\w+=/.test(line))
  .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
const valuesOf = (key: string): string[] => lines.filter(([name]) => name === key).map(([, value]) => value);

test('each secret is a credential, its file a setting that exists, and none stands in the unit', () => {
  const credentials = valuesOf('LoadCredential').map((one) => one.split(':')[0] ?? '');
  expect(credentials.filter((name) => !isSecretSetting(name))).toEqual([]);
  const environment = valuesOf('Environment').map((one) => one.split('=', 2) as [string, string]);
  const files = environment.filter(([name]) => name.startsWith('CHARTGATE_'));
  expect(files).toEqual(credentials.map((name) => [`${name}_FILE`, `%d/${name}`]));
  expect(files.filter(([name]) => !isSetting(name))).toEqual([]);
});

test('it is started again after what another start may mend, and after nothing else', () => {
  expect(valuesOf('Restart')).toEqual(['on-failure']);
  const not = (valuesOf('RestartPreventExitStatus')[0] ?? '').split(' ').map(Number);
  expect([...not].sort()).toEqual([EXIT.usage, EXIT.config].sort());
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(30);
  // The gateway tells systemd nothing, so that a watchdog would end it.
  expect(valuesOf('WatchdogSec')).toEqual([]);
  expect(valuesOf('Type')).toEqual(['exec']);
});

test('it may write to its own folders and nowhere else, and gains no rights', () => {
  expect(Object.fromEntries(lines)).toMatchObject({
    DynamicUser: 'yes',
    StateDirectory: 'chartgate',
    ProtectSystem: 'strict',
    ProtectHome: 'yes',
    PrivateTmp: 'yes',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX',
  });
});

const analyze = findProgram('systemd-analyze', 'TEST_SYSTEMD_ANALYZE');
const withAnalyze = testWith(analyze, 'systemd-analyze verify: it is not installed (Debian: systemd).');

withAnalyze('systemd finds nothing wrong with it, and calls its exposure low', () => {
  const { code, said } = runProgram(analyze ?? '', ['verify', '--man=no', UNIT]);
  // A machine need not have node there.
  const left = said.split('\n').filter((line) => line !== '' && !line.includes('is not executable'));
  expect(left).toEqual([]);
  expect([0, 1]).toContain(code);
  const security = runProgram(analyze ?? '', ['security', '--offline=true', '--threshold=20', UNIT]);
  expect([security.code, security.said]).toEqual([0, expect.stringContaining('OK')]);
});
