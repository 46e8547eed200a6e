import { spawn } from 'node:child_process';

/** What a program said and how it ended; `code` is null where there is no such program. */
export interface Ran {
  readonly code: number | null;
  readonly text: string;
}

/** Runs a program to its end. `onLine` hears each line as it comes. */
export function runTool(
  program: string,
  args: readonly string[],
  { onLine = () => undefined, signal, env = process.env }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
      ...(signal === undefined ? {} : { signal }),
    });
    let text = '';
    let line = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        text += part.toString();
        const lines = (line + part.toString()).split('\n');
        line = lines.pop() ?? '';
        for (const one of lines) onLine(one);
      });
    child.on('error', () => resolve({ code: null, text }));
    child.on('close', (code) => resolve({ code: code ?? 1, text }));
  });
}

interface RunOptions {
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
}
