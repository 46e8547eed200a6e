import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../src/kernel/index.ts';
import {
  DEMO_ADD_ONS,
  makePerson,
  startService,
  startSimulation,
  traitsOfSource,
  type AddOnName,
} from '../../../sandbox/index.ts';
import { startGateway } from '../../../src/gateway/index.ts';
import { collectLog } from '../../support/collect-log.ts';
import { eventually } from '../../support/eventually.ts';
import { configOf } from '../../support/gateway.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import type { Charts } from './charts.ts';

const SECRET = 'data-secret-0123456789abcdef0123456789';
const NOTIFICATION_SECRET = 'note-secret-0123456789abcdef0123456789';
const ADMIN = 'admin-token-0123456789abcdef0123456789';
export const CLIENT = 'demo-client';
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const userOf = (n: number): string => `user-${n}`;

interface Ledger {
  readonly acknowledged: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly addsUp: boolean;
}

/**
 * Sandbox with its simulation and gateway in one process, in front of some EHR, joined by HTTP and signed webhooks.
 * Simulated time begins at `from` and stands until it is run.
 */
export async function startSimulated({
  charts,
  seed,
  from,
  addOns = DEMO_ADD_ONS,
}: {
  readonly charts: Charts;
  readonly seed: number;
  readonly from: number;
  readonly addOns?: Readonly<Partial<Record<AddOnName, boolean>>>;
}) {
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    retryWaitsMs: [50, 200, 1_000, 5_000],
    underwayMax: 16,
  });
  service.clock.advance(from - service.clock.now().getTime());
  const signingKey = `whsec_${randomBytes(32).toString('base64')}`;
  const place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const gateway = await startGateway({
    config: configOf(`sqlite:${place.database.file}?filesystem=any`, {
      ...charts.settings,
      CHARTGATE_CLIENT_UUID: CLIENT,
      CHARTGATE_WEBHOOK_SECRET: SECRET,
      CHARTGATE_NOTIFICATION_SECRET: NOTIFICATION_SECRET,
      CHARTGATE_WEBHOOK_HMAC: 'standard-webhooks',
      CHARTGATE_WEBHOOK_HMAC_KEY: signingKey,
      CHARTGATE_ADMIN_TOKEN: ADMIN,
    }),
    clock: systemClock,
    log: collectLog(),
  });
  const base = `http://127.0.0.1:${gateway.port}`;
  service.putClient({
    uuid: CLIENT,
    addOns,
    signingKey,
    dataWebhook: `${base}/webhooks/${SECRET}/data`,
    notificationWebhook: `${base}/webhooks/${NOTIFICATION_SECRET}/notifications`,
  });
  const simulation = startSimulation({ service, seed });

  async function admin<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${base}/admin/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return (await answer.json()) as T;
  }
  const ledger = (): Promise<Ledger> => admin<Ledger>('GET', 'ledger');

  return {
    service,
    simulation,
    admin,
    ledger,
    /** Everything that the person owns, or some of it. User and person have the same number unless another is named. */
    connect(n: number, dataSources?: readonly string[], person = n): void {
      for (const dataSource of dataSources ?? makePerson(seed, person).dataSources) {
        const kind = traitsOfSource(dataSource)?.kind ?? 'api';
        const granted = kind === 'api' ? ['all'] : ['activity', 'heart', 'sleep', 'body'];
        service.connect({
          client: CLIENT,
          user: userOf(n),
          dataSource,
          kind,
          state: 'connected',
          account: `person-${person}`,
          granted,
        });
      }
    },
    async link(): Promise<ReadonlyMap<string, string>> {
      for (const [n, { mrn }] of charts.patients.entries()) await admin('PUT', `links/${userOf(n)}`, { mrn });
      return new Map(charts.patients.map(({ reference }, n) => [userOf(n), reference]));
    },
    /** Until everything is acknowledged, judged and written. */
    async rest(ms = 60_000): Promise<Ledger> {
      await simulation.settled();
      return eventually(
        ledger,
        ({ byState }) => ['received', 'queued', 'sending', 'unknown'].every((state) => (byState[state] ?? 0) === 0),
        ms,
      );
    },
    async stop(): Promise<void> {
      await simulation.stop();
      await service.stop();
      await gateway.stop();
      await place.remove();
    },
  };
}

export type Simulated = Awaited<ReturnType<typeof startSimulated>>;
