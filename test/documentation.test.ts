import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMANDS, EXIT } from '../src/cli/index.ts';
import { searchParamsOf } from '../src/r4/index.ts';
import { careDateTypes } from '../src/smart/care-date.ts';
import { FAULT_CODES, HANDLING, LOG_EVENTS, SPAN_NAMES } from '../src/kernel/index.ts';
import { settingsTables, textBefore } from '../tools/configuration.ts';
import { diagramsIn, pictureOf } from '../tools/diagrams.ts';
import { filesBelow, quoted, read, tableRows } from './support/source-files.ts';

test('docs/configuration.md lists every setting as the program knows it: npm run configuration', () => {
  const page = read('docs/configuration.md');
  expect(page.slice(textBefore(page).length)).toBe(settingsTables());
});

test('docs/faults.md lists every fault code with its status, and no other', () => {
  const rows = tableRows('docs/faults.md', 'what happened').map(([code = '', status = '']) => [
    quoted(code)[0],
    Number(status),
  ]);
  expect(rows).toEqual(Object.entries(FAULT_CODES).map(([code, kind]) => [code, HANDLING[kind].status]));
});

test('docs/operate.md lists every log event that is written, and no other', () => {
  const rows = tableRows('docs/operate.md', '| event | level').map(([event = '']) => quoted(event)[0]);
  expect([...rows].sort()).toEqual([...LOG_EVENTS].sort());
  const sources = filesBelow('src', '.ts')
    .filter((file) => file !== 'src/kernel/log.ts')
    .map(read)
    .join('\n');
  for (const event of LOG_EVENTS) expect([event, sources.includes(`'${event}'`)]).toEqual([event, true]);
});

test('docs/operate.md lists every span and every attribute of one, and no other', () => {
  const spans = tableRows('docs/operate.md', '| span | of').map(([span = '']) => quoted(span)[0]);
  expect(spans.filter((name) => !/^[A-Z]+ |^METHOD /.test(name ?? ''))).toEqual([...SPAN_NAMES]);
  const attributes = tableRows('docs/operate.md', '| attribute | what').flatMap(([names = '']) => quoted(names));
  const known = [...read('src/kernel/span.ts').matchAll(/readonly '([a-z_.]+)'\?:/g)].map(([, name = '']) => name);
  expect(attributes.sort()).toEqual(known.sort());
});

test('docs/operate.md lists every metric of ours', () => {
  const page = read('docs/operate.md');
  const names = filesBelow('src/ops', '.ts').flatMap((file) => [...read(file).matchAll(/'(chartgate_[a-z_]+)'/g)]);
  expect(names.length).toBeGreaterThan(15);
  for (const [, name = ''] of names) expect([name, page.includes(`\`${name}\``)]).toEqual([name, true]);
});

test('docs/operate.md lists every exit code', () => {
  expect(tableRows('docs/operate.md', '| code | meaning').map(([code]) => Number(code))).toEqual(
    Object.values(EXIT).sort((a, b) => a - b),
  );
});

test('docs/read-api.md lists by which types $everything knows days of care, and what becomes of those without', () => {
  const rows = tableRows('docs/read-api.md', 'for `start` and `end`').map(([, types = '']) =>
    types.split(/[^A-Za-z]+/).filter((word) => searchParamsOf(word).size > 0),
  );
  const typesOf = (undated: 'out' | 'in'): string[] =>
    [...careDateTypes()].flatMap(([type, care]) => (care.undated === undated ? [type] : []));
  expect(rows.slice(0, 2).map((types) => types.sort())).toEqual([typesOf('out').sort(), typesOf('in').sort()]);
  const others = rows[2] ?? [];
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter((type) => [...careDateTypes()].some(([known]) => known === type))).toEqual([]);
});

test('docs/surface.md names every command', () => {
  for (const { name } of COMMANDS) expect(read('docs/surface.md')).toContain(`chartgate ${name}`);
});

test('docs/connect-an-ehr.md lists every part of the suite for a real EHR, and no other', () => {
  const rows = tableRows('docs/connect-an-ehr.md', '| part | what is run').map(([part = '']) => quoted(part)[0]);
  const files = filesBelow('test/real-ehr', '.test.ts').map((file) => file.split('/').at(-1)?.replace('.test.ts', ''));
  expect([...rows].sort()).toEqual(['any-ehr', ...files].sort());
});

test('docs/decisions/README.md lists every decision, and no other', () => {
  const listed = [...read('docs/decisions/README.md').matchAll(/\]\((\d{4}-[^)]+\.md)\)/g)].map(([, name]) => name);
  const files = filesBelow('docs/decisions', '.md').map((file) => file.split('/').at(-1) ?? '');
  expect(listed).toEqual(files.filter((name) => name !== 'README.md').sort());
});

test('one version is named everywhere', () => {
  const versionIn = (file: string): string => (JSON.parse(read(file)) as { readonly version: string }).version;
  const version = versionIn('package.json');
  expect(['sandbox', 'console', 'tools'].map((name) => versionIn(`${name}/package.json`))).toEqual([
    version,
    version,
    version,
  ]);
  expect(read('sandbox/package.json')).toContain(`"chartgate": "${version}"`);
  expect(read('Dockerfile')).toContain(`ARG VERSION=${version}\n`);
  expect(read('deploy/helm/chartgate/Chart.yaml')).toMatch(new RegExp(`^appVersion: ['"]?${version}['"]?$`, 'm'));
  expect(read('README.md')).toContain(`chartgate-${version}.tgz`);
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${version}( |$)`, 'm'));
  expect(read('openapi/base.json')).toContain(`"version": "${version}"`);
});

test('every diagram is drawn: npm run diagrams', () => {
  const texts = filesBelow('docs', '.md').flatMap((page) => diagramsIn(read(page)));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.map(pictureOf).filter((file) => !existsSync(file))).toEqual([]);
});

test('docs/README.md leads to every page', () => {
  const index = read('docs/README.md');
  const pages = filesBelow('docs', '.md').filter((file) => !/docs\/(?:decisions|tutorials)\/|docs\/README/.test(file));
  expect(pages.filter((file) => !index.includes(`(${file.replace('docs/', '')}`))).toEqual([]);
});

const PAGES = [
  ...filesBelow('docs', '.md'),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'deploy/README.md',
  ...filesBelow('mappings', '.md'),
];

/** As the address of a heading is made of its words. */
const headingsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

/** Rules for alerts lead to these. */
test('docs/troubleshooting.md has a heading for each symptom that alerts lead to', () => {
  const symptoms = ['start-refused', 'nothing-arrives', '401-at-the-webhook', 'deliveries-are-parked', 'lag-grows'];
  const others = ['breaker-open', 'the-ledger-does-not-add-up', 'disk-full', 'audit-verify-fails', 'memory'];
  const headings = headingsOf('docs/troubleshooting.md');
  expect([...symptoms, ...others].filter((one) => !headings.has(one))).toEqual([]);
});

describe.each(PAGES)('%s', (page) => {
  test('has no link that leads nowhere', () => {
    const root = new URL('../', import.meta.url).pathname;
    const links = [...read(page).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link));
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  test('has no link to a heading that is not there', () => {
    const root = new URL('../', import.meta.url).pathname;
    const links = [...read(page).matchAll(/\]\(([^)#\s]*)#([^)]*)\)/g)]
      .map(([, link = '', heading = '']) => [link === '' ? page : join(dirname(page), link), heading] as const)
      .filter(([file]) => file.endsWith('.md') && !/^[a-z]+:/.test(file) && existsSync(join(root, file)));
    expect(links.filter(([file, heading]) => !headingsOf(file).has(heading))).toEqual([]);
  });

  test('names no path of a machine', () => {
    expect(read(page)).not.toMatch(/(^|[^\w./-])\/(root|home|work|tmp)\//);
  });
});
