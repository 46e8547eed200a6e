/*
 * `npm run third-party`: whose software the packages bring, as a CycloneDX list and as notices, and whether its licences
 * are ones that anybody may run and pass on. `npm run build` writes both files into each package. Ends with 1 where a
 * licence is not allowed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly link?: boolean;
}
export type Lock = Readonly<Record<string, Locked>>;

/** A package that one of ours brings: installed beside it, or put into a file that a browser loads. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly sha512: string | null;
  readonly how: 'installed' | 'bundled';
  /** Where it lies in this checkout. */
  readonly path: string;
  readonly needs: readonly string[];
}

export const ALLOWED = new Set(
  'LicenseRef-LHNCBC-BSD 0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 ISC MIT MIT-0 Python-2.0 Unlicense Zlib'.split(
    ' ',
  ),
);
/** Packages whose own words about their licence are not a name of SPDX, and what their licence text is. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  // BSD in all but name, with the notices of UCUM and LOINC that mappings/README.md repeats.
  '@lhncbc/ucum-lhc': 'LicenseRef-LHNCBC-BSD',
  busboy: 'MIT',
  decko: 'MIT',
  stickyfill: 'MIT',
  streamsearch: 'MIT',
  'url-template': 'BSD-3-Clause',
};

/** Of our packages: where their own dependencies are named, and what their build puts into files. */
export const PACKAGES = {
  gateway: {
    root: '',
    name: 'chartgate',
    folder: 'dist',
    bundles: [
      ...['react', 'react-dom', 'uplot', 'wouter', '@primer/octicons-react', 'redoc'],
      // What the generator of the documentation puts into its pages.
      ...['vue', '@vueuse/core', '@vueuse/integrations', 'focus-trap', 'mark.js', 'minisearch'],
    ],
    // Of which only its own files are put there.
    alone: ['vitepress'],
  },
  sandbox: {
    root: 'sandbox',
    name: 'chartgate-sandbox',
    folder: 'sandbox/dist',
    bundles: ['fhirclient', 'uplot'],
    alone: [],
  },
} as const;
type Package = (typeof PACKAGES)[keyof typeof PACKAGES];

/** Where the package of this name lies for whoever is at `from`: as Node looks for it. */
function find(lock: Lock, from: string, name: string): string | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (at === '') return null;
    if (!at.includes('/node_modules/')) at = '';
  }
}

function needsOf(lock: Lock, path: string, isOfBundle: boolean): readonly string[] {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = lock[path] ?? { dependencies: {} };
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...(isOfBundle ? peers : [])];
  return names.flatMap((name) => find(lock, path, name) ?? []).filter((found) => lock[found]?.link !== true);
}

/** Everything that a package of ours brings, each once, by name. */
export function listComponents(lock: Lock, { root, bundles, alone }: Package): readonly Component[] {
  const found = new Map<string, Component>();
  const add = (path: string, how: Component['how'], isAlone = false): void => {
    if (found.has(path)) return;
    const { version = '', license, integrity } = lock[path] ?? {};
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const needs = isAlone ? [] : needsOf(lock, path, how === 'bundled');
    const sha512 = /^sha512-([A-Za-z0-9+/=]+)/.exec(integrity ?? '')?.[1];
    found.set(path, {
      name,
      version,
      license: READ_BY_HAND[name] ?? license ?? 'none named',
      sha512: sha512 === undefined ? null : Buffer.from(sha512, 'base64').toString('hex'),
      how,
      path,
      needs,
    });
    for (const one of needs) add(one, how);
  };
  for (const one of needsOf(lock, root, false)) add(one, 'installed');
  for (const name of [...bundles, ...alone]) {
    const path = find(lock, root, name);
    if (path === null) throw new Error(`${name} is not installed: run npm ci`);
    add(path, 'bundled', (alone as readonly string[]).includes(name));
  }
  return [...found.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** Whether one of the licences that are offered is allowed, and all of those that hold together are. */
export const isAllowed = (license: string): boolean =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(/ OR /)
    .some((choice) => choice.split(/ AND /).every((one) => ALLOWED.has(one.replace(/[()]/g, '').trim())));

const purl = ({ name, version }: Pick<Component, 'name' | 'version'>): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;
const licenseOf = (license: string): object =>
  ALLOWED.has(license) && !license.startsWith('LicenseRef-')
    ? { license: { id: license } }
    : { expression: license.replace(/^\((.*)\)$/, '$1') };

/** The list of parts by CycloneDX 1.6. The same parts make the same list, byte for byte. */
export function buildSbom(lock: Lock, of: Package, version: string): object {
  const components = listComponents(lock, of);
  const digest = createHash('sha256').update(components.map(purl).join('\n')).digest('hex');
  const serial = [8, 4, 4, 4, 12].reduce<{ readonly parts: readonly string[]; readonly at: number }>(
    ({ parts, at }, length) => ({ parts: [...parts, digest.slice(at, at + length)], at: at + length }),
    { parts: [], at: 0 },
  ).parts;
  const own = `pkg:npm/${of.name}@${version}`;
  const byPath = new Map(components.map((one) => [one.path, one]));
  const refOf = ({ path }: Component): string => (path === '' ? own : path);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${serial.join('-')}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: of.name,
        version,
        purl: own,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: components.map((one) => ({
      type: 'library',
      'bom-ref': refOf(one),
      name: one.name,
      version: one.version,
      purl: purl(one),
      scope: 'required',
      licenses: [licenseOf(one.license)],
      ...(one.sha512 === null ? {} : { hashes: [{ alg: 'SHA-512', content: one.sha512 }] }),
      properties: [{ name: 'chartgate:how', value: one.how }],
    })),
    dependencies: [
      {
        ref: own,
        dependsOn: [
          ...new Set([
            ...needsOf(lock, of.root, false),
            ...[...of.bundles, ...of.alone].map((name) => find(lock, of.root, name)),
          ]),
        ]
          .filter((path) => path !== null)
          .sort(),
      },
      ...components.map((one) => ({
        ref: refOf(one),
        dependsOn: [...new Set(one.needs.filter((path) => byPath.has(path)))].sort(),
      })),
    ],
  };
}

const textOf = (folder: string): string | null => {
  const name = existsSync(folder) ? readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one)) : undefined;
  return name === undefined ? null : readFileSync(join(folder, name), 'utf8').trim();
};

/** Every licence text once, under the packages that it is of. */
export function buildNotices(components: readonly Component[]): string {
  const texts = new Map<string, Component[]>();
  for (const one of components) {
    const text = textOf(one.path) ?? `(The package has no licence text. It names the licence ${one.license}.)`;
    texts.set(text, [...(texts.get(text) ?? []), one]);
  }
  const parts = [...texts].map(([text, of]) => {
    const names = of.map(({ name, version, license }) => `${name} ${version} (${license})`);
    return `${names.join('\n')}\n\n${text}\n`;
  });
  const rule = `\n${'-'.repeat(100)}\n\n`;
  return `Software of others that this package brings, and the words under which they give it.${rule}${parts.join(rule)}`;
}

export const readLock = (): Lock =>
  (JSON.parse(readFileSync('package-lock.json', 'utf8')) as { readonly packages: Lock }).packages;

/** Writes both files into a package of ours; the list of what is not allowed comes back. */
export function writeThirdParty(of: Package, version: string): readonly Component[] {
  const lock = readLock();
  const components = listComponents(lock, of);
  writeFileSync(join(of.folder, 'sbom.cdx.json'), `${JSON.stringify(buildSbom(lock, of, version), null, 2)}\n`);
  writeFileSync(join(of.folder, 'THIRD-PARTY-NOTICES.txt'), buildNotices(components));
  return components.filter(({ license }) => !isAllowed(license));
}

if (import.meta.main) {
  const lock = readLock();
  let isGood = true;
  for (const own of Object.values(PACKAGES)) {
    const components = listComponents(lock, own);
    const counts = Map.groupBy(components, ({ license }) => license);
    console.log(`${own.name}: ${components.length} packages of others`);
    for (const [license, list] of [...counts].sort(([, a], [, b]) => b.length - a.length))
      console.log(`  ${String(list.length).padStart(4)} ${license}`);
    for (const { name, version, license } of components.filter((one) => !isAllowed(one.license))) {
      isGood = false;
      console.log(`  NOT ALLOWED: ${name} ${version}: ${license}`);
    }
  }
  process.exitCode = isGood ? 0 : 1;
}
