import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openSession, type Session } from '../support/pages/open-session.ts';

let folder: string;
let session: Session;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-session-'));
  session = openSession(folder, folder, { PATH: process.env['PATH'] ?? '' });
});
afterEach(async () => {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One that has ended and was not yet collected by its parent is gone. */
const isThere = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test('variables and functions of one block are there in the next', async () => {
  await session.run('name=Ada; greet() { echo "Hello $1"; }', 'success', 5_000);
  expect(await session.run('greet $name; echo oops >&2', 'success', 5_000)).toEqual({
    code: 0,
    printed: 'Hello Ada\noops\n',
  });
});

test.each(['false; echo no', 'cat nowhere | cat; echo no', 'echo $nobody; echo no'])(
  '%s ends the block with a failure, and the session',
  async (text) => {
    const { code, printed } = await session.run(text, 'success', 5_000);
    expect(code).toBeGreaterThan(0);
    expect(printed).not.toMatch(/^no$/m);
  },
);

test('a failure that is wanted ends its block alone', async () => {
  expect((await session.run('exit 78', 'failure', 5_000)).code).toBe(78);
  expect((await session.run('false; found=yes', 'no-matter', 5_000)).code).toBe(0);
  expect(await session.run('echo $found', 'success', 5_000)).toEqual({ code: 0, printed: 'yes\n' });
});

test('a block that does not end is given up', async () => {
  expect((await session.run('echo $$; sleep 600', 'success', 300)).code).toBeNull();
});

test('what runs in the background is stopped as by Ctrl-C, with its exit code', async () => {
  const text = "trap 'echo bye; exit 0' INT; echo ready; while true; do sleep 0.1; done";
  expect(await session.startInBackground(text, 'ready', 5_000)).toEqual({ printed: 'ready\n', isReady: true });
  expect(await session.interrupt('echo ready', 5_000)).toBe(0);
  expect(await session.interrupt('echo ready', 5_000)).toBeNull();
});

test('what runs in the background knows nothing of the blocks before, as a new terminal', async () => {
  await session.run('export name=Ada; mkdir deep; cd deep', 'success', 5_000);
  const { printed } = await session.startInBackground(
    'echo "${name:-nobody} in $(basename $PWD)"; echo ready',
    'ready',
    5_000,
  );
  expect(printed).toBe(`nobody in ${basename(folder)}\nready\n`);
});

test('a background that ends before it is ready is told at once', async () => {
  expect(await session.startInBackground('echo no; exit 3', 'ready', 60_000)).toEqual({
    printed: 'no\n',
    isReady: false,
  });
});

test('nothing is left of what was started when the session is closed', async () => {
  const { printed } = await session.startInBackground("trap '' INT; sleep 600 & echo $!; wait", '\n', 5_000);
  const pid = Number(printed.trim());
  expect(isThere(pid)).toBe(true);
  await session.close();
  expect(isThere(pid)).toBe(false);
}, 30_000);
