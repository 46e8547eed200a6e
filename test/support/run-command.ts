import { PassThrough, Readable, Writable } from 'node:stream';
import { runCli } from '../../src/cli/index.ts';

export interface CommandRan {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command of the command line in this process, with an environment and streams of its own. */
export async function runCommand(
  args: readonly string[],
  { env = {}, stdin }: { readonly env?: Record<string, string>; readonly stdin?: string } = {},
): Promise<CommandRan> {
  const said = { out: '', err: '' };
  const collect = (to: 'out' | 'err') =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        said[to] += chunk.toString();
        done();
      },
    });
  const code = await runCli(args, {
    env,
    stdin: stdin === undefined ? new PassThrough() : Readable.from([Buffer.from(stdin)]),
    stdout: collect('out'),
    stderr: collect('err'),
    onExit: () => undefined,
    onReload: () => undefined,
    stopped: new Promise(() => undefined),
  });
  return { code, ...said };
}
