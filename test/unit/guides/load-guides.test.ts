import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadGuide, loadGuides, problemLines } from '../../../src/guides/index.ts';

const IPS = dirname(createRequire(import.meta.url).resolve('hl7.fhir.uv.ips/package.json'));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'guides-'));
  cpSync(IPS, join(folder, 'hl7.fhir.uv.ips#2.0.0', 'package'), { recursive: true });
  writeFileSync(join(folder, 'broken.tgz'), 'no archive');
  mkdirSync(join(folder, 'empty'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a guide is found by its name and version, with the digest of what it was read from', async () => {
  const loaded = await loadGuides(folder, ['hl7.fhir.uv.ips#2.0.0']);
  if (!loaded.ok) throw new Error(problemLines(loaded.problems).join('\n'));
  const [ips] = loaded.value;
  expect([ips?.content.name, ips?.content.version, ips?.content.structures.length]).toEqual([
    'hl7.fhir.uv.ips',
    '2.0.0',
    32,
  ]);
  const byPath = await loadGuide(IPS);
  expect(byPath.ok && byPath.value.digest).toBe(ips?.digest);
});

test('whatever is wrong with any of them is told at once', async () => {
  const wanted = ['hl7.fhir.uv.ips#1.1.0', join(folder, 'broken.tgz'), join(folder, 'empty'), join(folder, 'nobody')];
  const loaded = await loadGuides(folder, wanted);
  expect(loaded.ok ? [] : loaded.problems.map(({ code }) => code)).toEqual([
    'guide-missing',
    'archive-not-gzip',
    'package-json-missing',
    'guide-unreadable',
  ]);
});

test('a folder of another version than its name says is refused', async () => {
  cpSync(join(folder, 'hl7.fhir.uv.ips#2.0.0'), join(folder, 'hl7.fhir.uv.ips-2.1.0'), { recursive: true });
  const loaded = await loadGuides(folder, ['hl7.fhir.uv.ips#2.1.0']);
  expect(loaded.ok ? [] : problemLines(loaded.problems)).toEqual([
    expect.stringContaining('It is hl7.fhir.uv.ips#2.0.0, not hl7.fhir.uv.ips#2.1.0. (guide-version)'),
  ]);
});
