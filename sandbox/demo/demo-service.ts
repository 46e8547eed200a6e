import { join } from 'node:path';
import { systemClock } from '../../src/kernel/index.ts';
import { DEMO_ADD_ONS, startService, startSimulation, type DemoService, type Simulation } from '../index.ts';

export interface JoinedService {
  readonly service: DemoService;
  /** What the gateway must know to ask it, and to know who sends its webhooks. */
  readonly settings: Readonly<Record<string, string>>;
  /** What the portal asks for. */
  readonly portal: { readonly name: string; readonly password: string };
  /** Tells it where the gateway listens. */
  join(gateway: string, secrets: { readonly data: string; readonly notification: string }): void;
}

/** Simulated people, the same at each start. */
const SEED = 7;
/** At its speed a simulated day goes by in minutes, and it may run for weeks. */
const FORGETS_AFTER_DAYS = 60;

/** The sandbox of the health data service, with one client that has every add-on. */
export async function startDemoService(
  { host, port }: { readonly host: string; readonly port: number },
  data: string,
  clientUuid: string,
  hmac: 'ours' | 'of-the-environment',
  ask: typeof fetch,
): Promise<JoinedService> {
  const service = await startService({
    host,
    port,
    clock: systemClock,
    file: join(data, 'demo-service.ndjson'),
    // Its time stands still until the simulation has found out where it was.
    speed: 1,
    fetch: ask,
  });
  const client = service.putClient({ uuid: clientUuid, name: 'Demo Hospital', addOns: DEMO_ADD_ONS });
  return {
    service,
    portal: { name: clientUuid, password: client.secretKey },
    settings: {
      CHARTGATE_SOURCE_URL: service.url,
      CHARTGATE_SOURCE_LAB_URL: service.labUrl,
      CHARTGATE_SOURCE_SECRET_KEY: client.secretKey,
      CHARTGATE_SOURCE_PASSWORD: client.password,
      CHARTGATE_SOURCE_LAB_TOKEN: client.lab.token,
      ...(hmac === 'ours'
        ? { CHARTGATE_WEBHOOK_HMAC: 'standard-webhooks', CHARTGATE_WEBHOOK_HMAC_KEY: client.signingKey }
        : {}),
    },
    join: (gateway, secrets) =>
      void service.putClient({
        uuid: clientUuid,
        dataWebhook: `${gateway}/webhooks/${secrets.data}/data`,
        notificationWebhook: `${gateway}/webhooks/${secrets.notification}/notifications`,
      }),
  };
}

/** The people behind it. Their time stood while nobody worked it off, however fast it ran before. */
export function startDemoSimulation(service: DemoService): { readonly simulation: Simulation; readonly seed: number } {
  const simulation = startSimulation({ service, seed: SEED, forgetsAfterDays: FORGETS_AFTER_DAYS });
  const stood = simulation.workedUntil() ?? systemClock.now().getTime();
  service.clock.advance(Math.min(0, stood - service.clock.now().getTime()));
  return { simulation, seed: SEED };
}
