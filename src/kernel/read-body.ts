import type { IncomingMessage } from 'node:http';
import { fault } from './fault.ts';
import { fail, ok, type Result } from './result.ts';

/** The bytes of a request, as they came, up to a limit. A length that is declared too large is refused unread. */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Result<Buffer>> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.resolve(fail(fault('http.too-large')));
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const settle = (result: Result<Buffer>): void => {
      request.off('data', take);
      request.off('end', end);
      request.off('error', stop);
      request.off('close', stop);
      resolve(result);
    };
    const take = (part: Buffer): void => {
      size += part.length;
      if (size > bytesMax) settle(fail(fault('http.too-large')));
      else parts.push(part);
    };
    // Into memory of its own: a part is a view of the socket's buffer, and whoever copies the view copies all of that.
    const end = (): void => {
      const whole = Buffer.from(new ArrayBuffer(size));
      let at = 0;
      for (const part of parts) at += part.copy(whole, at);
      settle(ok(whole));
    };
    const stop = (): void => settle(fail(fault('http.cut-short')));
    request.on('data', take);
    request.once('end', end);
    request.once('error', stop);
    request.once('close', stop);
  });
}
