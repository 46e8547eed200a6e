import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_MRN_SYSTEM, seedEhr, startEhr } from '../../sandbox/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { freePort } from '../../test/support/postgres-server.ts';
import { portOf, runProcess, serveSettings } from '../../test/support/run-process.ts';

/** A gateway in front of a demo EHR, both on free ports of this machine. */
export type OwnGateway = {
  readonly url: string;
  readonly ehr: string;
  readonly adminToken: string;
  readonly webhookSecret: string;
  readonly clientUuid: string;
  readonly mrnSystem: string;
  stop(): Promise<void>;
};

/**
 * What a gateway is told that Inferno is to be used with, at whose address apps may want to be notified; and what the
 * environment says about its settings.
 */
export function settingsFor(
  inferno: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('CHARTGATE_') && value !== undefined ? [[name, value] as const] : [],
  );
  return { CHARTGATE_SUBSCRIPTION_PRIVATE_HOSTS: new URL(inferno).host, ...Object.fromEntries(given) };
}

export async function startOwnGateway(more: Readonly<Record<string, string>> = {}): Promise<OwnGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-inferno-'));
  const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  seedEhr(ehr);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const settings: Record<string, string> = {
    ...serveSettings(`sqlite:${join(folder, 'chartgate.db')}?filesystem=any&create=yes`),
    CHARTGATE_PORT: String(port),
    CHARTGATE_PUBLIC_URL: url,
    CHARTGATE_EHR_URL: ehr.url,
    CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM,
    CHARTGATE_CLIENT_UUID: randomUUID(),
    CHARTGATE_ENVIRONMENT: 'sandbox',
    CHARTGATE_WEBHOOK_HMAC: 'off',
    ...more,
  };
  const gateway = runProcess(['serve'], settings);
  const stop = async (): Promise<void> => {
    gateway.signal('SIGTERM');
    await gateway.ended;
    await ehr.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await portOf(gateway);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return {
    url,
    ehr: ehr.url,
    adminToken: settings['CHARTGATE_ADMIN_TOKEN'] ?? '',
    webhookSecret: settings['CHARTGATE_WEBHOOK_SECRET'] ?? '',
    clientUuid: settings['CHARTGATE_CLIENT_UUID'] ?? '',
    mrnSystem: DEMO_MRN_SYSTEM,
    stop,
  };
}
