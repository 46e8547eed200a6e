import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';

const CONNECTIONS = 8;
const AGAIN_MS = 20;
const GRACE_MS = 1_000;

/** The whole answer, or null where the connection broke before its end. */
function post(agent: Agent, url: string, body: Buffer): Promise<{ status: number; text: string } | null> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', () => resolve(null));
      answer.on('close', () =>
        resolve(answer.complete ? { status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() } : null),
      );
    });
    sent.on('error', () => resolve(null));
    sent.end(body);
  });
}

export interface Sending {
  readonly url: string;
  readonly nextBody: () => Buffer;
  readonly acknowledged: Map<string, string>;
}

/**
 * While `work` goes on, posts over several connections as fast as it is answered, and notes in `acknowledged` the id
 * and the body's digest of every delivery whose whole 202 was read: from then on it is the gateway's. Afterwards it
 * waits for the answers that are on their way, if they come at all.
 */
export async function sendDuring(deps: Sending, work: () => Promise<void>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let isStopped = false;

  async function keepSending(): Promise<void> {
    while (!isStopped) {
      const body = deps.nextBody();
      const answer = await post(agent, deps.url, body);
      if (answer?.status === 202) {
        const { id } = JSON.parse(answer.text) as { id: string };
        deps.acknowledged.set(id, createHash('sha256').update(body).digest('hex'));
      } else await pause(AGAIN_MS);
    }
  }

  const lines = Array.from({ length: CONNECTIONS }, keepSending);
  try {
    await work();
  } finally {
    isStopped = true;
    const cut = setTimeout(() => agent.destroy(), GRACE_MS);
    await Promise.all(lines);
    clearTimeout(cut);
    agent.destroy();
  }
}

/** Until one more is acknowledged, so that a slow machine does not kill what has not begun to answer in every round. */
export async function firstAnswer(acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const before = acknowledged.size;
  await eventually(
    () => acknowledged.size,
    (now) => now > before,
  );
}
