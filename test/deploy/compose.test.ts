import { expect, test } from '@jest/globals';
import { read } from '../support/source-files.ts';
import { at, isSecretSetting, isSetting, readYaml, type Tree } from '../support/deploy-files.ts';

const compose = readYaml('deploy/compose.yaml');
const services = compose['services'] as Readonly<Record<string, Tree>>;
const gateways = ['gateway-1', 'gateway-2'].map((name) => services[name] ?? {});
const secretNames = Object.keys(compose['secrets'] as Tree);
const example = read('deploy/compose/gateway.env.example')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => line.split('=', 2) as [string, string]);

test('every setting exists, is given once, and none that is secret stands in the environment', () => {
  for (const gateway of gateways) {
    const names = [...Object.keys(gateway['environment'] as Tree), ...example.map(([name]) => name)];
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
    expect(names.filter(isSecretSetting)).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('what a comment offers exists as well', () => {
  const named = [...read('deploy/compose.yaml').matchAll(/\b(CHARTGATE_[A-Z_]+)(?=:)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !isSetting(name))).toEqual([]);
});

test('each file of a secret is mounted, each secret is a file that git does not see', () => {
  for (const gateway of gateways) {
    const environment = gateway['environment'] as Readonly<Record<string, string>>;
    const wanted = Object.entries(environment)
      .filter(([name]) => name.endsWith('_FILE'))
      .map(([, path]) => path.replace('/run/secrets/', ''));
    expect([...(gateway['secrets'] as string[])].sort()).toEqual(wanted.sort());
  }
  const used = Object.values(services).flatMap((service) => (service['secrets'] as string[] | undefined) ?? []);
  expect([...new Set(used)].sort()).toEqual([...secretNames].sort());
  for (const name of secretNames) expect(at(compose, `secrets.${name}`)).toEqual({ file: `./compose/secrets/${name}` });
  expect(read('deploy/compose/.gitignore').split('\n')).toEqual(expect.arrayContaining(['secrets/', 'gateway.env']));
});

test('every service has a root that cannot be written, no rights to gain, a health check but for who only watches', () => {
  for (const [name, service] of Object.entries(services)) {
    expect([name, service]).toMatchObject([
      name,
      { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], restart: 'unless-stopped' },
    ]);
    if (name !== 'prometheus') expect([name, service['healthcheck']]).toEqual([name, expect.anything()]);
    expect(JSON.stringify(service['image'])).not.toContain('latest');
    expect(String(service['image'])).toMatch(/:[\w.-]+\}?$/);
  }
});

test('who needs another waits until it is healthy, and both gateways stop within their time', () => {
  for (const gateway of gateways) {
    expect(gateway['depends_on']).toEqual({ postgres: { condition: 'service_healthy' } });
    const graceS = Number.parseInt(String(gateway['stop_grace_period']), 10);
    const drainS = Number(at(gateway, 'environment.CHARTGATE_DRAIN_SECONDS'));
    expect(graceS).toBeGreaterThanOrEqual(30);
    expect(drainS).toBeLessThan(graceS);
    // One that is back must be known to be before the other closes.
    for (const [, failS = ''] of read('deploy/compose/nginx.conf').matchAll(/fail_timeout=(\d+)s/g))
      expect(Number(failS)).toBeLessThan(drainS);
    expect(JSON.stringify(gateway['healthcheck'])).toContain(
      `127.0.0.1:${String(at(gateway, 'environment.CHARTGATE_OPS_PORT'))}/readyz`,
    );
  }
  expect(at(services, 'proxy.depends_on')).toEqual({
    'gateway-1': { condition: 'service_healthy' },
    'gateway-2': { condition: 'service_healthy' },
  });
});

test('nothing but the proxy is published, and the database has no network', () => {
  const published = Object.entries(services).filter(([, service]) => service['ports'] !== undefined);
  expect(published.map(([name]) => name).sort()).toEqual(['prometheus', 'proxy']);
  expect(at(services, 'prometheus.ports.0')).toMatch(/^127\.0\.0\.1:/);
  expect(services['postgres']).toMatchObject({ network_mode: 'none' });
  expect(JSON.stringify(at(services, 'postgres.command'))).toContain('listen_addresses=');
});

test('the proxy has the address that the gateways trust, and sends to their port and no other', () => {
  const nginx = read('deploy/compose/nginx.conf');
  for (const [name, gateway] of Object.entries({ 'gateway-1': gateways[0], 'gateway-2': gateways[1] })) {
    expect(at(gateway, 'environment.CHARTGATE_TRUST_PROXY')).toBe(at(services, 'proxy.networks.front.ipv4_address'));
    expect(nginx).toContain(`server ${name}:${String(at(gateway, 'environment.CHARTGATE_PORT'))} `);
    expect(nginx).not.toContain(`:${String(at(gateway, 'environment.CHARTGATE_OPS_PORT'))}`);
  }
  for (const [, file = ''] of nginx.matchAll(/\/run\/secrets\/(\w+)/g)) expect(secretNames).toContain(file);
  const inside = (at(services, 'proxy.ports') as string[]).map((one) => one.split(':').at(-1));
  expect(inside.filter((port) => !new RegExp(`listen ${String(port)}\\b`).test(nginx))).toEqual([]);
});

test('Prometheus scrapes the port for watching of both', () => {
  const scrape = at(readYaml('deploy/prometheus/prometheus.yml'), 'scrape_configs.0');
  expect(scrape).toMatchObject({ job_name: 'chartgate' });
  const ports = gateways.map((gateway) => String(at(gateway, 'environment.CHARTGATE_OPS_PORT')));
  expect(at(scrape, 'static_configs.0.targets')).toEqual([`gateway-1:${ports[0]}`, `gateway-2:${ports[1]}`]);
});
