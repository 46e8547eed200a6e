import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** What was printed, on both streams, and the exit code; `null` where it took too long. */
export interface Answer {
  readonly code: number | null;
  readonly printed: string;
}

/**
 * `success`: the first failure ends block and session. `failure`: it ends the block, which has a shell of its own.
 * `no-matter`: the block goes on after it, and its last command decides.
 */
export type Wants = 'success' | 'failure' | 'no-matter';

/**
 * A shell in which one block after the other is carried out, as a reader would: variables and functions stay. A block
 * in the background has a shell and a process group of its own, as in a terminal of its own.
 */
export interface Session {
  run(text: string, wants: Wants, timeoutMs: number): Promise<Answer>;
  /** Returns once it has printed `waitsFor`; a text that says why not, where it does not. */
  startInBackground(text: string, waitsFor: string, timeoutMs: number): Promise<{ printed: string; isReady: boolean }>;
  /** As Ctrl-C; the exit code, null where nobody is there or it does not end. */
  interrupt(text: string, timeoutMs: number): Promise<number | null>;
  /** Whatever was started is gone afterwards. */
  close(): Promise<void>;
}

interface Job {
  readonly pid: number;
  readonly text: string;
  readonly ended: Promise<number>;
  isOver: boolean;
}

const LOOK_EVERY_MS = 100;
const STOP_MS = 10_000;
const KILL_MS = 2_000;

const isThere = (group: number): boolean => {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
};
const send = (group: number, name: NodeJS.Signals): void => {
  try {
    process.kill(-group, name);
  } catch {
    // Nobody is left in it.
  }
};
const within = async <T>(wanted: Promise<T>, ms: number): Promise<T | null> => {
  const late = new AbortController();
  const gone = pause(ms, null, { signal: late.signal }).catch(() => null);
  const first = await Promise.race([wanted, gone]);
  late.abort();
  return first;
};

/**
 * Commands come to the shell on its standard input, one for each block, and it answers on a channel of its own. When we
 * are killed its input ends, and with it the shell and what it started.
 */
const OPENING = `
set -euo pipefail
jobs_started=()
end_jobs() { for job in "\${jobs_started[@]:-}"; do if [ -n "$job" ]; then kill -KILL -- "-$job" 2>/dev/null || true; fi; done; }
trap end_jobs EXIT
`;

export function openSession(folder: string, notes: string, env: Record<string, string>): Session {
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const group = shell.pid ?? 0;
  const { stdin: input, stdio } = shell;
  const channel = stdio[3];
  if (input === null) throw new Error('a shell without an input');
  const jobs: Job[] = [];
  let said = '';
  const waiting = new Map<string, (value: number) => void>();
  channel?.on('data', (part: Buffer) => {
    said += part.toString();
    for (let end = said.indexOf('\n'); end >= 0; end = said.indexOf('\n')) {
      const [name = '', value = ''] = said.slice(0, end).split(' ');
      said = said.slice(end + 1);
      waiting.get(name)?.(Number(value));
    }
  });
  const shellEnded = new Promise<number>((resolve) => shell.on('exit', (code) => resolve(code ?? 1)));
  input.on('error', () => undefined);
  input.write(OPENING);

  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  /** What a terminal begins with: nothing of the blocks before. */
  const fresh = Object.entries(env)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(' ');

  let steps = 0;
  const answerOf = (name: string): Promise<number> => new Promise((resolve) => waiting.set(name, resolve));
  const save = (text: string): { script: string; out: string; name: string } => {
    steps += 1;
    const name = String(steps).padStart(2, '0');
    const script = join(notes, `${name}.sh`);
    writeFileSync(script, `${text}\n`);
    writeFileSync(join(notes, `${name}.out`), '');
    return { script, out: join(notes, `${name}.out`), name };
  };

  return {
    async run(text, wants, timeoutMs) {
      const { script, out, name } = save(text);
      const done = answerOf(`done-${name}`);
      const to = `</dev/null >'${out}' 2>&1 3>&-`;
      const commands = {
        success: `exit_of_block=0; . '${script}' ${to}`,
        failure: `exit_of_block=0; (. '${script}') ${to} || exit_of_block=$?`,
        'no-matter': `set +e; . '${script}' ${to}; exit_of_block=$?; set -e`,
      };
      input.write(`${commands[wants]}; echo "done-${name} $exit_of_block" >&3\n`);
      const code = await within(Promise.race([done, shellEnded]), timeoutMs);
      return { code, printed: readFileSync(out, 'utf8') };
    },
    async startInBackground(text, waitsFor, timeoutMs) {
      const { script, out, name } = save(text);
      const began = answerOf(`began-${name}`);
      const ended = Promise.race([answerOf(`ended-${name}`), shellEnded]);
      input.write(
        `set -m; { trap : INT; trap - EXIT; exit_of_block=0; (cd '${folder}' && exec env -i ${fresh} bash --noprofile --norc -euo pipefail '${script}') 3>&- || exit_of_block=$?; echo "ended-${name} $exit_of_block" >&3; } </dev/null >'${out}' 2>&1 & ` +
          `set +m; jobs_started+=("$!"); echo "began-${name} $!" >&3\n`,
      );
      const pid = await within(Promise.race([began, shellEnded.then(() => null)]), timeoutMs);
      if (pid === null) return { printed: readFileSync(out, 'utf8'), isReady: false };
      const job: Job = { pid, text, ended, isOver: false };
      jobs.push(job);
      void ended.then(() => (job.isOver = true));
      const until = performance.now() + timeoutMs;
      for (;;) {
        const wasOver = job.isOver;
        const printed = readFileSync(out, 'utf8');
        if (printed.includes(waitsFor)) return { printed, isReady: true };
        if (wasOver || performance.now() > until) return { printed, isReady: false };
        await pause(LOOK_EVERY_MS);
      }
    },
    async interrupt(text, timeoutMs) {
      const job = jobs.findLast((one) => one.text.includes(text) && !one.isOver);
      if (job === undefined) return null;
      send(job.pid, 'SIGINT');
      return within(job.ended, timeoutMs);
    },
    async close() {
      const areGone = async (ms: number): Promise<void> => {
        const until = performance.now() + ms;
        while (jobs.some(({ pid }) => isThere(pid)) && performance.now() < until) await pause(LOOK_EVERY_MS);
      };
      for (const { pid } of jobs) send(pid, 'SIGINT');
      await areGone(STOP_MS);
      for (const { pid } of jobs) send(pid, 'SIGKILL');
      input.end();
      send(group, 'SIGKILL');
      await shellEnded;
      await areGone(KILL_MS);
    },
  };
}
