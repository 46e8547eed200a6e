/*
 * `node dist/healthcheck.js`: asks the gateway of this container whether it answers; exit 0 or 1. A file of its own,
 * which loads nothing of the gateway: it runs every few seconds.
 */
import { readFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

const TIMEOUT_MS = 2_500;

function readSettings(): Readonly<Record<string, unknown>> {
  const { CHARTGATE_CONFIG: file = '' } = process.env;
  const ofFile: unknown = file === '' ? {} : JSON.parse(readFileSync(file, 'utf8'));
  return { ...(ofFile as Record<string, unknown>), ...process.env };
}

try {
  const settings = readSettings();
  const isGiven = (name: string): boolean => settings[name] !== undefined && settings[name] !== '';
  const port = isGiven('CHARTGATE_PORT') ? Number(settings['CHARTGATE_PORT']) : 8080;
  const options = { host: '127.0.0.1', port, path: '/healthz', timeout: TIMEOUT_MS };
  // To itself over loopback: the certificate is for the name that others use.
  const request = isGiven('CHARTGATE_TLS_CERT_FILE')
    ? getHttps({ ...options, rejectUnauthorized: false })
    : getHttp(options);
  request.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
  request.on('timeout', () => request.destroy());
  request.on('error', () => process.exit(1));
} catch {
  process.exit(1);
}
