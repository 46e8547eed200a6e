import { connect } from 'node:net';

/** What a round of load measured. */
export interface Loaded {
  readonly perSecond: number;
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

/** Keep-alive connections that each wait for their answer before they ask again; raw sockets, so that the load costs little. */
export async function load(
  port: number,
  path: string,
  nextBody: NextBody,
  connections: number,
  until: { readonly ms: number } | { readonly count: number },
): Promise<Loaded> {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: `;
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
        const body = nextBody();
        asked = performance.now();
        socket.write(Buffer.concat([Buffer.from(`${head}${body.length}\r\n\r\n`), body]));
      };
      socket.on('connect', () => {
        if (isOver()) socket.end();
        else ask();
      });
      socket.on('data', (part: Buffer) => {
        got += part.toString('latin1');
        const end = got.indexOf('\r\n\r\n');
        if (end < 0) return;
        const [, declared = '0'] = /content-length: (\d+)/i.exec(got.slice(0, end)) ?? [];
        if (got.length < end + 4 + Number(declared)) return;
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
  return { perSecond: (times.length * 1000) / took, p99Ms: times[Math.floor(times.length * 0.99)] ?? NaN, statuses };
}
