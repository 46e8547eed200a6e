import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { buildConsole } from '../console/build.ts';
import { freePort } from '../test/support/postgres-server.ts';
import { ADMIN, linkUsers, makeDeliveries, MRN_SYSTEM } from './deliveries.ts';
import { median, round, type Figure } from './figure.ts';
import { startGateway, startServer, type Side } from './side.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const PASSWORD = 'bench-of-the-console-1';
/** Enough that every second tells something new, and so little that its own cost does not hide that of the page. */
const PER_SECOND = 10;
const SETTLE_MS = 5_000;
const ROUND_MS = 15_000;
/** Each with and without, the other one first every second time. */
const ROUNDS = 5;
const GOAL_CORE = 0.01;
const MINUTES = 2;
const GOAL_HEAP_MB = 20;
const MB = 1024 * 1024;

/** Webhooks at a steady pace, until it is told to end. */
function sendSteadily({ port, path }: Side): { end(): Promise<void> } {
  const nextBody = makeDeliveries();
  let isOver = false;
  const send = async (): Promise<void> => {
    while (!isOver) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: nextBody().toString(),
      });
      if (answer.status !== 202) throw new Error(`a webhook was answered with ${answer.status}`);
      await answer.arrayBuffer();
      await pause(1_000 / PER_SECOND);
    }
  };
  const sending = send();
  return {
    async end() {
      isOver = true;
      await sending;
    },
  };
}

/** An operator who has signed in and stands at the overview. */
async function signIn(page: Page, base: string): Promise<void> {
  const made = await fetch(`${base}/admin/api/operators`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', displayName: 'Bench', roles: ['engineer'] }),
  });
  const { link } = (await made.json()) as { link?: string };
  if (link === undefined) throw new Error(`the operator was answered with ${made.status}`);
  await page.goto(link);
  await page.fill('#new-password', PASSWORD);
  await page.fill('#new-again', PASSWORD);
  await page.press('#new-again', 'Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'password');
  await page.goto(`${base}/console`);
  await page.fill('#name', 'bench');
  await page.fill('#password', PASSWORD);
  await page.press('#password', 'Enter');
  await page.waitForSelector('.flow-picture');
}

/** Which share of a core the gateway takes while nothing else changes. */
async function shareOfCore(side: Side): Promise<number> {
  await pause(SETTLE_MS);
  const [before, from] = [await side.cpuSeconds(), performance.now()];
  await pause(ROUND_MS);
  return (((await side.cpuSeconds()) - before) * 1_000) / (performance.now() - from);
}

async function* measureCpu(side: Side, page: Page, base: string): AsyncGenerator<Figure> {
  const shares = { open: [] as number[], closed: [] as number[] };
  const open = async (): Promise<void> => {
    await page.goto(`${base}/console`);
    await page.waitForSelector('.flow-picture');
    shares.open.push(await shareOfCore(side));
  };
  const closed = async (): Promise<void> => {
    await page.goto('about:blank');
    shares.closed.push(await shareOfCore(side));
  };
  for (let i = 0; i < ROUNDS; i += 1) for (const one of i % 2 === 0 ? [open, closed] : [closed, open]) await one();
  const costs = shares.open.map((one, i) => one - (shares.closed[i] ?? NaN));
  const cost = median(costs);
  yield {
    bench: 'console',
    figure: 'cpu-of-an-open-overview',
    ratio: round(GOAL_CORE / Math.max(cost, 0.0001)),
    ours: round(median(shares.open) * 100),
    theirs: round(median(shares.closed) * 100),
    unit: '% of a core',
    note: `the gateway at ${PER_SECOND} deliveries a second with one open overview, ${ROUNDS} rounds of ${ROUND_MS / 1_000} s with and without; ${round(cost * 100)} % in the median of the differences, from ${round(Math.min(...costs) * 100)} to ${round(Math.max(...costs) * 100)} %; theirs: none is open; the goal is ${GOAL_CORE * 100} %`,
  };
}

async function* measureHeap(page: Page, base: string, minutes: number): AsyncGenerator<Figure> {
  await page.goto(`${base}/console`);
  await page.waitForSelector('.u-legend');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const usedMb = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? NaN) / MB;
  };
  await pause(SETTLE_MS);
  const before = await usedMb();
  await pause(minutes * 60_000);
  const growth = (await usedMb()) - before;
  yield {
    bench: 'console',
    figure: 'heap-of-an-open-overview',
    ratio: round(GOAL_HEAP_MB / Math.max(growth, 0.01)),
    ours: round(before + growth),
    theirs: round(before),
    unit: 'MB of JavaScript heap',
    note: `the tab after ${minutes} minutes at ${PER_SECOND} deliveries a second, collected; it grew by ${round(growth)} MB; theirs: the same tab at the beginning; the goal is ${GOAL_HEAP_MB} MB in 60 minutes (--minutes=60)`,
  };
}

export async function* run({ minutes = MINUTES }: { readonly minutes?: number }): AsyncGenerator<Figure> {
  if (CHROMIUM === undefined) throw new Error('there is no Chromium at /usr/bin');
  await buildConsole();
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const sides: Side[] = [];
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--headless', '--disable-gpu', '--disable-background-networking', '--no-proxy-server'],
  });
  try {
    const sink = await startServer('bench/null-sink.ts');
    sides.push(sink);
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const ours = await startGateway(join(folder, 'chartgate.db'), {
      CHARTGATE_PORT: String(port),
      CHARTGATE_PUBLIC_URL: base,
      CHARTGATE_CLIENT_UUID: 'bench',
      CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
      CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
      CHARTGATE_ADMIN_TOKEN: ADMIN,
      CHARTGATE_OPERATOR_SECOND_FACTOR: 'nobody',
    });
    sides.push(ours);
    await linkUsers(ours);
    const page = await browser.newPage();
    await signIn(page, base);
    const load = sendSteadily(ours);
    try {
      yield* measureCpu(ours, page, base);
      yield* measureHeap(page, base, minutes);
    } finally {
      await load.end();
    }
  } finally {
    await browser.close();
    for (const { end } of sides) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}
