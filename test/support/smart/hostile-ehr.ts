import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostileAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A value is sent as JSON, a text as it is. */
  readonly body?: unknown;
  readonly delayMs?: number;
  /** Ends the connection after this many bytes. */
  readonly cutAt?: number;
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An EHR that answers whatever a test tells it to, and keeps what it was asked. */
export async function startHostileEhr() {
  let answer: (asked: Asked) => HostileAnswer = () => ({ status: 404 });
  const asked: Asked[] = [];
  const left: string[] = [];
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const one = {
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(parts).toString(),
      };
      asked.push(one);
      res.once('close', () => {
        if (!res.writableFinished) left.push(one.url);
      });
      const { status = 200, headers = {}, body = '', delayMs = 0, cutAt } = answer(one);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      setTimeout(() => {
        res.writeHead(status, {
          'content-type': 'application/fhir+json',
          'content-length': Buffer.byteLength(text),
          ...headers,
        });
        if (cutAt === undefined) res.end(text);
        else res.write(text.slice(0, cutAt), () => res.destroy());
      }, delayMs).unref();
    });
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
  return {
    url: `http://127.0.0.1:${port}/ehr`,
    host: `127.0.0.1:${port}`,
    asked,
    /** What nobody waited for to the end. */
    left,
    answers(next: (asked: Asked) => HostileAnswer): void {
      answer = next;
      asked.length = 0;
      left.length = 0;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
