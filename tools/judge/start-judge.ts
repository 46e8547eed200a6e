import { spawn } from 'node:child_process';
import { join, resolve as absolute } from 'node:path';
import { createInterface } from 'node:readline';
import { StartError } from '../../src/kernel/index.ts';
import { checkTools } from '../hapi/check-tools.ts';
import { prepareJava, type JavaProgram } from '../hapi/prepare-hapi.ts';

/** Where libraries and classes are kept: outside git, and shared by every start of this checkout. */
const FOLDER = absolute(import.meta.dirname, '../../data/judge');
const PROGRAM: JavaProgram = {
  pom: join(import.meta.dirname, 'pom.xml'),
  source: join(import.meta.dirname, 'Judge.java'),
  size: 'about 120 MB',
  madeBy: 'tools/judge.ts',
};
const LOAD_MS_MAX = 300_000;
const STOP_MS = 15_000;
const TEXT_KEPT = 20_000;
const LINES_SHOWN = 25;
/** More would only wait in the pipe. */
const ASKED_MAX = 16;

export interface JudgeIssue {
  readonly severity: 'fatal' | 'error' | 'warning' | 'information';
  readonly location: string;
  readonly message: string;
  readonly messageId?: string | null;
  /** The value set of the message, where parts of it are not at hand and membership cannot be judged. */
  readonly notExpandable?: string;
  /** One of the codings that the message calls outside of the value set is inside when asked about alone. */
  readonly hasMember?: true;
}

/** What is asked in one line; `text` for what is not JSON, or must keep its exact form. */
export type Question =
  | { readonly resource: unknown; readonly profiles?: readonly string[] }
  | { readonly text: string; readonly profiles?: readonly string[] }
  | { readonly snapshotOf: string };

export interface Answer {
  readonly issues?: readonly JudgeIssue[];
  readonly structure?: unknown;
  /** The judge itself broke down over this one. */
  readonly failed?: string;
}

export interface Judge {
  /** How many definitions each guide gave. */
  readonly loaded: readonly number[];
  /** Rejects where the judge ends before it answers, or takes longer than `answerMsMax`. */
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

export interface JudgeOptions {
  /** FHIR NPM packages as .tgz or unpacked; the first one that has a definition wins. */
  readonly guides: readonly string[];
  readonly threads?: number;
  readonly answerMsMax?: number;
  readonly say?: (line: string) => void;
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (why: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * The HAPI validator in a process of its own, with its guides loaded. Throws a StartError with a sentence where Java or
 * Maven are missing, or the guides cannot be read.
 */
export async function startJudge({
  guides,
  threads = 1,
  answerMsMax = 120_000,
  say = () => undefined,
  signal = new AbortController().signal,
}: JudgeOptions): Promise<Judge> {
  const problem = await checkTools();
  if (problem !== null) throw new StartError('judge.tools', problem);
  const classPath = await prepareJava(PROGRAM, FOLDER, { say, signal });
  const child = spawn(
    'java',
    ['-Xmx3g', '-Xss16m', '-XX:+UseSerialGC', 'Judge', String(threads), ...guides.map((guide) => absolute(guide))],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, CLASSPATH: classPath }, cwd: FOLDER },
  );
  child.stdin.on('error', () => undefined);
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said = `${said}${part.toString()}`.slice(-TEXT_KEPT)));
  const lastWords = (): string => said.trim().split('\n').slice(-LINES_SHOWN).join('\n');

  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let announceReady: (loaded: readonly number[]) => void = () => undefined;
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  void ended.then(() => {
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new Error(`The judge ended before it answered:\n${lastWords()}`));
    }
    waiting.clear();
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  };

  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer & { id?: number; ready?: true; loaded?: readonly number[] };
    if (answer.ready === true) {
      announceReady(answer.loaded ?? []);
      return;
    }
    const one = waiting.get(answer.id ?? -1);
    if (one === undefined) return;
    waiting.delete(answer.id ?? -1);
    clearTimeout(one.timer);
    one.resolve(answer);
  });

  const loaded = await new Promise<readonly number[]>((resolve, reject) => {
    const refuse = (code: string, text: string): void => {
      child.kill('SIGKILL');
      reject(new StartError(code, text));
    };
    const late = setTimeout(
      () => refuse('judge.late', `The judge was not ready after ${LOAD_MS_MAX / 1_000} s.`),
      LOAD_MS_MAX,
    );
    announceReady = (counts) => {
      clearTimeout(late);
      resolve(counts);
    };
    child.on('error', (thrown) => refuse('judge.start', thrown.message));
    signal.addEventListener('abort', () => refuse('judge.stopped', 'Stopped before it was ready.'), { once: true });
    void ended.then(() => {
      clearTimeout(late);
      refuse('judge.ended', `The judge ended before it was ready:\n${lastWords()}`);
    });
  });

  return {
    loaded,
    stop,
    ask: (question) =>
      new Promise<Answer>((resolve, reject) => {
        const id = (asked += 1);
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(`The judge did not answer within ${answerMsMax / 1_000} s.`));
        }, answerMsMax);
        waiting.set(id, { resolve, reject, timer });
        child.stdin.write(`${JSON.stringify({ id, ...question })}\n`);
      }),
  };
}

/** Asks about everything, a few at a time, and keeps the order. */
export async function askAll(
  judge: Judge,
  questions: readonly Question[],
  onAnswer: (done: number) => void = () => undefined,
): Promise<readonly Answer[]> {
  const answers: Answer[] = new Array<Answer>(questions.length);
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < questions.length; at = next++) {
      const question = questions[at];
      if (question === undefined) return;
      answers[at] = await judge.ask(question);
      onAnswer((done += 1));
    }
  };
  await Promise.all(Array.from({ length: ASKED_MAX }, work));
  return answers;
}
