import { isLoopback } from './check-together.ts';
import type { DatabaseConfig, WeakSetting } from './config.ts';
import type { KeyName, Settled } from './keys.ts';

const isHttp = (address: string | undefined): boolean => address?.startsWith('http:') === true;
const hostOf = (address: string): string => URL.parse(address)?.hostname ?? '';

function weakWebhooks(v: Settled): WeakSetting[] {
  const out: WeakSetting[] = [];
  const weak = (key: KeyName, what: string, mend: string): void => void out.push({ key, what, mend });
  if (v.CHARTGATE_WEBHOOK_HMAC === 'off')
    weak(
      'CHARTGATE_WEBHOOK_HMAC',
      'webhook bodies are not signed: whoever learns the address can send data',
      'Have the source sign its webhooks, and set the scheme, CHARTGATE_WEBHOOK_HMAC_HEADER and CHARTGATE_WEBHOOK_HMAC_KEY. CHARTGATE_WEBHOOK_LEARN=on shows first whether the signatures fit.',
    );
  if (v.CHARTGATE_WEBHOOK_HMAC === 'fields')
    weak(
      'CHARTGATE_WEBHOOK_HMAC',
      'the signature of webhooks does not cover their bodies',
      'Use raw-body or standard-webhooks, if the source can sign so.',
    );
  if (v.CHARTGATE_WEBHOOK_LEARN === 'on')
    weak(
      'CHARTGATE_WEBHOOK_LEARN',
      'the signature of webhooks is learned and not enforced',
      'Once the log shows that the signatures fit, leave it out.',
    );
  if (v.CHARTGATE_CLIENT_UUID === undefined)
    weak(
      'CHARTGATE_CLIENT_UUID',
      'CHARTGATE_CLIENT_UUID is not set: deliveries of any client are taken',
      'Set it to the client_uuid that the source gave you.',
    );
  return out;
}

function weakConnections(v: Settled, database: DatabaseConfig): WeakSetting[] {
  const out: WeakSetting[] = [];
  const weak = (key: KeyName, what: string, mend: string): void => void out.push({ key, what, mend });
  if (isHttp(v.CHARTGATE_EHR_URL))
    weak('CHARTGATE_EHR_URL', 'the EHR is reached without TLS', 'Give the https address of its FHIR base.');
  if (isHttp(v.CHARTGATE_EHR_TOKEN_URL))
    weak('CHARTGATE_EHR_TOKEN_URL', "the EHR's tokens are fetched without TLS", 'Give an https address.');
  if (isHttp(v.CHARTGATE_PUBLIC_URL) && !isLoopback(hostOf(v.CHARTGATE_PUBLIC_URL)))
    weak(
      'CHARTGATE_PUBLIC_URL',
      'apps and people reach us without TLS',
      'Give CHARTGATE_TLS_CERT_FILE and CHARTGATE_TLS_KEY_FILE, or let a proxy end TLS (CHARTGATE_TRUST_PROXY), and give the https address.',
    );
  if (v.CHARTGATE_OTLP_URL !== undefined && isHttp(v.CHARTGATE_OTLP_URL) && !isLoopback(hostOf(v.CHARTGATE_OTLP_URL)))
    weak(
      'CHARTGATE_OTLP_URL',
      'traces and metrics, and the credential that goes with them, are sent without TLS',
      'Give an https address, or a collector on the same machine.',
    );
  if (database.engine === 'sqlite' && database.filesystem === 'any')
    weak(
      'CHARTGATE_DATABASE_URL',
      'the file system of the database is not checked',
      'Put the file on a local disk and take `filesystem=any` out of the address.',
    );
  if (database.engine === 'postgres') {
    const url = new URL(database.url.reveal());
    const hosts = [url.hostname, ...url.searchParams.getAll('host')].filter(
      (host) => host !== '' && !host.startsWith('/'),
    );
    if (hosts.some((host) => !isLoopback(host)) && url.searchParams.get('sslmode') !== 'verify-full')
      weak(
        'CHARTGATE_DATABASE_URL',
        'PostgreSQL is reached without sslmode=verify-full',
        'Add `sslmode=verify-full` to the address, and `sslrootcert` where its authority is your own.',
      );
  }
  return out;
}

function weakAccess(v: Settled): WeakSetting[] {
  const out: WeakSetting[] = [];
  const weak = (key: KeyName, what: string, mend: string): void => void out.push({ key, what, mend });
  if (v.CHARTGATE_READ_PATIENTS === 'all')
    weak(
      'CHARTGATE_READ_PATIENTS',
      'tokens that are not bound to a patient see every patient of the EHR',
      'Set it to `linked`, so that such tokens see only patients with a confirmed link.',
    );
  if (v.CHARTGATE_OPERATOR_SECOND_FACTOR === 'nobody')
    weak(
      'CHARTGATE_OPERATOR_SECOND_FACTOR',
      'operators sign in by a password alone',
      'Set it to `administrators` or `everybody`.',
    );
  if (v.CHARTGATE_AUDIT_ANCHOR === undefined)
    weak(
      'CHARTGATE_AUDIT_ANCHOR',
      'audit checkpoints are kept in the database alone: an older copy of it would look sound',
      'Name a file or folder on another machine, best one that can only be added to.',
    );
  return out;
}

/** Legal choices that leave something unchecked, each with what would mend it. */
export const listWeak = (v: Settled, database: DatabaseConfig): WeakSetting[] => [
  ...weakWebhooks(v),
  ...weakConnections(v, database),
  ...weakAccess(v),
];
