import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import request, { type Response } from 'supertest';
import { systemClock } from '../../../src/kernel/index.ts';
import { startGateway } from '../../../src/gateway/index.ts';
import { checkAnswer } from '../../support/check-answer.ts';
import { collectLog } from '../../support/collect-log.ts';
import { eventually } from '../../support/eventually.ts';
import { configOf } from '../../support/gateway.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import { CLIENT } from '../../support/payloads/index.ts';

export const DATA_SECRET = 'data-secret-0123456789abcdef0123456789';
export const OLD_DATA_SECRET = 'old-data-secret-0123456789abcdef01234';
export const NOTIFICATION_SECRET = 'notification-secret-0123456789abcdef01';
const ADMIN_TOKEN = 'admin-token-0123456789abcdef0123456789';

export interface Step {
  readonly at: string;
  readonly from: string | null;
  readonly to: string;
  readonly reason: string | null;
  readonly actor: string;
}
export interface Delivery {
  readonly id: string;
  readonly hook: string;
  readonly state: string;
  readonly reason: string | null;
  readonly dataStructure: string | null;
  readonly documentVersion: number | null;
  readonly bodyBytes: number;
  readonly findings: readonly string[];
  readonly userId: string | null;
  readonly duplicateOf: string | null;
  readonly hasBody: boolean;
  readonly sender: string;
  readonly steps: readonly Step[];
}
export interface Ledger {
  readonly acknowledged: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly addsUp: boolean;
}

/** A whole gateway on SQLite, and the few things that a test does with it. */
export type HookGateway = Awaited<ReturnType<typeof startHookGateway>>;

export async function startHookGateway(settings: Record<string, string> = {}) {
  const place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const log = collectLog();
  const gateway = await startGateway({
    config: configOf(`sqlite:${place.database.file}?filesystem=any`, {
      CHARTGATE_WEBHOOK_SECRET: `${DATA_SECRET},${OLD_DATA_SECRET}`,
      CHARTGATE_NOTIFICATION_SECRET: NOTIFICATION_SECRET,
      CHARTGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      CHARTGATE_CLIENT_UUID: CLIENT,
      CHARTGATE_BODY_LIMIT_MB: '1',
      ...settings,
    }),
    clock: systemClock,
    log,
  });
  const url = `http://127.0.0.1:${gateway.port}`;
  const { file } = place.database;

  const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
    request(url)
      .post(path)
      .set({ 'Content-Type': 'application/json', ...headers })
      // supertest would write a text as JSON once more.
      .serialize((one: unknown) => one as string)
      .send(body as string);
  const admin = async (method: 'get' | 'post' | 'put', path: string, body?: object): Promise<Response> => {
    const asked = request(url)[method](`/admin/api/${path}`).set('Authorization', `Bearer ${ADMIN_TOKEN}`);
    const answer = await asked.send(body);
    checkAnswer(method, `/admin/api/${path}`, answer.status, answer.body);
    return answer;
  };

  const bytesOf = (value: unknown): string | Buffer =>
    typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value);
  const read = async (id: string): Promise<Delivery> => (await admin('get', `deliveries/${id}`)).body as Delivery;
  const settled = (id: string): Promise<Delivery> =>
    eventually(
      () => read(id),
      ({ state }) => state !== 'received',
    );
  const idOf = (answer: Response): string => {
    if (answer.status !== 202) throw new Error(`answered ${answer.status}: ${answer.text}`);
    return (answer.body as { id: string }).id;
  };

  return {
    port: gateway.port,
    authorization: `Bearer ${ADMIN_TOKEN}`,
    log,
    post,
    admin,
    put: (path: string, body: object) => admin('put', path, body),
    read,
    settled,
    postData: (value: unknown, headers: Record<string, string> = {}) =>
      post(`/webhooks/${DATA_SECRET}/data`, bytesOf(value), headers),
    /** Delivers to the Data Webhook and waits until it has been looked at. */
    deliver: async (value: unknown, headers: Record<string, string> = {}): Promise<Delivery> =>
      settled(idOf(await post(`/webhooks/${DATA_SECRET}/data`, bytesOf(value), headers))),
    notify: async (value: unknown): Promise<Delivery> =>
      settled(idOf(await post(`/webhooks/${NOTIFICATION_SECRET}/notifications`, bytesOf(value)))),
    /** Everything that is on the disk, the log of the database included. */
    atRest: (): string =>
      ['', '-wal']
        .map((end) => `${file}${end}`)
        .filter((path) => existsSync(path))
        .map((path) => readFileSync(path, 'latin1'))
        .join(''),
    ledger: async (): Promise<Ledger> => (await admin('get', 'ledger')).body as Ledger,
    async stop(): Promise<void> {
      await gateway.stop();
      await place.remove();
    },
  };
}

/** Bytes over a socket of our own, and all that comes back until the other side ends. */
export function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const heard: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (part: Buffer) => void heard.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(heard).toString('latin1')));
  });
}

export const outcome = ({ state, reason }: Delivery): readonly [string, string | null] => [state, reason];
