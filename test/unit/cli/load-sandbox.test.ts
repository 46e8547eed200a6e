import { describe, expect, test } from '@jest/globals';
import { loadSandbox } from '../../../src/cli/load-sandbox.ts';
import { StartError } from '../../../src/kernel/index.ts';

const failing = (code: string) => (): Promise<never> => Promise.reject(Object.assign(new Error('of Node'), { code }));

describe('the sandbox', () => {
  test('is loaded from beside the sources in a checkout', async () => {
    const places: string[] = [];
    const demonstration = { run: () => Promise.resolve(0) };
    const loaded = await loadSandbox('1.2.3', (place) => {
      places.push(place);
      return Promise.resolve({ demonstration });
    });
    expect(loaded.demonstration).toBe(demonstration);
    expect(places).toEqual([new URL('../../../sandbox/demo/demo.ts', import.meta.url).href]);
  });

  test('that is not installed, or lacks something, is a sentence that says what to install', async () => {
    const thrown = await loadSandbox('1.2.3', failing('ERR_MODULE_NOT_FOUND')).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(StartError);
    expect(thrown).toMatchObject({ code: 'demo.not-installed' });
    expect(String(thrown)).toContain('chartgate-sandbox@1.2.3');
  });

  test('that is broken is a bug, and not said to be missing', async () => {
    await expect(loadSandbox('1.2.3', failing('ERR_OUT_OF_RANGE'))).rejects.not.toBeInstanceOf(StartError);
  });
});
