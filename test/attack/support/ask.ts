import { request } from 'node:http';

/** A question as it goes over the wire: nothing is normalised, and a header may stand twice. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  /** Names in lower case, in the order in which they came. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const PATIENCE_MS = 15_000;

export const headerOf = (answer: Answered, name: string): string | undefined =>
  answer.headers.find(([one]) => one === name)?.[1];

export function ask(port: number, asked: Asked): Promise<Answered> {
  const { method = 'GET', path, headers = [], body } = asked;
  return new Promise((resolve, reject) => {
    const flat = [['Host', `127.0.0.1:${port}`], ...headers].flat();
    if (body !== undefined) flat.push('Content-Length', String(Buffer.byteLength(body)));
    const req = request({ host: '127.0.0.1', port, method, path, headers: flat, timeout: PATIENCE_MS }, (res) => {
      const parts: Buffer[] = [];
      res.on('data', (part: Buffer) => parts.push(part));
      res.on('error', reject);
      res.on('end', () => {
        const pairs: [string, string][] = [];
        for (let i = 0; i < res.rawHeaders.length; i += 2)
          pairs.push([(res.rawHeaders[i] ?? '').toLowerCase(), res.rawHeaders[i + 1] ?? '']);
        resolve({ status: res.statusCode ?? 0, headers: pairs, body: Buffer.concat(parts).toString('utf8') });
      });
    });
    req.on('timeout', () => req.destroy(new Error('no answer in time')));
    req.on('error', reject);
    req.end(body);
  });
}
