import type { IncomingMessage } from 'node:http';
import { dropBytes } from './drop-bytes.ts';
import { fault } from './fault.ts';
import { fail, ok, type Result } from './result.ts';

const FIRST_BYTES = 16 * 1024;

/** The bytes of a request, as they came, up to a limit. A length that is declared too large is refused unread. */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Result<Buffer<ArrayBuffer>>> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.resolve(fail(fault('http.too-large')));
  // It may have been cut while something else was waited for, and would not say so again.
  if (request.destroyed) return Promise.resolve(fail(fault('http.cut-short')));
  return new Promise((resolve) => {
    // One buffer that grows: a body that comes byte by byte must not cost a buffer for each byte.
    let whole = Buffer.from(new ArrayBuffer(declared > 0 ? declared : FIRST_BYTES));
    let size = 0;
    const settle = (result: Result<Buffer<ArrayBuffer>>): void => {
      request.off('data', take);
      request.off('end', end);
      request.off('error', stop);
      request.off('close', stop);
      resolve(result);
    };
    const take = (part: Buffer): void => {
      if (size + part.length > bytesMax) {
        settle(fail(fault('http.too-large')));
        return;
      }
      if (size + part.length > whole.length) {
        const larger = Buffer.from(new ArrayBuffer(Math.min(bytesMax, Math.max(whole.length * 2, size + part.length))));
        whole.copy(larger, 0, 0, size);
        whole = larger;
      }
      size += part.copy(whole, size);
      // Where it is the whole of what was read at once, nobody else looks at it.
      dropBytes(part);
    };
    const end = (): void => {
      // Whoever was told that it took too long is gone, though the rest came after all: what it sent must not be acted
      // on.
      if (!request.socket.writable) stop();
      else if (size === whole.length) settle(ok(whole));
      else {
        const exact = Buffer.from(new ArrayBuffer(size));
        whole.copy(exact, 0, 0, size);
        settle(ok(exact));
      }
    };
    const stop = (): void => settle(fail(fault('http.cut-short')));
    request.on('data', take);
    request.once('end', end);
    request.once('error', stop);
    request.once('close', stop);
  });
}
