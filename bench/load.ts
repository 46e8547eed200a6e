import { connect } from 'node:net';

/** What a round of load measured. */
export interface Loaded {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly statuses: ReadonlyMap<number, number>;
}

const MARK = '000000000000';

/** A body in which a mark of fixed length is replaced by a number, so that no two requests are the same. */
export interface Template {
  readonly before: Buffer;
  readonly after: Buffer;
}

export function makeTemplate(body: string): Template {
  const at = body.indexOf(MARK);
  if (at < 0) throw new Error('the body has no mark');
  return { before: Buffer.from(body.slice(0, at)), after: Buffer.from(body.slice(at + MARK.length)) };
}
export const TEMPLATE_MARK = MARK;

let counter = 0;
function nextRequest(head: string, { before, after }: Template): Buffer {
  counter += 1;
  return Buffer.concat([Buffer.from(head), before, Buffer.from(String(counter).padStart(MARK.length, '0')), after]);
}

/** Keep-alive connections that each wait for their answer before they ask again; raw sockets, so that the load costs little. */
export async function load(port: number, path: string, template: Template, connections: number, ms: number): Promise<Loaded> {
  const length = template.before.length + MARK.length + template.after.length;
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const from = performance.now();

  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let got = '';
      let asked = 0;
      const ask = (): void => {
        asked = performance.now();
        socket.write(nextRequest(head, template));
      };
      socket.on('connect', ask);
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
        if (performance.now() - from >= ms) socket.end();
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
