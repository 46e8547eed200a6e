import { X509Certificate } from 'node:crypto';
import type { ShownConnection } from '../admin/index.ts';
import { isLoopback, type Config } from '../config/index.ts';

const hostOf = (address: string): string => URL.parse(address)?.hostname ?? '';
const isHttps = (address: string): boolean => address.startsWith('https:');

/** Of a chain the first one is ours. */
function endOf(pem: string | undefined): Date | null {
  try {
    return pem === undefined ? null : new X509Certificate(pem).validToDate;
  } catch {
    // What cannot be read here fails where it is used, and is told of there.
    return null;
  }
}

const plainOrLoopback = (host: string): 'plain' | 'loopback' => (isLoopback(host) ? 'loopback' : 'plain');

function listener({ http }: Config): ShownConnection {
  const how = http.tls !== null ? 'own-certificate' : http.trustProxy.length > 0 ? 'proxy' : plainOrLoopback(http.host);
  return { of: 'listener', how, certificateUntil: endOf(http.tls?.cert) };
}

function ehr({ ehr: { url, tls } }: Config): ShownConnection {
  const client = tls?.client ?? null;
  const how = isHttps(url) ? (client === null ? 'tls' : 'mutual-tls') : plainOrLoopback(hostOf(url));
  return { of: 'ehr', how, certificateUntil: endOf(client?.cert) };
}

function databaseHow({ store: { database } }: Config): ShownConnection['how'] {
  if (database.engine === 'sqlite') return 'file';
  const url = new URL(database.url.reveal());
  const hosts = [url.hostname, ...url.searchParams.getAll('host')].filter((host) => host !== '');
  if (hosts.every((host) => host.startsWith('/') || isLoopback(host))) return 'loopback';
  return url.searchParams.get('sslmode') === 'verify-full' ? 'tls' : 'plain';
}

/** Which connections are protected, and how, as they are configured. */
export const describeConnections = (config: Config): readonly ShownConnection[] => [
  listener(config),
  {
    of: 'public-address',
    how: isHttps(config.http.publicUrl) ? 'tls' : plainOrLoopback(hostOf(config.http.publicUrl)),
    certificateUntil: null,
  },
  ehr(config),
  { of: 'database', how: databaseHow(config), certificateUntil: null },
];
