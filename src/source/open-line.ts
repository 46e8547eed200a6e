import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { StartError } from '../kernel/index.ts';

export const SOURCE_LIMITS = {
  connectionsMax: 8,
  connectMs: 5_000,
  /** Until the head of an answer, and between two parts of it. */
  silenceMs: 30_000,
  /** The whole exchange; a document may take longer to go up. */
  deadlineMs: 60_000,
  uploadMs: 180_000,
  keepAliveMs: 10_000,
  /** A QR code is the largest of the answers. */
  answerBytesMax: 1024 * 1024,
} as const;

/** One of the service's two addresses: where connections go, and the path that everything is below. */
export interface Line {
  readonly pool: Dispatcher;
  readonly root: string;
}

/** A pool, unlike an agent, cannot be talked into connecting anywhere else. */
export function openLine(baseUrl: string): Line {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (base === null || !/^https?:$/.test(base.protocol) || base.username + base.password + base.search + base.hash !== '')
    throw new StartError(
      'source.url',
      'The address of the health data service must be http or https, without credentials, query or fragment.',
    );
  const pool = new Pool(base.origin, {
    connections: SOURCE_LIMITS.connectionsMax,
    pipelining: 1,
    allowH2: false,
    headersTimeout: SOURCE_LIMITS.silenceMs,
    bodyTimeout: SOURCE_LIMITS.silenceMs,
    keepAliveTimeout: SOURCE_LIMITS.keepAliveMs,
    maxResponseSize: SOURCE_LIMITS.answerBytesMax,
    connect: { timeout: SOURCE_LIMITS.connectMs, minVersion: 'TLSv1.2' },
  });
  return { pool, root: base.pathname.replace(/\/+$/, '') };
}
