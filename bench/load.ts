import { connect } from 'node:net';

/** What a round of load measured. */
export interface Loaded {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly statuses: ReadonlyMap<number, number>;
}

/** The next body to send; no two are the same. */
export type NextBody = () => Buffer;

/** A mark of fixed length, which is replaced by a number. */
export const TEMPLATE_MARK = '000000000000';

/** Bodies that differ where the mark of their template is. */
export function makeBodies(template: string): NextBody {
  const at = template.indexOf(TEMPLATE_MARK);
  if (at < 0) throw new Error('the body has no mark');
  const before = Buffer.from(template.slice(0, at));
  const after = Buffer.from(template.slice(at + TEMPLATE_MARK.length));
  let counter = 0;
  return () => {
    counter += 1;
    return Buffer.concat([before, Buffer.from(String(counter).padStart(TEMPLATE_MARK.length, '0')), after]);
  };
}

type Until = { readonly ms: number } | { readonly count: number };

/** Webhooks, one body after the other. */
export function load(
  port: number,
  path: string,
  nextBody: NextBody,
  connections: number,
  until: Until,
): Promise<Loaded> {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: `;
  const nextRequest = (): Buffer => {
    const body = nextBody();
    return Buffer.concat([Buffer.from(`${head}${body.length}\r\n\r\n`), body]);
  };
  return loadRequests(port, nextRequest, connections, until);
}

/**
 * Keep-alive connections that each wait for their answer before they ask again; raw sockets, so that the load costs
 * little.
 */
export async function loadRequests(
  port: number,
  nextRequest: () => Buffer,
  connections: number,
  until: Until,
): Promise<Loaded> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const from = performance.now();
  let sent = 0;
  const isOver = (): boolean => ('ms' in until ? performance.now() - from >= until.ms : sent >= until.count);

  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let got = '';
      let asked = 0;
      const ask = (): void => {
        sent += 1;
        const request = nextRequest();
        asked = performance.now();
        socket.write(request);
      };
      socket.on('connect', () => {
        if (isOver()) socket.end();
        else ask();
      });
      socket.on('data', (part: Buffer) => {
        got += part.toString('latin1');
        const end = got.indexOf('\r\n\r\n');
        if (end < 0) return;
        const declared = /content-length: (\d+)/i.exec(got.slice(0, end))?.[1];
        if (declared === undefined ? !got.endsWith('0\r\n\r\n') : got.length < end + 4 + Number(declared)) return;
        const status = Number(got.slice(9, 12));
        const isClosing = /connection: close/i.test(got.slice(0, end));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        times.push(performance.now() - asked);
        got = '';
        if (isOver()) socket.end();
        else if (isClosing) socket.end(() => void one().then(resolve, reject));
        else ask();
      });
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });

  await Promise.all(Array.from({ length: connections }, one));
  const took = performance.now() - from;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  return { perSecond: (times.length * 1000) / took, p50Ms: at(0.5), p99Ms: at(0.99), statuses };
}
