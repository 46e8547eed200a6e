import { createInterface } from 'node:readline/promises';
import type { Terminal } from './command.ts';

/** One line from a person; null where the process was asked to stop first. */
export async function askPerson(
  question: string,
  { stdin, stderr, stopped }: Pick<Terminal, 'stdin' | 'stderr' | 'stopped'>,
): Promise<string | null> {
  stderr.write(question);
  // Not as a terminal of its own, so that Ctrl-C still is a signal.
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    const answer = new Promise<string>((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
    });
    return await Promise.race([answer, stopped.then(() => null)]);
  } finally {
    lines.close();
  }
}
