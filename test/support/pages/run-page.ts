import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../postgres-server.ts';
import { matchesAnswer } from './match-answer.ts';
import { openSession, type Session, type Wants } from './open-session.ts';
import { parsePage, type RunStep, type Step } from './parse-page.ts';
import { PAGE_PORTS, putCommand, putPorts, touchesPackages, type PagePort, type Ports } from './put-ports.ts';

const CHECKOUT = new URL('../../../', import.meta.url).pathname;
/** What a page may change, or belongs to one checkout alone; all else is the checkout's own. */
const COPIED = ['mappings'];
const LEFT_OUT = new Set(['.git', 'data', 'chartgate.env', 'chartgate.db', ...COPIED]);

const BLOCK_MS = 90_000;
const BACKGROUND_MS = 180_000;
const INTERRUPT_MS = 30_000;
/** Exit codes of what was stopped by Ctrl-C: its own, and npm's when it runs something. */
const STOPPED = new Set([0, 130]);
const PRINTED_MAX = 4_000;

/** A page that is being carried out. */
export interface OpenPage {
  readonly folder: string;
  readonly ports: Ports;
  /** Throws with the block and what it printed, where that is not what the page shows. */
  step(step: Step): Promise<void>;
  /** What the block printed that was carried out last. */
  printed(): string;
  close(): Promise<void>;
}

/** Of a server that is there already its own; all others are free ones. */
async function portsBeside(there: Partial<Ports>): Promise<Ports> {
  const ports = {} as Record<PagePort, number>;
  for (const port of PAGE_PORTS) ports[port] = there[port] ?? (await freePort());
  return ports;
}

/** A folder that looks like a fresh checkout, with its packages installed. */
function layOut(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-page-'));
  for (const name of readdirSync(CHECKOUT))
    if (!LEFT_OUT.has(name)) symlinkSync(join(CHECKOUT, name), join(folder, name));
  for (const name of COPIED) cpSync(join(CHECKOUT, name), join(folder, name), { recursive: true });
  return folder;
}

/** A home without settings of whoever runs the test; curl shows no bar, as at a terminal. */
function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'chartgate-home-'));
  writeFileSync(join(home, '.curlrc'), 'no-progress-meter\n');
  return home;
}

const environmentOf = (home: string, ports: Ports): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  npm_config_update_notifier: 'false',
  // Where commands look for a gateway unless they are told: http://localhost:8080 for a reader.
  CHARTGATE_PUBLIC_URL: `http://localhost:${ports[8080]}`,
});

const shorten = (text: string): string => (text.length > PRINTED_MAX ? `${text.slice(0, PRINTED_MAX)} …` : text);

/** The page cannot be followed as it is written. */
const fallsShort = (page: string, { line, text }: Step, why: string, printed: string): Error =>
  new Error(`${page}:${line}: ${why}\n\n${text}\n\nprinted:\n${shorten(printed)}`);

async function runBlock(page: string, session: Session, step: RunStep, ports: Ports): Promise<string> {
  const text = putCommand(step.text, ports);
  const expected = step.expected.map((one) => ({ ...one, text: putPorts(one.text, ports) }));
  const until = performance.now() + step.repeatSeconds * 1000;
  const wants: Wants = step.repeatSeconds > 0 ? 'no-matter' : step.exit === 0 ? 'success' : 'failure';
  for (;;) {
    const { code, printed } = await session.run(text, wants, BLOCK_MS);
    if (code === null) throw fallsShort(page, step, `it was not done after ${BLOCK_MS / 1000} s`, printed);
    const missed = expected.find((one) => !matchesAnswer(one, printed));
    if (code === step.exit && missed === undefined) return printed;
    if (performance.now() < until) await pause(500);
    else if (code !== step.exit) throw fallsShort(page, step, `exit code ${code}, not ${step.exit}`, printed);
    else
      throw fallsShort(page, step, `line ${missed?.line ?? 0} shows another answer:\n${missed?.text ?? ''}`, printed);
  }
}

/** Opens a page for being carried out in a folder and on ports of its own. Close it, whatever comes of it. */
export async function openPage(page: string, there: Partial<Ports> = {}): Promise<OpenPage> {
  const [folder, home, notes] = [layOut(), makeHome(), mkdtempSync(join(tmpdir(), 'chartgate-blocks-'))];
  const ports = await portsBeside(there);
  const session = openSession(folder, notes, environmentOf(home, ports));
  let last = '';
  return {
    folder,
    ports,
    printed: () => last,
    async step(step) {
      switch (step.kind) {
        case 'not-run':
          return;
        case 'file':
          mkdirSync(dirname(join(folder, step.path)), { recursive: true });
          writeFileSync(join(folder, step.path), putPorts(step.text, ports));
          return;
        case 'interrupt': {
          const code = await session.interrupt(putCommand(step.text, ports), INTERRUPT_MS);
          if (code === null || !STOPPED.has(code))
            throw fallsShort(page, step, `Ctrl-C: exit code ${String(code)}`, '');
          return;
        }
        case 'background': {
          const text = putCommand(step.text, ports);
          const { printed, isReady } = await session.startInBackground(
            text,
            putPorts(step.waitsFor, ports),
            BACKGROUND_MS,
          );
          last = printed;
          if (!isReady) throw fallsShort(page, step, `it did not print "${step.waitsFor}"`, printed);
          return;
        }
        case 'run':
          last = await runBlock(page, session, step, ports);
      }
    },
    async close() {
      await session.close();
      for (const one of [folder, home, notes]) rmSync(one, { recursive: true, force: true });
    },
  };
}

/** The steps of a page, which must be fit for being carried out. */
export function stepsOf(page: string): readonly Step[] {
  const { steps, problems } = parsePage(readFileSync(join(CHECKOUT, page), 'utf8'));
  const harmful = steps.filter(
    ({ kind, text }) => kind !== 'not-run' && touchesPackages(text.replaceAll('npm ci && ', '')),
  );
  const all = [...problems, ...harmful.map(({ line }) => `line ${line}: a block changes packages: "not run"`)];
  if (all.length > 0) throw new Error(`${page} cannot be run:\n${all.join('\n')}`);
  return steps;
}

export interface HowToRun {
  /** Called after each step, for what a browser shows. */
  readonly look?: (step: Step, open: OpenPage) => Promise<void>;
  /** Ports of servers that the page takes for granted. */
  readonly there?: Partial<Ports>;
}

/** Carries a page out from its first block to its last. */
export async function runPage(page: string, { look, there }: HowToRun = {}): Promise<void> {
  const steps = stepsOf(page);
  const open = await openPage(page, there);
  try {
    for (const step of steps) {
      await open.step(step);
      await look?.(step, open);
    }
  } finally {
    await open.close();
  }
}
