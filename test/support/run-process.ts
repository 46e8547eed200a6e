import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

const MAIN = 'src/main.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `chartgate` process of our own. Nothing of the test's environment reaches it but PATH and what was compiled. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ran>;
  /** Resolves with the first line on stdout that holds `text`. */
  saw(text: string): Promise<string>;
  /** The whole lines on stdout so far. */
  lines(): readonly string[];
  signal(name: NodeJS.Signals): void;
}

export function runProcess(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const waiting: { text: string; resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  const look = (): void => {
    for (const one of [...waiting]) {
      const line = stdout.split('\n').find((candidate) => candidate.includes(one.text));
      if (line === undefined) continue;
      waiting.splice(waiting.indexOf(one), 1);
      one.resolve(line);
    }
  };
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString();
    look();
  });
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) => {
      for (const { text, reject } of waiting)
        reject(new Error(`ended with ${String(code)} before "${text}": ${stderr}`));
      resolve({ code, stdout, stderr });
    });
  });
  return {
    pid: child.pid ?? 0,
    ended,
    saw: (text) =>
      new Promise((resolve, reject) => {
        waiting.push({ text, resolve, reject });
        look();
      }),
    lines: () => stdout.split('\n').slice(0, -1),
    signal: (name) => void child.kill(name),
  };
}

const key = (): string => randomBytes(32).toString('base64');

/** Sound settings for `serve` on a free port. */
export const serveSettings = (databaseUrl: string): Record<string, string> => ({
  CHARTGATE_PORT: '0',
  CHARTGATE_DATABASE_URL: databaseUrl,
  CHARTGATE_DATA_KEY: key(),
  CHARTGATE_AUDIT_KEY: key(),
  CHARTGATE_PSEUDONYM_KEY: key(),
  CHARTGATE_EHR_URL: 'http://127.0.0.1:9/fhir',
  CHARTGATE_MRN_SYSTEM: 'urn:example:mrn',
  CHARTGATE_WEBHOOK_SECRET: randomBytes(32).toString('hex'),
  CHARTGATE_ADMIN_TOKEN: randomBytes(32).toString('hex'),
  CHARTGATE_DRAIN_SECONDS: '0',
});

/** The port in the line that says that the gateway has started. */
export async function portOf(running: Running): Promise<number> {
  return (JSON.parse(await running.saw('process.started')) as { port: number }).port;
}
