import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';

const EMPTY: readonly number[] = [204, 205, 304];

/**
 * Asks the demonstration's own gateway where that listens with TLS. Whatever name and authority its certificate has, it
 * is this very certificate that is trusted, and nothing else: whoever gave it to the gateway has given it to us.
 */
export function makeAskOwnGateway(certificate: string): typeof fetch {
  const agent = new Agent({
    ca: certificate,
    allowPartialTrustChain: true,
    checkServerIdentity: () => undefined,
    keepAlive: true,
  });
  return async (input, init) => {
    const asked = new Request(input, init);
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer());
    return new Promise((resolve, reject) => {
      const { method, headers, signal } = asked;
      const sent = request(asked.url, { method, headers: Object.fromEntries(headers), agent, signal }, (answer) => {
        const told = new Headers();
        for (let i = 0; i < answer.rawHeaders.length; i += 2)
          told.append(answer.rawHeaders[i] ?? '', answer.rawHeaders[i + 1] ?? '');
        const status = answer.statusCode ?? 500;
        if (EMPTY.includes(status)) answer.resume();
        resolve(
          new Response(EMPTY.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream), {
            status,
            headers: told,
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  };
}
