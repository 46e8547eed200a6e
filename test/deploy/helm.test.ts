import { describe, expect, jest, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import {
  at,
  findProgram,
  isSecretSetting,
  isSetting,
  parseYamls,
  readYaml,
  runProgram,
  testWith,
  type Tree,
} from '../support/deploy-files.ts';
import { filesBelow, read } from '../support/source-files.ts';

/** Programs of others, on a machine that others use too. */
jest.setTimeout(180_000);

const CHART = 'deploy/helm/chartgate';
const VALUES = { minimal: `${CHART}/ci/minimal-values.yaml`, everything: `${CHART}/ci/everything-values.yaml` };
const values = readYaml(`${CHART}/values.yaml`);
const templates = filesBelow(`${CHART}/templates`, '').map(read).join('\n');

describe('without helm', () => {
  test('the versions are one version', () => {
    const { version, appVersion } = readYaml(`${CHART}/Chart.yaml`);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(appVersion).toBe(version);
    expect(read('deploy/compose.yaml')).toContain(`chartgate:${String(version)}`);
  });

  test('every value that a template asks for is in values.yaml', () => {
    const asked = [...templates.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1));
    expect(asked.length).toBeGreaterThan(50);
    expect(asked.filter((path) => at(values, path) === undefined)).toEqual([]);
  });

  test('the schema takes the values and what the tests give, and no word that it does not know', () => {
    const isFine = new Ajv({ allowUnionTypes: true }).compile(
      JSON.parse(read(`${CHART}/values.schema.json`)) as object,
    );
    for (const given of [values, readYaml(VALUES.minimal), readYaml(VALUES.everything)])
      expect([isFine(given), isFine.errors]).toEqual([true, null]);
    expect(isFine({ ...values, replica: 2 })).toBe(false);
    expect(isFine({ ...values, settings: { chartgate_mode: 'live' } })).toBe(false);
    expect(isFine({ ...values, image: { repository: 'x', tag: 'latest' } })).toBe(false);
    const described = Object.keys(at(JSON.parse(read(`${CHART}/values.schema.json`)), 'properties') as Tree);
    expect(described.filter((name) => name !== 'global').sort()).toEqual(Object.keys(values).sort());
  });

  test('every setting that it names exists, and those in a Secret are secret', () => {
    const named = [...templates.matchAll(/\bCHARTGATE_[A-Z_]+/g)].map(([name]) => name);
    expect(named.filter((name) => !isSetting(name))).toEqual([]);
    for (const given of [values, readYaml(VALUES.everything)]) {
      expect((given['secretSettings'] as string[]).filter((name) => !isSecretSetting(name))).toEqual([]);
      expect(Object.keys(given['settings'] as Tree).filter((name) => !isSetting(name))).toEqual([]);
    }
  });
});

const helm = findProgram('helm', 'TEST_HELM');
const withHelm = testWith(helm, 'the chart is not rendered: helm is not installed. See test/deploy/run.ts.');

function render(file: string, ...more: string[]): Tree[] {
  const { code, stdout, said } = runProgram(helm ?? '', [
    'template',
    'here',
    CHART,
    '-n',
    'there',
    '-f',
    file,
    ...more,
  ]);
  if (code !== 0) throw new Error(said);
  return parseYamls(stdout);
}
const only = (documents: readonly Tree[], kind: string): Tree[] => documents.filter((one) => one['kind'] === kind);
const first = (documents: readonly Tree[], kind: string): Tree => only(documents, kind)[0] ?? {};
const refusal = (...args: string[]): string => runProgram(helm ?? '', ['template', 'here', CHART, ...args]).said;

interface Env {
  readonly name: string;
  readonly value: string;
}

withHelm('helm finds nothing wrong with it', () => {
  for (const file of Object.values(VALUES)) {
    const { code, said } = runProgram(helm ?? '', ['lint', '--strict', CHART, '-f', file]);
    expect([code, said]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  }
});

withHelm('what must be given is asked for, in words', () => {
  expect(refusal()).toContain('trustProxy or tls.existingSecret');
  expect(refusal('--set', 'trustProxy={10.0.0.1}')).toContain('publicUrl: how others reach the gateway');
  const given = ['-f', VALUES.minimal];
  expect(refusal(...given, '--set', 'existingSecret=')).toContain('existingSecret: a Secret');
  expect(refusal(...given, '--set', 'settings.CHARTGATE_PORT=1')).toContain('CHARTGATE_PORT has a value of its own');
  expect(refusal(...given, '--set', 'secretSettings={CHARTGATE_OPS_TOKEN}')).toContain('cannot send it from a Secret');
  expect(refusal(...given, '--set', 'ingress.enabled=true')).toContain('ingress.host');
  expect(refusal(...given, '--set', 'memoryMb=100')).toContain('memoryMb');
});

withHelm('which objects there are depends on what was asked for', () => {
  const kinds = (file: string): string[] => render(file).map((one) => String(one['kind']));
  const always = ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service', 'ServiceAccount'];
  expect(kinds(VALUES.minimal).sort()).toEqual(always);
  expect(kinds(VALUES.everything).sort()).toEqual(
    [...always, 'Ingress', 'Job', 'PrometheusRule', 'ServiceMonitor'].sort(),
  );
  const none = render(VALUES.minimal, '--set', 'podDisruptionBudget.enabled=false,networkPolicy.enabled=false');
  expect(none.map((one) => one['kind']).sort()).toEqual(['Deployment', 'Service', 'Service', 'ServiceAccount']);
});

const sized = (file: string) => {
  const documents = render(file);
  const deployment = first(documents, 'Deployment');
  const pod = at(deployment, 'spec.template.spec') as Tree;
  return { documents, deployment, pod, container: at(pod, 'containers.0') as Tree };
};

describe.each(Object.entries(VALUES))('with %s values', (which, file) => {
  withHelm('the probes ask the port for watching, and the update waits for readiness', () => {
    const { deployment, container, pod } = sized(file);
    const scheme = which === 'everything' ? 'HTTPS' : 'HTTP';
    const probe = (path: string): object => ({ httpGet: { path, port: 'ops', scheme } });
    expect(container).toMatchObject({
      startupProbe: probe('/healthz'),
      livenessProbe: probe('/healthz'),
      readinessProbe: probe('/readyz'),
    });
    expect(at(deployment, 'spec.strategy')).toEqual(
      which === 'everything'
        ? { type: 'Recreate' }
        : { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    );
    const env = container['env'] as Env[];
    const drainS = Number(env.find(({ name }) => name === 'CHARTGATE_DRAIN_SECONDS')?.value);
    expect(drainS).toBeLessThanOrEqual(15);
    expect(pod['terminationGracePeriodSeconds']).toBeGreaterThanOrEqual(30);
    // A load balancer must have seen it before the listener closes.
    const { periodSeconds, failureThreshold } = container['readinessProbe'] as Record<string, number>;
    expect((periodSeconds ?? 0) * (failureThreshold ?? 0)).toBeLessThan(drainS);
  });

  withHelm('every variable is a setting, given once, and a secret is a file of the Secret', () => {
    const { documents, container, pod } = sized(file);
    const containers = [container, ...only(documents, 'Job').map((job) => at(job, 'spec.template.spec.containers.0'))];
    for (const one of containers) {
      const env = at(one, 'env') as Env[];
      const names = env.map(({ name }) => name);
      expect(names.filter((name) => !isSetting(name) || isSecretSetting(name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      expect(env.filter(({ value }) => typeof value !== 'string')).toEqual([]);
      const volumes = pod['volumes'] as Tree[];
      const mounts = at(one, 'volumeMounts') as { readonly name: string; readonly mountPath: string }[];
      expect(mounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => String(name)).sort());
      const items = at(
        volumes.find(({ name }) => name === 'secrets'),
        'secret.items',
      ) as { readonly path: string }[];
      const folder = mounts.find(({ name }) => name === 'secrets')?.mountPath ?? '';
      const files = env.filter(({ name }) => isSecretSetting(name.replace(/_FILE$/, ''))).map(({ value }) => value);
      expect(files).toEqual(items.map(({ path }) => `${folder}/${path}`));
    }
    expect(only(documents, 'Secret')).toEqual([]);
  });

  withHelm('nothing runs as root, writes to its root or has a token', () => {
    const { documents, pod } = sized(file);
    const pods = [pod, ...only(documents, 'Job').map((job) => at(job, 'spec.template.spec') as Tree)];
    for (const one of pods) {
      expect(one).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(at(one, 'containers.0.securityContext')).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsUser: 1000,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(at(one, 'containers.0.image')).toMatch(/[:@](?!latest)[\w.:-]+$/);
    }
    expect(first(documents, 'ServiceAccount')['automountServiceAccountToken']).toBe(false);
  });

  withHelm('every selector finds the pods, and every port is one that they have', () => {
    const { documents, deployment, container } = sized(file);
    const labels = at(deployment, 'spec.template.metadata.labels') as Readonly<Record<string, string>>;
    const holds = (selector: unknown): void => expect(labels).toMatchObject(selector as object);
    holds(at(deployment, 'spec.selector.matchLabels'));
    holds(at(first(documents, 'PodDisruptionBudget'), 'spec.selector.matchLabels'));
    holds(at(first(documents, 'NetworkPolicy'), 'spec.podSelector.matchLabels'));
    for (const constraint of at(deployment, 'spec.template.spec.topologySpreadConstraints') as Tree[])
      holds(at(constraint, 'labelSelector.matchLabels'));
    const ports = container['ports'] as { readonly name: string; readonly containerPort: number }[];
    const env = new Map((container['env'] as Env[]).map(({ name, value }) => [name, value]));
    expect(ports).toEqual([
      { name: 'http', containerPort: Number(env.get('CHARTGATE_PORT')) },
      { name: 'ops', containerPort: Number(env.get('CHARTGATE_OPS_PORT')) },
    ]);
    const services = only(documents, 'Service');
    for (const service of services) {
      holds(at(service, 'spec.selector'));
      expect(ports.map(({ name }) => name)).toContain(at(service, 'spec.ports.0.targetPort'));
    }
    const policy = first(documents, 'NetworkPolicy');
    expect((at(policy, 'spec.ingress') as Tree[]).map((rule) => at(rule, 'ports.0.port'))).toEqual(['http', 'ops']);
    const egress = at(policy, 'spec.egress') as Tree[];
    expect(egress.map((rule) => at(rule, 'ports.0.port'))).toEqual(
      which === 'everything' ? [53, 6432, 8443, 443, 443] : [53, 5432, 443, 443],
    );
    // A pod of the check is none of a Service, and the policy is for it too.
    for (const job of only(documents, 'Job')) {
      const name = at(job, 'spec.template.metadata.labels') as Record<string, string>;
      expect(name['app.kubernetes.io/name']).not.toBe(labels['app.kubernetes.io/name']);
      expect(at(policy, 'spec.podSelector.matchExpressions.0.values')).toContain(name['app.kubernetes.io/name']);
    }
  });

  withHelm('the memory that it may take follows the setting', () => {
    const { container } = sized(file);
    expect(at(container, 'resources.requests.memory')).toBe(which === 'everything' ? `${4 * 768 + 130}Mi` : '512Mi');
    expect(at(container, 'resources.limits.memory')).toBe(which === 'everything' ? '4002Mi' : '640Mi');
    expect(container['args']).toEqual(which === 'everything' ? ['serve', '--workers', '4'] : ['serve']);
  });
});

withHelm('Prometheus finds the Service for watching, and has the rules with the address in front', () => {
  const documents = render(VALUES.everything);
  const monitor = first(documents, 'ServiceMonitor');
  const chosen = only(documents, 'Service').filter((service) => {
    const labels = at(service, 'metadata.labels') as Record<string, string>;
    const wanted = Object.entries(at(monitor, 'spec.selector.matchLabels') as Record<string, string>);
    return wanted.every(([name, value]) => labels[name] === value);
  });
  expect(chosen.map((service) => at(service, 'spec.ports.0.name'))).toEqual(['ops']);
  expect(at(monitor, 'spec.endpoints.0.port')).toBe('ops');
  // The alerts ask for the job by this name.
  const job = String(at(monitor, 'spec.jobLabel'));
  expect((at(chosen[0], 'metadata.labels') as Record<string, string>)[job]).toBe('chartgate');
  const rendered = at(first(documents, 'PrometheusRule'), 'spec.groups.0.rules') as Tree[];
  const own = at(readYaml('deploy/prometheus/alerts.yml'), 'groups.0.rules') as Tree[];
  expect(rendered.map(({ expr }) => expr)).toEqual(own.map(({ expr }) => expr));
  expect(at(rendered[0], 'annotations.runbook_url')).toBe(
    `https://git.hospital.example/chartgate/${String(at(own[0], 'annotations.runbook_url'))}`,
  );
  expect(at(rendered[0], 'annotations.description')).toBe(at(own[0], 'annotations.description'));
});

const SCHEMAS = process.env['TEST_KUBERNETES_SCHEMAS'] ?? null;
const withSchemas = testWith(
  helm === null ? null : SCHEMAS,
  'the chart is not checked by the schemas of Kubernetes: TEST_KUBERNETES_SCHEMAS is not set. See test/deploy/run.ts.',
);

/** Strict: a field that Kubernetes does not know is wrong. */
const schemaFolders = SCHEMAS === null ? [] : readdirSync(SCHEMAS).filter((name) => name.endsWith('-local-strict'));

/** Newer ones have addresses as names; here all of them are files beside each other. */
function readSchema(file: string): object {
  const text = readFileSync(file, 'utf8').replaceAll('"/api/_definitions.json', '"_definitions.json');
  const { $id: _id, $schema: _schema, ...schema } = JSON.parse(text) as Record<string, unknown>;
  return schema;
}

withSchemas('every object is one that Kubernetes knows, from 1.27 to the newest that we have', () => {
  const folders = schemaFolders.filter((name) => Number(/^v1\.(\d+)\./.exec(name)?.[1]) >= 27);
  expect(folders.length).toBeGreaterThan(3);
  const documents = Object.values(VALUES).flatMap((file) => render(file));
  for (const name of folders) {
    const folder = join(SCHEMAS ?? '', name);
    const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
    ajv.addSchema(readSchema(join(folder, '_definitions.json')), '_definitions.json');
    const compiled = new Map<string, ValidateFunction>();
    let checked = 0;
    for (const document of documents) {
      const group = String(document['apiVersion']).replace('/', '-').replace('.k8s.io', '');
      const file = join(folder, `${String(document['kind']).toLowerCase()}-${group}.json`);
      // Objects of the Prometheus operator are not Kubernetes' own.
      if (group.startsWith('monitoring.coreos.com')) continue;
      expect([file, existsSync(file)]).toEqual([file, true]);
      const isFine = compiled.get(file) ?? ajv.compile(readSchema(file));
      compiled.set(file, isFine);
      expect([name, document['kind'], isFine(document), isFine.errors]).toEqual([name, document['kind'], true, null]);
      checked += 1;
    }
    expect(checked).toBe(14);
    const deployment = compiled.get(join(folder, 'deployment-apps-v1.json'));
    expect(deployment?.({ ...first(documents, 'Deployment'), specs: {} })).toBe(false);
  }
});
