import { join } from 'node:path';
import { systemClock } from '../kernel/index.ts';
import { DEMO_ADD_ONS, startService, type DemoService } from '../sandbox/index.ts';

export interface JoinedService {
  readonly service: DemoService;
  /** What the gateway must know to ask it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Tells it where the gateway listens. */
  join(gateway: string, secrets: { readonly data: string; readonly notification: string }): void;
}

/** The sandbox of the health data service, with one client that has every add-on. */
export async function startDemoService(port: number, data: string, clientUuid: string): Promise<JoinedService> {
  const service = await startService({ host: '127.0.0.1', port, clock: systemClock, file: join(data, 'demo-service.ndjson') });
  const { secretKey, password, lab } = service.putClient({ uuid: clientUuid, name: 'Demo Hospital', addOns: DEMO_ADD_ONS });
  return {
    service,
    settings: {
      CHARTGATE_SOURCE_URL: service.url,
      CHARTGATE_SOURCE_LAB_URL: service.labUrl,
      CHARTGATE_SOURCE_SECRET_KEY: secretKey,
      CHARTGATE_SOURCE_PASSWORD: password,
      CHARTGATE_SOURCE_LAB_TOKEN: lab.token,
    },
    join: (gateway, secrets) =>
      void service.putClient({
        uuid: clientUuid,
        dataWebhook: `${gateway}/webhooks/${secrets.data}/data`,
        notificationWebhook: `${gateway}/webhooks/${secrets.notification}/notifications`,
      }),
  };
}
