import { expect, test } from '@jest/globals';
import type { Inferno, Waiting } from '../../../../tools/inferno/inferno.ts';
import { runGroup } from '../../../../tools/inferno/run-group.ts';
import type { TestResult } from '../../../../tools/inferno/test-result.ts';

const WAITING: Waiting = { resultId: 'r1', testId: 'x-launch', message: 'Launch me', links: [], received: 0 };
const RESULTS: readonly TestResult[] = [{ id: 'x-launch', outcome: 'pass', isOptional: false, message: '' }];

/** An Inferno whose run goes through these states, one each time that it is asked. */
function infernoOf(states: readonly string[]): { readonly inferno: Inferno; readonly asked: string[] } {
  const asked: string[] = [];
  const left = [...states];
  const inferno: Inferno = {
    url: 'http://inferno.example',
    version: () => Promise.resolve('1'),
    groups: () => Promise.resolve(new Map()),
    newSession: (suite, options) => {
      asked.push(`session ${suite} ${JSON.stringify(options)}`);
      return Promise.resolve('s1');
    },
    startRun: (session, group, inputs) => {
      asked.push(`run ${session} ${group} ${JSON.stringify(inputs)}`);
      return Promise.resolve('run1');
    },
    status: () => Promise.resolve(left.length > 1 ? (left.shift() ?? '') : (left[0] ?? '')),
    countDone: () => Promise.resolve(0),
    waiting: () => Promise.resolve(WAITING),
    results: () => Promise.resolve([...RESULTS]),
    cancel: (run) => {
      asked.push(`cancel ${run}`);
      return Promise.resolve();
    },
    address: (suite, tail) => `${suite}/${tail}`,
  };
  return { inferno, asked };
}

const GROUP = {
  suite: 'x',
  group: 'x-g',
  inputs: { url: 'u' },
  minutesMax: 1,
  onProgress: () => undefined,
  signal: new AbortController().signal,
};

test('what a test waits for is done once, and the run goes on to its end', async () => {
  const { inferno, asked } = infernoOf(['running', 'waiting', 'waiting', 'done']);
  const waited: string[] = [];
  const onWait = ({ testId }: Waiting): Promise<void> => Promise.resolve(void waited.push(testId));
  const finished = await runGroup(inferno, { ...GROUP, options: { a: 'b' }, onWait });
  expect(finished).toMatchObject({ session: 's1', tests: RESULTS, stopped: null });
  expect(waited).toEqual(['x-launch']);
  expect(asked).toEqual(['session x {"a":"b"}', 'run s1 x-g {"url":"u"}']);
});

test('a session that is given is used; what nobody knows how to do stops the run, and it is cancelled', async () => {
  const { inferno, asked } = infernoOf(['waiting']);
  const finished = await runGroup(inferno, { ...GROUP, session: 's0' });
  expect(finished).toMatchObject({ session: 's0', stopped: 'x-launch waits, and nobody knows for what' });
  expect(asked).toEqual(['run s0 x-g {"url":"u"}', 'cancel run1']);
});

test('what goes wrong while it is done is why the run stopped', async () => {
  const { inferno, asked } = infernoOf(['waiting']);
  const onWait = (): Promise<void> => Promise.reject(new Error('no page'));
  expect(await runGroup(inferno, { ...GROUP, onWait })).toMatchObject({ stopped: 'no page', tests: RESULTS });
  expect(asked.at(-1)).toBe('cancel run1');
});

test('who is told to stop cancels the run', async () => {
  const { inferno, asked } = infernoOf(['running']);
  const stopped = AbortSignal.abort(new Error('enough'));
  expect(await runGroup(inferno, { ...GROUP, signal: stopped })).toMatchObject({ stopped: 'enough' });
  expect(asked.at(-1)).toBe('cancel run1');
});
