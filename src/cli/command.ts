import type { Environment } from '../config/index.ts';

/** What a command may touch of its process. Everything else comes through the modules that it calls. */
export interface Terminal {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Called once, synchronously, when the process ends. */
  readonly onExit: (work: () => void) => void;
  /**
   * Called each time that the process is asked to read its data anew; a process that does not ask for it ends by
   * SIGHUP.
   */
  readonly onReload: (work: () => void) => void;
  /** Resolves when the process is asked to stop. */
  readonly stopped: Promise<'SIGINT' | 'SIGTERM'>;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** Resolves with the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Says what is wrong with the arguments, and where to read how they should be. */
export const makeUsage =
  (terminal: Terminal, help: string) =>
  (wrong: string): number => {
    const [, name = ''] = /^Usage: (chartgate [a-z]+)/.exec(help) ?? [];
    terminal.stderr.write(`${wrong}\nTry "${name} --help".\n`);
    return EXIT.usage;
  };

/** As sysexits.h has them, so that a supervisor can tell what happened. docs/operate.md lists them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 69, bug: 70, io: 74, config: 78 } as const;
