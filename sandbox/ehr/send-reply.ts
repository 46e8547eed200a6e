import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from './reply.ts';
import type { Switches } from './switches.ts';

/** Sends the answer in the way that the switches ask for. Answers whether it went out whole. */
export async function sendReply(
  res: ServerResponse,
  reply: Reply,
  switches: Switches,
  requestId: string,
): Promise<boolean> {
  const { delayMs, drop, hang, truncate, dripMs, padBytes, contentType } = switches;
  if (delayMs !== undefined) await pause(delayMs, undefined, { ref: false });
  if (drop === 'after-commit') {
    res.destroy();
    return false;
  }
  if (hang === 'before-head') return false;
  const body = Buffer.from(padBytes === undefined ? reply.body : reply.body + ' '.repeat(padBytes));
  const headers: Record<string, string> = { ...reply.headers, 'x-request-id': requestId };
  if (contentType !== undefined) headers['content-type'] = contentType;
  if (reply.status !== 304 && reply.status !== 204) headers['content-length'] = String(body.length);
  res.writeHead(reply.status, headers);
  if (hang === 'after-head') {
    res.flushHeaders();
    return false;
  }
  if (truncate !== undefined) {
    res.write(body.subarray(0, Math.floor(body.length * truncate)), () => res.destroy());
    return false;
  }
  if (dripMs !== undefined) {
    for (const byte of body) {
      if (res.destroyed) return false;
      res.write(Buffer.from([byte]));
      await pause(dripMs, undefined, { ref: false });
    }
  }
  res.end(dripMs === undefined ? body : undefined);
  return true;
}
