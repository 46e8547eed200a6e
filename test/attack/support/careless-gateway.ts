import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * Gateways as others have made them, each with one hole of theirs, to see that the attacks find it. None asks for a
 * token.
 */
export type Carelessness =
  /** Hands everything on. */
  | 'none-at-all'
  /** Looks for the patient in the address, and at nothing that comes back. */
  | 'looks-at-the-question'
  /** Looks at what comes back, where a compartment would put it; joins and counts go through. */
  | 'looks-at-the-answer';

export interface CarelessGateway {
  readonly port: number;
  close(): Promise<void>;
}

const ALPHA = /Patient\/idalpha\b/;

interface Body {
  readonly resourceType?: string;
  readonly id?: string;
  readonly entry?: readonly { readonly resource?: Body }[];
}

const isAlphas = (resource: Body | undefined): boolean =>
  resource?.id === 'idalpha' || ALPHA.test(JSON.stringify(resource));

export async function startCarelessGateway(ehrBase: string, carelessness: Carelessness): Promise<CarelessGateway> {
  const server = createServer((req, res) => {
    const { url = '', method = 'GET', headers } = req;
    const target = `${ehrBase}${url.replace(/^\/fhir/, '')}`;
    const refuse = (status: number): void =>
      void res
        .writeHead(status, { 'content-type': 'application/fhir+json', 'x-request-id': 'req_careless' })
        .end('{"resourceType":"OperationOutcome","issue":[]}');
    if (carelessness === 'looks-at-the-question') {
      const asked = new URLSearchParams(url.split('?')[1] ?? '').get('patient') ?? /\/Patient\/([\w-]+)/.exec(url)?.[1];
      if (asked !== undefined && !/^(Patient\/)?idalpha$/.test(asked)) {
        refuse(404);
        return;
      }
      if (url.includes('_include=') || url.includes('_revinclude=')) {
        refuse(403);
        return;
      }
    }
    const inner = request(target, { method, headers: { ...headers, host: new URL(ehrBase).host } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (carelessness === 'looks-at-the-answer' && method !== 'HEAD') {
          const body = JSON.parse(text) as Body;
          const isBundle = body.resourceType === 'Bundle';
          if (!isBundle && !isAlphas(body)) {
            refuse(404);
            return;
          }
          const kept = isBundle
            ? { ...body, entry: (body.entry ?? []).filter(({ resource }) => isAlphas(resource)) }
            : body;
          res.writeHead(answer.statusCode ?? 500, {
            'content-type': 'application/fhir+json',
            'x-request-id': 'req_careless',
          });
          res.end(JSON.stringify(kept).replaceAll(ehrBase, 'http://gateway/fhir'));
          return;
        }
        res.writeHead(answer.statusCode ?? 500, {
          'content-type': 'application/fhir+json',
          'x-request-id': 'req_careless',
        });
        res.end(method === 'HEAD' ? undefined : text.replaceAll(ehrBase, 'http://gateway/fhir'));
      });
    });
    inner.on('error', () => refuse(502));
    req.pipe(inner);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
