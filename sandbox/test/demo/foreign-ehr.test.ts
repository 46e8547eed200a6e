import { Readable, Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { decideForeignUse, findForeignEhr, folderOf, type ForeignEhr } from '../../demo/foreign-ehr.ts';
import { DEMO_MRN_SYSTEM } from '../../index.ts';
import type { Terminal } from '../../../src/cli/command.ts';

const FOREIGN: ForeignEhr = { url: 'https://ehr.example/fhir', mode: 'live', mrnSystem: DEMO_MRN_SYSTEM };

function aTerminal(said: string | null, stopped: Terminal['stopped'] = new Promise(() => undefined)) {
  const shown: string[] = [];
  const terminal = {
    env: {},
    stdin: said === null ? new Readable({ read: () => undefined }) : Readable.from([said]),
    stdout: new Writable(),
    stderr: new Writable({
      write(chunk: Buffer, _encoding, done) {
        shown.push(chunk.toString());
        done();
      },
    }),
    onExit: () => undefined,
    onReload: () => undefined,
    stopped,
  } satisfies Terminal;
  return { terminal, shown: () => shown.join('') };
}

describe('invented people at an EHR that is not ours', () => {
  test.each([
    ['y\n', 'write'],
    ['Yes\n', 'write'],
    ['n\n', 'none'],
    ['\n', 'none'],
    ['yellow\n', 'none'],
    ['', 'none'],
  ])('the answer %j means %s', async (said, use) => {
    const { terminal, shown } = aTerminal(said);
    expect(await decideForeignUse(FOREIGN, 5, 'to-be-asked', terminal)).toBe(use);
    expect(shown()).toMatch(/https:\/\/ehr\.example\/fhir[^]*add 5 invented patients[^]*Write to it\? \[y\/N\]/);
  });

  test('who stops the process instead of answering is not asked again', async () => {
    const { terminal } = aTerminal(null, Promise.resolve('SIGINT'));
    expect(await decideForeignUse(FOREIGN, 5, 'to-be-asked', terminal)).toBe('stopped');
  });

  test('where nobody can be asked it is told what the flag would allow, and nothing is written', async () => {
    const { terminal, shown } = aTerminal('y\n');
    expect(await decideForeignUse(FOREIGN, 5, 'not-given', terminal)).toBe('none');
    expect(shown()).toContain('--write-to-foreign-ehr');
  });

  test('the flag is enough', async () => {
    const { terminal, shown } = aTerminal(null);
    expect([await decideForeignUse(FOREIGN, 5, 'given', terminal), shown()]).toEqual(['write', '']);
  });

  test('under another MRN system they are never written, whoever allows it: its numbers may be those of real patients', async () => {
    const { terminal, shown } = aTerminal('y\n');
    expect(await decideForeignUse({ ...FOREIGN, mrnSystem: 'urn:oid:1.2.3' }, 5, 'given', terminal)).toBe('none');
    expect(shown()).toContain('real patients');
  });

  test('in shadow mode nobody need be asked', async () => {
    const { terminal } = aTerminal(null);
    expect(await decideForeignUse({ ...FOREIGN, mode: 'shadow' }, 5, 'not-given', terminal)).toBe('read');
  });
});

test('foreign is whatever the settings name but the demonstration’s own', () => {
  expect(findForeignEhr({}, 8081)).toBeNull();
  expect(findForeignEhr({ CHARTGATE_EHR_URL: 'http://localhost:8081/fhir' }, 8081)).toBeNull();
  expect(findForeignEhr({ CHARTGATE_EHR_URL: 'http://localhost:9090/fhir/', CHARTGATE_MODE: 'shadow' }, 8081)).toEqual({
    url: 'http://localhost:9090/fhir',
    mode: 'shadow',
    mrnSystem: DEMO_MRN_SYSTEM,
  });
  expect(() => findForeignEhr({ CHARTGATE_EHR_URL: 'nonsense' }, 8081)).toThrow('CHARTGATE_EHR_URL');
});

test('each EHR has a folder of its own, since what was written to one is not at another', () => {
  const folder = folderOf('data', FOREIGN);
  expect(folder).toMatch(/^data\/foreign-ehr\.example-[0-9a-f]{8}$/);
  expect(folderOf('data', { ...FOREIGN, url: 'https://ehr.example/other' })).not.toBe(folder);
});
