import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_MRN_SYSTEM, DEMO_PATIENTS } from '../../sandbox/index.ts';
import { startBrowser } from '../../test/support/chromium.ts';
import { aClinicalReady } from '../../test/support/payloads/index.ts';
import { askJson } from './ask-json.ts';
import { openGateway } from './gateway.ts';
import { openInferno } from './inferno.ts';
import { loadPatients } from './load-patients.ts';
import { settingsFor, startOwnGateway } from './own-gateway.ts';
import type { Asked } from './parse-asked.ts';
import type { Patient } from './prepare-bundle.ts';
import type { Stand } from './stand.ts';

const READY_TRIES = 100;
const READY_EVERY_MS = 200;
const PATIENTS = 3;
const DAY_MS = 86_400_000;

type Place = {
  readonly url: string;
  readonly ehr: string | null;
  readonly adminToken: string;
  readonly webhookSecret: string | null;
  readonly clientUuid: string;
  stop(): Promise<void>;
};

const readLine = (file: string): string => readFileSync(file, 'utf8').trim();

async function findPlace(
  { gateway, ehr, inferno }: Asked,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Place> {
  if (gateway === null) return startOwnGateway(settingsFor(inferno, env));
  return {
    url: gateway.url,
    ehr,
    adminToken:
      gateway.adminTokenFile === null ? (env['CHARTGATE_ADMIN_TOKEN'] ?? '') : readLine(gateway.adminTokenFile),
    webhookSecret: gateway.webhookSecretFile === null ? null : readLine(gateway.webhookSecretFile),
    clientUuid: gateway.clientUuid ?? 'demo-client',
    stop: () => Promise.resolve(),
  };
}

/** The gateway serves apps once it knows what its EHR can do. */
async function waitUntilServed(url: string): Promise<void> {
  for (let n = 1; ; n += 1)
    try {
      await askJson('GET', `${url}/fhir/metadata`);
      return;
    } catch (thrown) {
      if (n === READY_TRIES) throw thrown;
      await pause(READY_EVERY_MS);
    }
}

const userOf = ({ id }: Patient): string => `inferno-${id}`;

/** Sends measurements of another day each time, as the source would. */
function makeWriteSomething({ url, webhookSecret, clientUuid }: Place): Stand['writeSomething'] {
  if (webhookSecret === null) return null;
  let days = 0;
  return async (patient) => {
    days += 1;
    const day = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
    const body = aClinicalReady({ userId: userOf(patient), clientUuid, bundleId: randomUUID(), day });
    const answer = await fetch(`${url}/webhooks/${webhookSecret}/data`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    // The address holds the secret, and is named in no message.
    if (!answer.ok) throw new Error(`the webhook was answered with ${answer.status}`);
  };
}

export type OpenStand = { readonly stand: Stand; close(): Promise<void> };

/** Starts or finds the gateway, loads and links the patients, and opens the browser. */
export async function openStand(
  asked: Asked,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<OpenStand> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    // What one of them cannot take away must not keep the others standing.
    for (const one of closing.splice(0).reverse()) await one().catch((thrown: unknown) => say(String(thrown)));
  };
  try {
    const place = await findPlace(asked, env);
    closing.push(place.stop);
    await waitUntilServed(place.url);
    const gateway = await openGateway(place.url, place.adminToken);
    closing.push(gateway.leave);
    const loaded =
      asked.data === null || place.ehr === null
        ? DEMO_PATIENTS.slice(0, PATIENTS)
        : await loadPatients(place.ehr, asked.data, asked.mrnSystem ?? DEMO_MRN_SYSTEM, say);
    const patients = asked.patients ?? loaded.map(({ id, mrn }) => ({ id, mrn }));
    for (const patient of patients) await gateway.link(userOf(patient), patient.mrn);
    // Who stops the run wants everything stopped, not only the browser.
    const browser = await startBrowser({ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false });
    closing.push(() => browser.close());
    const inferno = openInferno(asked.inferno);
    const writeSomething = makeWriteSomething(place);
    return { stand: { inferno, gateway, ehr: place.ehr ?? '', browser, patients, writeSomething }, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
