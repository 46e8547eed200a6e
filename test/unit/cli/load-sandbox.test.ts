import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { specOf } from '../../../src/cli/install-sandbox.ts';
import { loadSandbox, type SandboxDeps } from '../../../src/cli/load-sandbox.ts';
import { StartError } from '../../../src/kernel/index.ts';

const notFound = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('of Node'), { code: 'ERR_MODULE_NOT_FOUND' }));
const demonstration = { run: () => Promise.resolve(0) };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-packages-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** As npm would leave it. */
function putSandbox(version: string): string {
  const own = join(folder, 'node_modules', 'chartgate-sandbox');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ version, exports: { './demo': './demo.js' } }));
  writeFileSync(join(own, 'demo.js'), '');
  return pathToFileURL(join(own, 'demo.js')).href;
}

function aTerminal(answer?: string) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  let said = '';
  stderr.on('data', (part) => (said += String(part)));
  if (answer !== undefined) stdin.write(`${answer}\n`);
  const terminal = {
    stdin,
    stderr: Object.assign(stderr, { isTTY: answer !== undefined }),
    stopped: new Promise<never>(() => {}),
  };
  return { terminal, said: () => said };
}

const asked = (more: Partial<SandboxDeps> = {}, answer?: string): SandboxDeps => ({
  version: '1.2.3',
  folder,
  install: 'ask',
  terminal: aTerminal(answer).terminal,
  load: (place) =>
    place.startsWith('file:') && place.includes(folder) ? Promise.resolve({ demonstration }) : notFound(),
  installInto: () => Promise.reject(new Error('nobody asked for this')),
  ...more,
});

describe('the sandbox', () => {
  test('is loaded from beside the sources in a checkout', async () => {
    const places: string[] = [];
    const loaded = await loadSandbox(
      asked({
        load: (place) => {
          places.push(place);
          return Promise.resolve({ demonstration });
        },
      }),
    );
    expect(loaded.demonstration).toBe(demonstration);
    expect(places).toEqual([new URL('../../../sandbox/demo/demo.ts', import.meta.url).href]);
  });

  test('that is not installed is a sentence that says what to do, where nobody can be asked', async () => {
    const thrown = await loadSandbox(asked()).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(StartError);
    expect(thrown).toMatchObject({ code: 'demo.not-installed' });
    expect(String(thrown)).toContain('chartgate-sandbox@1.2.3');
    expect(String(thrown)).toContain('--install');
  });

  test.each([
    ['a person says yes', asked.bind(null, {}, 'y')],
    ['a person presses enter', asked.bind(null, {}, '')],
    ['it was said beforehand', asked.bind(null, { install: 'yes' })],
  ])('is installed once when %s, and found from then on', async (_name, deps) => {
    let count = 0;
    const installInto = (): Promise<void> => {
      count += 1;
      putSandbox('1.2.3');
      return Promise.resolve();
    };
    expect((await loadSandbox({ ...deps(), installInto })).demonstration).toBe(demonstration);
    expect((await loadSandbox(asked())).demonstration).toBe(demonstration);
    expect(count).toBe(1);
  });

  test('is not installed when a person says no', async () => {
    await expect(loadSandbox(asked({}, 'n'))).rejects.toBeInstanceOf(StartError);
  });

  test('of another version is not the one that is wanted', async () => {
    putSandbox('1.2.2');
    await expect(loadSandbox(asked())).rejects.toBeInstanceOf(StartError);
  });

  test('that is broken is a bug, and not said to be missing', async () => {
    const load = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('of Node'), { code: 'ERR_OUT_OF_RANGE' }));
    await expect(loadSandbox(asked({ load }))).rejects.not.toBeInstanceOf(StartError);
  });

  test('is taken from a packed file where there is one', () => {
    expect(specOf('1.2.3', folder)).toBe('chartgate-sandbox@1.2.3');
    writeFileSync(join(folder, 'chartgate-sandbox-1.2.3.tgz'), '');
    expect(specOf('1.2.3', folder)).toBe(join(folder, 'chartgate-sandbox-1.2.3.tgz'));
  });
});
