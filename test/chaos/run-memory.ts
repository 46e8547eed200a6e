import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { aClinicalBundle, aClinicalReady, type Json } from '../support/payloads/index.ts';
import type { ChaosPlace } from './chaos-place.ts';
import { makeBodies } from './make-bodies.ts';
import { makeRandom } from './random.ts';
import { withServe, type Served } from './start-serve.ts';

const MB = 1024 * 1024;

/** What one kind of load did to the memory of the process, and how it was answered. */
export interface MemoryFigure {
  readonly load: string;
  readonly beforeMb: number;
  /** The most that the kernel counted as resident, threads and buffers included. */
  readonly peakMb: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  /** Of those that were refused for want of room, the one that was refused soonest. */
  readonly soonestRefusalMs: number | null;
}

interface Answered {
  readonly status: string;
  readonly tookMs: number;
}

export const statusOf = (pid: number, name: 'VmRSS' | 'VmHWM'): number => {
  const [, kb = '0'] =
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round((Number(kb) * 1024) / MB);
};
/** From now on the peak is counted anew. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

function post(agent: Agent, url: string, body: Buffer): Promise<Answered> {
  const from = performance.now();
  return new Promise((resolve) => {
    const done = (status: string): void => resolve({ status, tookMs: Math.round(performance.now() - from) });
    const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => done(String(answer.statusCode)));
      answer.on('error', () => done('broken'));
    });
    sent.on('error', () => done('broken'));
    sent.end(body);
  });
}

/** A sound document of about so many bytes, in the form that takes the most to read: many small values. */
export function largePayload(bytes: number, bundleId: string, userId?: string): Json {
  const whose = userId === undefined ? {} : { userId };
  const { entry, ...bundle } = aClinicalBundle({ ...whose, bundleId }) as {
    readonly entry: readonly { readonly resource: object }[];
  };
  const [patient, ...records] = entry;
  const times = Math.floor((bytes - 4_000) / JSON.stringify(records).length);
  const copies = Array.from({ length: times }, (_, n) =>
    records.map((record, i) => ({
      ...record,
      fullUrl: `urn:uuid:00000000-0000-4000-8000-${String(n * 100 + i).padStart(12, '0')}`,
      resource: { ...record.resource, id: `r-${n}-${i}` },
    })),
  );
  const many = [patient, ...copies.flat()];
  return aClinicalReady({ ...whose, bundleId, bundle: { ...bundle, entry: many } });
}
export const largeDocument = (bytes: number, bundleId: string): Buffer =>
  Buffer.from(JSON.stringify(largePayload(bytes, bundleId)));

const deep = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
/** Each of its own, so that none is taken for a repetition. */
const wide = (keys: number, salt: number): Buffer =>
  Buffer.from(`{${Array.from({ length: keys }, (_, n) => `"${n}":${n === 0 ? salt : 0}`).join()}}`);

async function oneByOne(times: number, work: (n: number) => Promise<Answered>): Promise<Answered[]> {
  const out: Answered[] = [];
  for (let n = 0; n < times; n += 1) out.push(await work(n));
  return out;
}

type Load = (served: Served, agent: Agent) => Promise<Answered[]>;

export interface MemoryPlan {
  readonly large: { readonly count: number; readonly bytes: number };
  readonly offered: { readonly perSecond: number; readonly seconds: number };
  readonly hostile: { readonly times: number };
}

const loadsOf = ({ large, offered, hostile }: MemoryPlan, seed: number): readonly (readonly [string, Load])[] => [
  [
    `${large.count} bodies of ${(large.bytes / MB).toFixed(1)} MB at once`,
    (served, agent) =>
      Promise.all(
        Array.from({ length: large.count }, (_, n) =>
          post(agent, served.webhook, largeDocument(large.bytes, `big-${n}`)),
        ),
      ),
  ],
  [
    `${offered.perSecond}/s offered for ${offered.seconds} s`,
    async (served, agent) => {
      const next = makeBodies(makeRandom(seed));
      const from = performance.now();
      const answers: Promise<Answered>[] = [];
      while (performance.now() - from < offered.seconds * 1000) {
        const due = ((performance.now() - from) / 1000) * offered.perSecond;
        while (answers.length < due) answers.push(post(agent, served.webhook, next()));
        await pause(5);
      }
      return Promise.all(answers);
    },
  ],
  [
    `${hostile.times} times nested 100,000 deep`,
    (served, agent) => oneByOne(hostile.times, () => post(agent, served.webhook, deep(100_000))),
  ],
  [
    `${hostile.times} times 300,000 keys`,
    (served, agent) => oneByOne(hostile.times, (n) => post(agent, served.webhook, wide(300_000, n))),
  ],
  [
    `${hostile.times} of 300,000 keys at once`,
    (served, agent) =>
      Promise.all(Array.from({ length: hostile.times }, (_, n) => post(agent, served.webhook, wide(300_000, 100 + n)))),
  ],
];

const count = (answers: readonly Answered[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, all]) => [status, all?.length ?? 0]),
  );

/** Until nothing that was received waits to be looked at: reading it costs memory too. */
async function settled(served: Served): Promise<void> {
  for (let quiet = 0; quiet < 3;) {
    await pause(500);
    const { byState } = await served.ledger();
    quiet = (byState['received'] ?? 0) === 0 ? quiet + 1 : 0;
  }
}

/** Each load in a life of its own. */
export async function runMemory(deps: {
  readonly place: ChaosPlace;
  readonly plan: MemoryPlan;
  readonly seed: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly onFigure?: (figure: MemoryFigure) => void;
}): Promise<MemoryFigure[]> {
  const figures: MemoryFigure[] = [];
  for (const [load, run] of loadsOf(deps.plan, deps.seed)) {
    await withServe(deps.place.settings, deps.settings ?? {}, async (served) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 256 });
      await post(agent, served.webhook, largeDocument(100_000, 'warm'));
      await settled(served);
      const beforeMb = statusOf(served.pid, 'VmRSS');
      forgetPeak(served.pid);
      const answers = await run(served, agent);
      await settled(served);
      agent.destroy();
      const refused = answers.filter(({ status }) => status === '503').map(({ tookMs }) => tookMs);
      const figure: MemoryFigure = {
        load,
        beforeMb,
        peakMb: statusOf(served.pid, 'VmHWM'),
        answers: count(answers),
        slowestMs: Math.max(...answers.map(({ tookMs }) => tookMs)),
        soonestRefusalMs: refused.length === 0 ? null : Math.min(...refused),
      };
      figures.push(figure);
      deps.onFigure?.(figure);
    });
  }
  return figures;
}
