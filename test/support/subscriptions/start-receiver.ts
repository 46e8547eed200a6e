import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../payloads/index.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bundle: Json;
}

type Part = { readonly name: string; readonly part?: readonly Part[] } & Readonly<Record<string, unknown>>;

const entriesOf = ({ bundle }: Received): readonly Json[] => (bundle['entry'] ?? []) as readonly Json[];
const partsOf = (received: Received): readonly Part[] =>
  ((entriesOf(received)[0]?.['resource'] as Json)['parameter'] ?? []) as readonly Part[];
const valueOf = (parts: readonly Part[], name: string): unknown => {
  const found = parts.find((one) => one.name === name) ?? {};
  return Object.entries(found).find(([key]) => key.startsWith('value'))?.[1];
};

export const typeOf = (received: Received): unknown => valueOf(partsOf(received), 'type');
export const statusParam = (received: Received, name: string): unknown => valueOf(partsOf(received), name);

export interface SeenEvent {
  readonly number: number;
  readonly focus: string | null;
}
/** The events of notifications, in the order in which they came. */
export const eventsOf = (all: readonly Received[]): readonly SeenEvent[] =>
  all.flatMap((received) =>
    partsOf(received)
      .filter(({ name }) => name === 'notification-event')
      .map(({ part = [] }) => ({
        number: Number(valueOf(part, 'event-number')),
        focus: (valueOf(part, 'focus') as { reference: string } | undefined)?.reference ?? null,
      })),
  );
/** What stands in a notification beside its status. */
export const resourcesOf = (received: Received): readonly Json[] => entriesOf(received).slice(1);

/** Whether a message is signed by a secret, as Standard Webhooks have it. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const wanted = createHmac('sha256', key).update(text).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** An endpoint on loopback that keeps what it is told. `answer`: the status that it answers with. */
export async function startReceiver(answer: (received: Received) => number = () => 200) {
  const all: Received[] = [];
  let decide = answer;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const received = { path: request.url ?? '', headers: request.headers, body, bundle: JSON.parse(body) as Json };
      const status = decide(received);
      if (status < 300) all.push(received);
      response.writeHead(status, status >= 300 && status < 400 ? { location: 'http://127.0.0.1:1/' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    /** What it has taken. */
    all: (): readonly Received[] => [...all],
    ofType: (type: string): readonly Received[] => all.filter((one) => typeOf(one) === type),
    /** From now on. */
    answer(next: (received: Received) => number): void {
      decide = next;
    },
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
