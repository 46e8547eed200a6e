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
  /**
   * What all documents together may hold of the memory, so that they can be sent again. One that finds no room is sent
   * as well, and once.
   */
  heldBytesMax: 32 * 1024 * 1024,
} as const;
export type SourceLimits = { readonly [K in keyof typeof SOURCE_LIMITS]: number };

/** One of the service's two addresses: where connections go, and the path that everything is below. */
export interface Line {
  readonly pool: Dispatcher;
  readonly root: string;
  readonly limits: SourceLimits;
}

/** A pool, unlike an agent, cannot be talked into connecting anywhere else. */
export function openLine(baseUrl: string, limits: SourceLimits): Line {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (
    base === null ||
    !/^https?:$/.test(base.protocol) ||
    base.username + base.password + base.search + base.hash !== ''
  )
    throw new StartError(
      'source.url',
      'The address of the health data service must be http or https, without credentials, query or fragment.',
    );
  const pool = new Pool(base.origin, {
    connections: limits.connectionsMax,
    pipelining: 1,
    allowH2: false,
    headersTimeout: limits.silenceMs,
    bodyTimeout: limits.silenceMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxResponseSize: limits.answerBytesMax,
    connect: { timeout: limits.connectMs, minVersion: 'TLSv1.2' },
  });
  return { pool, root: base.pathname.replace(/\/+$/, ''), limits };
}
