import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { resolve as absolute } from 'node:path';
import { checkTools } from './check-tools.ts';
import { StartError } from '../../src/kernel/index.ts';
import { prepareHapi, SAY_EVERY_MS } from './prepare-hapi.ts';

/** Where libraries and classes are kept: outside git, and shared by every start of this checkout. */
const FOLDER = absolute(import.meta.dirname, '../../data/hapi');
const STOP_MS = 15_000;
const LINES_SHOWN = 25;

export interface HapiOptions {
  /** 0: any free one. */
  readonly port: number;
  /** `memory`, or the path of a file that H2 keeps. */
  readonly database: string;
  /** Progress, in lines. */
  readonly say: (line: string) => void;
  /** Ends the start, and what was started. */
  readonly signal: AbortSignal;
}

export interface Hapi {
  readonly url: string;
  readonly seconds: number;
  /** Resolves when the server is gone, whoever ended it. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

export const jdbcUrlOf = (database: string): string =>
  database === 'memory'
    ? 'jdbc:h2:mem:hapi;DB_CLOSE_DELAY=-1'
    : `jdbc:h2:file:${absolute(database)};TRACE_LEVEL_FILE=0`;

/** HAPI binds its port at the end of a long start; somebody else on it is better told at once. */
export async function checkPort(port: number): Promise<void> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) throw new StartError('hapi.port', `Port ${port} is taken. Choose another with --port, or 0 for any.`);
  await new Promise((resolve) => server.close(resolve));
}

/**
 * A real HAPI FHIR JPA server in a process of its own, ready to be asked. Throws a StartError with a sentence where it
 * cannot be.
 */
export async function startHapi({ port, database, say, signal }: HapiOptions): Promise<Hapi> {
  const from = performance.now();
  const seconds = (): number => Math.round((performance.now() - from) / 100) / 10;
  const problem = await checkTools();
  if (problem !== null) throw new StartError('hapi.tools', problem);
  await checkPort(port);
  const classPath = await prepareHapi(FOLDER, { say, signal });

  say('starting HAPI (half a minute or more)');
  const child = spawn(
    'java',
    // The first compiler alone: on two cores the start takes half as long, and nothing here runs for hours.
    ['-Xmx1500m', '-XX:TieredStopAtLevel=1', 'Hapi', String(port), jdbcUrlOf(database)],
    // Its input is held open by us: it ends with it, also when we are killed.
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, CLASSPATH: classPath }, cwd: FOLDER },
  );
  child.stdin.on('error', () => undefined);
  let said = '';
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  };
  const startedAt = seconds();
  const ticks = setInterval(() => say(`still starting, ${Math.round(seconds() - startedAt)} s`), SAY_EVERY_MS);
  try {
    const ready = new Promise<number>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part: Buffer) => {
          said = `${said}${part.toString()}`.slice(-20_000);
          const found = /^ready (\d+)$/m.exec(said)?.[1];
          if (found !== undefined) resolve(Number(found));
        });
      child.on('error', reject);
      signal.addEventListener('abort', () => reject(new StartError('hapi.stopped', 'Stopped before it was ready.')), {
        once: true,
      });
      void ended.then(() =>
        reject(
          new StartError(
            'hapi.ended',
            `HAPI ended before it was ready:\n${said.trim().split('\n').slice(-LINES_SHOWN).join('\n')}`,
          ),
        ),
      );
    });
    const url = `http://127.0.0.1:${await ready}/fhir`;
    const answer = await fetch(`${url}/metadata`, { signal });
    if (!answer.ok) throw new StartError('hapi.answer', `HAPI answers its metadata with ${answer.status}.`);
    await answer.body?.cancel();
    return { url, seconds: seconds(), ended, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  } finally {
    clearInterval(ticks);
  }
}
