import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { systemClock } from '../../src/kernel/index.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { makeMergedMetrics } from '../../src/ops/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { anchorsOf, at, findProgram, readYaml, runProgram, testWith } from '../support/deploy-files.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';
import { quoted, read, tableRows } from '../support/source-files.ts';

/** Programs of others, on a machine that others use too. */
jest.setTimeout(180_000);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const ALERTS = 'deploy/prometheus/alerts.yml';
const rules = at(readYaml(ALERTS), 'groups.0.rules') as readonly Rule[];
const dashboard = JSON.parse(read('deploy/grafana/chartgate.json')) as {
  readonly panels: readonly { readonly id: number; readonly title: string; readonly targets?: { expr: string }[] }[];
};
const drawn = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Not ours: Prometheus makes it for each target. */
const OF_PROMETHEUS = new Set(['up']);
const PREFIXES = /\b(?:chartgate|process|nodejs)_\w+|\bup\b/g;
/** What is asked for, by the name of its family: a histogram has three series. */
const namesIn = (expr: string): string[] =>
  (expr.replace(/"[^"]*"/g, '""').match(PREFIXES) ?? []).map((name) =>
    /_seconds_(?:bucket|sum|count)$/.test(name) ? name.replace(/_(?:bucket|sum|count)$/, '') : name,
  );

let place: Place;
let gateway: Gateway;
let shown: string;
let families: Set<string>;
beforeAll(async () => {
  place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const { file } = place.database;
  const tls = (name: string): string => new URL(`../support/tls/${name}`, import.meta.url).pathname;
  const config = configOf(`sqlite:${file}?filesystem=any`, {
    CHARTGATE_OPS_PORT: '0',
    CHARTGATE_AUDIT_ANCHOR: `${file}.anchor/`,
    CHARTGATE_EHR_URL: 'https://127.0.0.1:9/fhir',
    CHARTGATE_EHR_TLS_CERT_FILE: tls('client.pem'),
    CHARTGATE_EHR_TLS_KEY_FILE: tls('client.key.pem'),
  });
  gateway = await startGateway({ config, clock: systemClock, log: collectLog() });
  const url = `http://127.0.0.1:${gateway.port}`;
  await fetch(`${url}/webhooks/${config.ingest.dataSecrets[0]?.reveal() ?? ''}/data`, { method: 'POST', body: '{}' });
  await fetch(`${url}/fhir/Patient/1`);
  shown = await (await fetch(`http://127.0.0.1:${String(gateway.opsPort)}/metrics`)).text();
  const merged = await makeMergedMetrics().render({ serving: 2, restarts: 0 });
  families = new Set([...`${shown}\n${merged}`.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
});
afterAll(async () => {
  await gateway.stop();
  await place.remove();
});

test('every metric of the alerts and of the dashboard is one that a gateway has', () => {
  const asked = new Set([...rules.map(({ expr }) => expr), ...drawn].flatMap(namesIn));
  expect(asked.size).toBeGreaterThan(30);
  expect([...asked].filter((name) => !families.has(name) && !OF_PROMETHEUS.has(name))).toEqual([]);
});

test('the dashboard shows every metric of ours', () => {
  const seen = new Set(drawn.flatMap(namesIn));
  const left = [...families].filter((name) => name.startsWith('chartgate_') && !seen.has(name));
  // What it weighs is seen by how much it is.
  expect(left).toEqual(['chartgate_store_queued_bytes']);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

test('docs/operate.md lists every metric of ours, and no other', () => {
  const listed = tableRows('docs/operate.md', '| name | meaning').flatMap(([name = '']) => quoted(name));
  const own = [...families].filter((name) => name.startsWith('chartgate_'));
  // Shown only where a collector is named.
  expect([...listed].sort()).toEqual([...own, 'chartgate_telemetry_dropped_total'].sort());
});

test('labels that the alerts choose by have the values that the gateway gives them', () => {
  for (const wanted of ['of="database"', 'of="anchor"', 'of="ehr-client"', 'kind="data"', 'kind="audit"'])
    expect(shown).toContain(wanted);
  for (const state of ['received', 'parked']) expect(shown).toContain(`chartgate_deliveries{state="${state}"}`);
  expect(shown).toMatch(/chartgate_subscriptions\{state="error"\} 0/);
  expect(shown).toMatch(/chartgate_exports\{state="failed"\} 0/);
  expect(shown).toMatch(/chartgate_http_request_seconds_count\{route="\/webhooks\/:secret\/data"/);
  expect(shown).toMatch(/chartgate_http_request_seconds_count\{route="\/fhir\/:type\/:id"/);
});

test('every alert says what, how bad, and where to read on', () => {
  const anchors = anchorsOf('deploy/README.md');
  for (const { alert, labels, annotations, for: lasting } of rules) {
    expect([alert, Object.keys(annotations).sort()]).toEqual([alert, ['description', 'runbook_url', 'summary']]);
    expect(['critical', 'warning', 'info']).toContain(labels['severity']);
    expect(lasting).toMatch(/^\d+[mh]$/);
    expect(annotations['runbook_url']).toBe(`deploy/README.md#${alert.toLowerCase()}`);
    expect([alert, anchors.has(alert.toLowerCase())]).toEqual([alert, true]);
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test('the chart has the same rules', () => {
  expect(read('deploy/helm/chartgate/files/alerts.yml')).toBe(read(ALERTS));
});

test('each alert has a case in which it fires, and one in which it does not', () => {
  const cases = readYaml('deploy/prometheus/alerts.test.yml')['tests'] as readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
  }[];
  const asked = cases.flatMap((one) => one.alert_rule_test);
  const names = rules.map(({ alert }) => alert).sort();
  const those = (isFiring: boolean): string[] =>
    asked.filter((one) => one.exp_alerts.length > 0 === isFiring).map(({ alertname }) => alertname);
  expect(those(true).sort()).toEqual(names);
  expect(those(false).sort()).toEqual(names);
});

const promtool = findProgram('promtool', 'TEST_PROMTOOL');
const withPromtool = testWith(promtool, 'promtool: it is not installed (Debian: prometheus).');

withPromtool('Prometheus takes the rules, and each fires where it should', () => {
  const checked = runProgram(promtool ?? '', ['check', 'rules', ALERTS]);
  expect([checked.code, checked.said]).toEqual([0, expect.stringContaining(`${rules.length} rules found`)]);
  const tried = runProgram(promtool ?? '', ['test', 'rules', 'deploy/prometheus/alerts.test.yml']);
  expect([tried.code, tried.said]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
