import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readGuideFiles, readGuidePackage, type PackageLimits } from '../../../../src/r4/guides/read-package.ts';
import * as make from './make-package.ts';

const codesOf = async (bytes: Uint8Array, limits: Partial<PackageLimits> = {}): Promise<string[]> => {
  const read = await readGuidePackage(bytes, limits);
  return read.ok ? [] : read.problems.map(({ code, file }) => (file === '' ? code : `${code} ${file}`));
};

const URL_A = 'http://example.org/StructureDefinition/a';

describe('a sound package', () => {
  const files = {
    'package/StructureDefinition-a.json': make.aStructure(URL_A, { text: { status: 'empty', div: '<div/>' } }),
    'package/ValueSet-b.json': make.aValueSet('http://example.org/ValueSet/b'),
    'package/CodeSystem-c.json': make.aCodeSystem('http://example.org/CodeSystem/c', {
      concept: [{ code: 'x', display: 'X', concept: [{ code: 'y', definition: 'Y' }] }],
    }),
    'package/Patient-d.json': { resourceType: 'Patient' },
    'package/ig-r4.json': [],
    'package/.index.json': 'not even JSON',
    'package/example/Patient-e.json': { resourceType: 'Patient' },
    'package/other/StructureDefinition-f.json': make.aStructure(URL_A),
    'package/xml/StructureDefinition-a.xml': '<StructureDefinition/>',
  };

  test('gives what it defines, without the words that only people read', async () => {
    const read = await readGuidePackage(make.makePackage(files));
    expect(read).toEqual({
      ok: true,
      value: {
        name: 'site.guide',
        version: '1.2.3',
        fhirVersions: ['4.0.1'],
        dependencies: { a: '1.0.0' },
        structures: [make.aStructure(URL_A)],
        valueSets: [make.aValueSet('http://example.org/ValueSet/b')],
        codeSystems: [
          make.aCodeSystem('http://example.org/CodeSystem/c', { concept: [{ code: 'x', concept: [{ code: 'y' }] }] }),
        ],
        files: new Map([
          [URL_A, 'StructureDefinition-a.json'],
          ['http://example.org/ValueSet/b', 'ValueSet-b.json'],
          ['http://example.org/CodeSystem/c', 'CodeSystem-c.json'],
        ]),
        examples: ['example/Patient-e.json'],
      },
    });
  });

  test('is the same guide when it is read from its unpacked files', async () => {
    const unpacked = Object.entries({ 'package/package.json': make.MANIFEST, ...files }).map(
      ([name, content]) =>
        [
          name.replace('package/', ''),
          Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
        ] as const,
    );
    expect(await readGuideFiles(unpacked)).toEqual(await readGuidePackage(make.makePackage(files)));
  });

  test('may begin its files with a byte order mark', async () => {
    const marked = { 'package/StructureDefinition-a.json': `\uFEFF${JSON.stringify(make.aStructure(URL_A))}` };
    expect(await codesOf(make.makePackage(marked))).toEqual([]);
  });

  test('keeps the words of what a profile fixes, which are data', async () => {
    const patternCodeableConcept = { coding: [{ display: 'D' }], text: 'T' };
    const element = [
      { id: 'Patient.maritalStatus', path: 'Patient.maritalStatus', short: 'S', patternCodeableConcept },
    ];
    const read = await readGuidePackage(
      make.makePackage({ 'package/a.json': make.aStructure(URL_A, { differential: { element } }) }),
    );
    const [{ differential } = {}] = read.ok ? read.value.structures : [];
    expect(differential?.element).toEqual([
      { id: 'Patient.maritalStatus', path: 'Patient.maritalStatus', patternCodeableConcept },
    ]);
  });

  test('may have long names, in the way of GNU and of POSIX, and sizes in binary', async () => {
    const name = `package/${'a'.repeat(150)}.json`;
    const text = JSON.stringify(make.aStructure(URL_A));
    const manifest = { name: 'package/package.json', content: JSON.stringify(make.MANIFEST) };
    const short = { name: 'package/short.json', content: text };
    for (const entries of [
      [make.gnuLongName(name), short],
      [make.paxEntry({ path: name, mtime: '1.5' }), short],
      [{ ...short, name: 'package/short.json', sizeForm: 'binary' as const }],
    ]) {
      const read = await readGuidePackage(gzipSync(make.makeTar([manifest, ...entries])));
      const file = entries.length === 2 ? name.replace('package/', '') : 'short.json';
      expect(read.ok && read.value.files.get(URL_A)).toBe(file);
    }
  });

  test('may name FHIR in the way of old packages', async () => {
    const { fhirVersions, ...rest } = make.MANIFEST;
    const old = { ...rest, 'fhir-version-list': fhirVersions };
    expect(await codesOf(make.makePackage({}, old))).toEqual([]);
  });
});

describe('an archive is refused', () => {
  const one = { 'package/StructureDefinition-a.json': make.aStructure(URL_A) };
  const sound = make.makePackage(one);
  const manifest = { name: 'package/package.json', content: JSON.stringify(make.MANIFEST) };
  const withEntries = (...entries: make.TarEntry[]): Buffer => gzipSync(make.makeTar([manifest, ...entries]));

  test('that is no gzip', async () => {
    expect(await codesOf(Buffer.from('PK\u0003\u0004'))).toEqual(['archive-not-gzip']);
  });

  test('that is empty', async () => {
    expect(await codesOf(new Uint8Array(0))).toContain('archive-truncated');
  });

  test('that unpacks to more than the limit, before it has unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    const tar = make.makeTarEntry({ name: 'package/bomb.json', size: 64 * 1024 * 1024 });
    const limits = { unpackedBytesMax: 4 * 1024 * 1024 };
    expect(await codesOf(Buffer.concat([gzipSync(tar), bomb]), limits)).toContain('archive-unpacked-too-large');
  });

  test('that is itself larger than the limit', async () => {
    expect(await codesOf(sound, { archiveBytesMax: 10 })).toContain('archive-too-large');
  });

  test('that claims an absurd size for a file', async () => {
    const absurd = withEntries({ name: 'package/a.json', size: 2 ** 50, sizeForm: 'binary' });
    expect(await codesOf(absurd)).toEqual(['file-too-large a.json', 'archive-truncated']);
    const pax = withEntries(make.paxEntry({ size: String(2 ** 50) }), { name: 'package/a.json' });
    expect(await codesOf(pax)).toEqual(['file-too-large a.json', 'archive-truncated']);
    expect(await codesOf(withEntries(make.paxEntry({ size: '-512' }), { name: 'package/a.json' }))).toEqual([
      'archive-malformed',
    ]);
  });

  test('that holds more files than the limit', async () => {
    expect(await codesOf(sound, { filesMax: 1 })).toEqual(['archive-files-too-many']);
  });

  test('that holds a file larger than the limit', async () => {
    const codes = await codesOf(make.makePackage({ 'package/a.json': ' '.repeat(1000) }), { fileBytesMax: 500 });
    expect(codes).toEqual(['file-too-large a.json']);
  });

  test('whose definitions are more than memory should hold, though it is small', async () => {
    const dense = make.aValueSet('http://example.org/dense', { extension: '[{}],'.repeat(2) });
    const text = JSON.stringify(dense).replace('"[{}],[{}],"', `[${'{},'.repeat(2_100_000)}{}]`);
    const archive = make.makePackage({ 'package/a.json': text });
    expect(archive.length).toBeLessThan(100_000);
    expect(await codesOf(archive)).toEqual(['json-too-many-values a.json']);
    const two = { 'package/a.json': make.aStructure(URL_A), 'package/b.json': make.aStructure(`${URL_A}b`) };
    expect(await codesOf(make.makePackage(two), { definitionBytesMax: 500 })).toEqual(['guide-too-large b.json']);
    expect(await codesOf(make.makePackage(two), { definitionValuesMax: 30 })).toEqual(['guide-too-large b.json']);
  });

  test('whose paths lead out of it, or that links', async () => {
    for (const name of ['package/../../a.json', '/etc/a.json', 'package\\..\\a.json', 'C:/a.json', '..'])
      expect(await codesOf(withEntries({ name }))).toEqual([`archive-path-unsafe ${name.replace(/^package\//, '')}`]);
    expect(await codesOf(withEntries({ name: 'package/a.json', type: '2' }))).toEqual(['archive-entry-kind a.json']);
  });

  test('whose headers cannot be read', async () => {
    expect(await codesOf(withEntries({ name: 'package/a.json', checksum: 'wrong' }))).toEqual(['archive-malformed']);
    const badPax = withEntries({ name: 'x', type: 'x', content: '999 path=a\n' }, { name: 'package/a.json' });
    expect(await codesOf(badPax)).toEqual(['archive-malformed']);
    const longLink = withEntries({ name: 'x', type: 'L', content: 'a'.repeat(70_000) }, { name: 'package/a.json' });
    expect(await codesOf(longLink)).toEqual(['archive-malformed']);
  });

  test('wherever it is cut off', async () => {
    const tar = gunzipSync(sound);
    for (let length = 0; length < tar.length - make.END_MARK.length; length += 211)
      expect(await codesOf(gzipSync(tar.subarray(0, length)))).toContain('archive-truncated');
    for (let length = 0; length < sound.length; length += 17)
      expect((await codesOf(sound.subarray(0, length))).join()).toMatch(/archive-/);
  });
});

describe('a guide is refused', () => {
  test('without a package.json, or with one that is none', async () => {
    expect(await codesOf(make.makePackage({ 'package/package.json': undefined }))).toEqual([
      'package-json-missing package.json',
    ]);
    expect(await codesOf(make.makePackage({}, 'nothing'))).toEqual(['json-unreadable package.json']);
    expect(new Set(await codesOf(make.makePackage({}, '[]')))).toEqual(
      new Set(['package-json-shape package.json', 'fhir-version-missing package.json']),
    );
    expect(await codesOf(make.makePackage({}, { ...make.MANIFEST, dependencies: { a: 1 } }))).toEqual([
      'package-json-shape package.json',
    ]);
  });

  test.each(['3.0.2', '4.1.0', '4.3.0', '5.0.0', '4.01'])('that is for FHIR %s', async (version) => {
    const codes = await codesOf(make.makePackage({}, { ...make.MANIFEST, fhirVersions: [version] }));
    expect(codes).toEqual(['fhir-version package.json']);
    const structure = make.aStructure(URL_A, { fhirVersion: version });
    expect(await codesOf(make.makePackage({ 'package/a.json': structure }))).toEqual(['fhir-version a.json']);
  });

  test('with every problem at once', async () => {
    const files = {
      'package/a.json': make.aStructure(URL_A),
      'package/b.json': make.aValueSet(URL_A),
      'package/c.json': '{"resourceType":',
      'package/d.json': { resourceType: 'ValueSet', status: 'active' },
      'package/e.json': make.aCodeSystem('http://example.org/e', { concept: [{ display: 'no code' }] }),
      'package/f.json': make.aStructure('http://example.org/f', { snapshot: { element: [{ path: 7, type: {} }] } }),
      'package/g.json': `{"resourceType":"ValueSet","compose":${'['.repeat(200)}${']'.repeat(200)}}`,
    };
    const latin = { name: 'package/h.json', content: Buffer.from('{"a":"\xe4"}', 'latin1') };
    const read = await readGuidePackage(make.makePackage(files, make.MANIFEST, [latin]));
    expect(read.ok ? [] : read.problems).toEqual([
      { code: 'url-duplicate', file: 'b.json', path: 'ValueSet.url', text: expect.stringContaining('a.json') },
      { code: 'json-unreadable', file: 'c.json', path: '', text: expect.any(String) },
      { code: 'url-missing', file: 'd.json', path: 'ValueSet.url', text: expect.any(String) },
      { code: 'definition-shape', file: 'e.json', path: 'CodeSystem.concept[0].code', text: expect.any(String) },
      {
        code: 'definition-shape',
        file: 'f.json',
        path: 'StructureDefinition.snapshot.element[0].path',
        text: expect.any(String),
      },
      {
        code: 'definition-shape',
        file: 'f.json',
        path: 'StructureDefinition.snapshot.element[0].type',
        text: expect.any(String),
      },
      { code: 'json-too-deep', file: 'g.json', path: '', text: expect.any(String) },
      { code: 'json-unreadable', file: 'h.json', path: '', text: expect.any(String) },
    ]);
  });

  test('from a folder by the same rules', async () => {
    const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
    const read = await readGuideFiles(
      [
        ['../a.json', text({})],
        ['b.json', Buffer.alloc(2000, 32)],
        ['c.json', text(make.aStructure(URL_A))],
        ['d.json', text(make.aStructure(URL_A))],
        ['e.json', text({})],
      ],
      { fileBytesMax: 1000, filesMax: 4 },
    );
    expect(read.ok ? [] : read.problems.map(({ code }) => code)).toEqual([
      'archive-path-unsafe',
      'file-too-large',
      'url-duplicate',
      'archive-files-too-many',
    ]);
  });
});

describe('properties', () => {
  const aName = fc.stringMatching(/^[a-z]{1,8}$/);

  test('what is packed is read, however the names are written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(aName, fc.constantFrom('plain', 'gnu', 'pax')), {
          selector: ([name]) => name,
          maxLength: 8,
        }),
        async (names) => {
          const entries = names.flatMap(([name, way]): make.TarEntry[] => {
            const file = `package/${name}-x.json`;
            const content = JSON.stringify(make.aValueSet(`http://example.org/${name}`));
            if (way === 'gnu') return [make.gnuLongName(file), { name: 'x', content }];
            if (way === 'pax') return [make.paxEntry({ path: file }), { name: 'x', content }];
            return [{ name: file, content }];
          });
          const read = await readGuidePackage(make.makePackage({}, make.MANIFEST, entries));
          expect(read.ok && [...read.value.files]).toEqual(
            names.map(([name]) => [`http://example.org/${name}`, `${name}-x.json`]),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  test('damaged bytes are read or refused, and never throw', async () => {
    const tar = gunzipSync(make.makePackage({ 'package/a.json': make.aStructure(URL_A) }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(tar.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const damaged = Buffer.from(tar);
          for (const [at, byte] of changes) damaged[at] = byte;
          const read = await readGuidePackage(gzipSync(damaged), { unpackedBytesMax: 1_000_000 });
          if (!read.ok) expect(read.problems.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 100 },
    );
  });
});

test('the International Patient Summary is read from its folder, giving way to the event loop', async () => {
  const folder = join('node_modules', 'hl7.fhir.uv.ips');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const read = await readGuideFiles(files.map((name) => [name, readFileSync(join(folder, name))] as const));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(read.ok && [read.value.name, read.value.version]).toEqual(['hl7.fhir.uv.ips', '2.0.0']);
  expect(read.ok && [read.value.structures.length, read.value.valueSets.length]).toEqual([32, 36]);
});
