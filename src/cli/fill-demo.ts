import { setTimeout as pause } from 'node:timers/promises';
import { buildDemoHistory, DEMO_PATIENTS, type DemoDocument, type DemoHistory } from '../sandbox/index.ts';
import type { AdminApi } from './admin-api.ts';

const WAIT = { everyMs: 250, times: 240 } as const;

export interface DemoTarget {
  readonly api: AdminApi;
  /** Where the Data Webhook takes documents, its secret included. */
  readonly webhook: string;
  readonly clientUuid: string;
  readonly now: Date;
  readonly signal: AbortSignal;
  onProgress(done: number, all: number): void;
}

const userOf = (n: number): string => `demo-user-${n}`;

/** The delivery that it became. */
async function post(document: DemoDocument, { webhook, signal }: DemoTarget): Promise<string> {
  const answer = await fetch(webhook, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  });
  const body = await answer.text();
  if (answer.status !== 202) throw new Error(`the webhook answered ${answer.status}`);
  return (JSON.parse(body) as { readonly id: string }).id;
}

async function isWritten(id: string, { api, signal }: DemoTarget): Promise<boolean> {
  for (let i = 0; i < WAIT.times; i += 1) {
    const { body } = await api.ask('GET', `deliveries/${id}`);
    if (body['state'] === 'delivered') return true;
    await pause(WAIT.everyMs, undefined, { signal });
  }
  return false;
}

async function sendHistory(
  { documents, mistaken, correction }: DemoHistory,
  target: DemoTarget,
  step: () => void,
): Promise<void> {
  let mistake = '';
  for (const document of documents) {
    const id = await post(document, target);
    if (document === mistaken) mistake = id;
    step();
  }
  // Too early, it would overtake what it corrects, and there would be nothing to take back.
  if (await isWritten(mistake, target)) await post(correction, target);
  step();
}

/**
 * Invented measurements for a gateway that has received nothing yet: five users, linked to the demo patients, and what the source would
 * have sent of them. They go the way that everything goes, so that what is in the charts afterwards is the gateway's own work.
 */
export async function fillDemo(target: DemoTarget): Promise<'filled' | 'was-not-empty'> {
  const known = await target.api.ask('GET', 'deliveries?limit=1');
  const deliveries = known.body['deliveries'];
  if (known.status !== 200 || !Array.isArray(deliveries)) throw new Error(`the admin API answered ${known.status}`);
  if (deliveries.length > 0) return 'was-not-empty';
  for (const [i, { mrn }] of DEMO_PATIENTS.entries()) {
    const text = JSON.stringify({ mrn, evidence: 'demonstration' });
    const { status } = await target.api.ask('PUT', `links/${userOf(i + 1)}`, { type: 'application/json', text });
    if (status !== 200) throw new Error(`a link was answered with ${status}`);
  }
  const histories = DEMO_PATIENTS.map((_, i) =>
    buildDemoHistory({ n: i + 1, user: userOf(i + 1), clientUuid: target.clientUuid }, target.now),
  );
  const all = histories.reduce((sum, { documents }) => sum + documents.length + 1, 0);
  let done = 0;
  await Promise.all(histories.map((history) => sendHistory(history, target, () => target.onProgress((done += 1), all))));
  return 'filled';
}
