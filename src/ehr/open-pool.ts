import { getCACertificates } from 'node:tls';
import { Pool, type Agent, type Dispatcher } from 'undici';
import { StartError, type Secret } from '../kernel/index.ts';

export interface EhrTls {
  /** Client certificate chain and its key, for mutual TLS. */
  readonly client: { readonly cert: string; readonly key: Secret } | null;
  /** Instead of the machine's own authorities. */
  readonly ca: string | null;
}

export interface EhrLimits {
  readonly connectionsMax: number;
  readonly connectMs: number;
  readonly headersMs: number;
  /** Between two parts of an answer. */
  readonly bodyMs: number;
  /** The whole exchange. A server that sends one byte a second keeps `bodyMs` for ever. */
  readonly deadlineMs: number;
  readonly keepAliveMs: number;
  readonly answerBytesMax: number;
}

export const EHR_LIMITS: EhrLimits = {
  connectionsMax: 96,
  connectMs: 5_000,
  headersMs: 30_000,
  bodyMs: 30_000,
  deadlineMs: 60_000,
  keepAliveMs: 10_000,
  answerBytesMax: 10 * 1024 * 1024,
};

/**
 * Connections to one origin. A pool, unlike an agent, cannot be talked into connecting anywhere else. `own-and-public`:
 * a token endpoint elsewhere may have a certificate that everybody knows, though the EHR has one of its own authority.
 */
export function openPool(
  origin: string,
  tls: EhrTls | null,
  limits: EhrLimits,
  authorities: 'own' | 'own-and-public' = 'own',
): Dispatcher {
  const { client, ca: own } = tls ?? { client: null, ca: null };
  const ca = own === null || authorities === 'own' ? own : [...getCACertificates('default'), own];
  const connect: Agent.Options['connect'] = {
    timeout: limits.connectMs,
    minVersion: 'TLSv1.2',
    ...(ca === null ? {} : { ca }),
    ...(client === null ? {} : { cert: client.cert, key: client.key.reveal() }),
  };
  try {
    return new Pool(origin, {
      connections: limits.connectionsMax,
      // One request at a time on a connection: a lost answer then belongs to one request.
      pipelining: 1,
      allowH2: false,
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.bodyMs,
      keepAliveTimeout: limits.keepAliveMs,
      maxResponseSize: limits.answerBytesMax,
      connect,
    });
  } catch (thrown) {
    throw new StartError(
      'ehr.tls',
      'The connection to the EHR cannot be set up with the given certificate, key and CA.',
      thrown,
    );
  }
}
