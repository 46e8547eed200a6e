import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMappings, MappingsError, readSourceUris, SHIPPED_FOLDER } from '../../../src/mappings/index.ts';
import { StartError } from '../../../src/kernel/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-mappings-'));
  cpSync(SHIPPED_FOLDER, folder, { recursive: true });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

const URIS = {
  code: 'https://s.example/codes',
  userIdentifier: 'https://s.example/users',
  tag: 'https://s.example/tags',
  context: 'urn:c',
};

describe('loading a folder', () => {
  test('a copy has the version of the original', () => {
    expect(loadMappings(folder, { uris: null }).version).toBe(loadMappings(SHIPPED_FOLDER, { uris: null }).version);
  });

  test('refuses to start with every problem', () => {
    rmSync(join(folder, 'units.json'));
    writeFileSync(join(folder, 'dialects', 'mine.json'), '{}');
    const error = thrownBy(() => loadMappings(folder, { uris: null }));
    expect(error).toBeInstanceOf(MappingsError);
    expect(error).toBeInstanceOf(StartError);
    const rows = (error as MappingsError).problems.map(({ row }) => row);
    expect(rows).toContain('units.json');
    expect(rows).toContain('dialects/mine.json');
  });

  test('refuses a folder that is not there', () => {
    expect((thrownBy(() => loadMappings(join(folder, 'none'), { uris: null })) as MappingsError).problems).toEqual([
      { row: join(folder, 'none'), text: 'cannot be read (ENOENT)' },
    ]);
  });
});

describe('the URIs of the source', () => {
  test('are those of the sandbox unless a file says otherwise', () => {
    expect(readSourceUris(null).code).toBe('urn:example:health-data-service:codes');
    writeFileSync(join(folder, 'mine.txt'), JSON.stringify(URIS));
    expect(readSourceUris(join(folder, 'mine.txt'))).toEqual(URIS);
  });

  test.each([
    ['a missing one', { ...URIS, tag: undefined }],
    ['an unknown one', { ...URIS, tags: 'urn:x' }],
    ['a relative one', { ...URIS, tag: 'tags' }],
  ])('%s is refused', (_what, value) => {
    writeFileSync(join(folder, 'mine.txt'), JSON.stringify(value));
    expect(thrownBy(() => readSourceUris(join(folder, 'mine.txt')))).toBeInstanceOf(MappingsError);
  });

  test('a file that is not there, or not JSON, is refused', () => {
    writeFileSync(join(folder, 'mine.txt'), 'code: x');
    expect(thrownBy(() => readSourceUris(join(folder, 'mine.txt')))).toBeInstanceOf(MappingsError);
    expect(thrownBy(() => readSourceUris(join(folder, 'no.txt')))).toBeInstanceOf(MappingsError);
  });
});
