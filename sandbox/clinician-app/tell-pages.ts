import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/*
 * The part of the sample app that a browser cannot be: an address to which the gateway sends notifications. A page opens
 * a channel of its own, under a name that nobody can guess, and subscribes with the address of that channel; what the
 * gateway says there goes to the page as a server-sent event.
 */

const PATH = /^\/(told|hook)\/([A-Za-z0-9_-]{32,64})$/;
const BODY_BYTES_MAX = 256 * 1024;
const CHANNELS_MAX = 100;
const OLD_MS = 300_000;

interface Channel {
  readonly pages: Set<ServerResponse>;
  /** By which the gateway signs; null until the page has told it. */
  secret: string | null;
}

async function readText(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** As Standard Webhooks have it. */
function isSigned({ headers }: IncomingMessage, body: string, secret: string, nowMs: number): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (!(Math.abs(nowMs - Number(timestamp) * 1_000) < OLD_MS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key)
    .update(`${id ?? ''}.${timestamp ?? ''}.${body}`)
    .digest();
  return (signatures ?? '').split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

/** Whether it only asks whether somebody is there: that comes before the page knows the secret. */
function isHandshake(body: string): boolean {
  try {
    const { entry } = JSON.parse(body) as {
      entry?: { resource?: { parameter?: { name?: string; valueCode?: string }[] } }[];
    };
    return (
      entry?.[0]?.resource?.parameter?.some((one) => one.name === 'type' && one.valueCode === 'handshake') === true
    );
  } catch {
    return false;
  }
}

export interface TellPages {
  /** Answers a request below `/told` or `/hook`; false where it is neither. */
  answer(request: IncomingMessage, response: ServerResponse, headers: Record<string, string>): Promise<boolean>;
}

export function makeTellPages(deps: { readonly nowMs: () => number }): TellPages {
  const channels = new Map<string, Channel>();

  function open(
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
    headers: Record<string, string>,
  ): void {
    const channel = channels.get(name) ?? { pages: new Set<ServerResponse>(), secret: null };
    if (!channels.has(name) && channels.size >= CHANNELS_MAX) {
      response.writeHead(503, headers).end();
      return;
    }
    channels.set(name, channel);
    channel.pages.add(response);
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' }).write(': open\n\n');
    request.on('close', () => {
      channel.pages.delete(response);
      // Whoever comes for a page that has left is told so, and comes no more.
      if (channel.pages.size === 0) channels.delete(name);
    });
  }

  async function take(name: string, request: IncomingMessage, response: ServerResponse): Promise<number> {
    const body = await readText(request);
    const channel = channels.get(name);
    if (channel === undefined) return 410;
    if (body === null) return 413;
    if (isHandshake(body)) return 200;
    if (channel.secret === null) return 503;
    if (!isSigned(request, body, channel.secret, deps.nowMs())) return 401;
    for (const page of channel.pages) page.write('event: told\ndata: {}\n\n');
    response.setHeader('content-length', '0');
    return 200;
  }

  return {
    async answer(request, response, headers) {
      const [, kind, name = ''] = PATH.exec((request.url ?? '').split('?')[0] ?? '') ?? [];
      if (kind === undefined) return false;
      if (kind === 'told' && request.method === 'GET') open(name, request, response, headers);
      else if (kind === 'told' && request.method === 'PUT') {
        const secret = await readText(request);
        const channel = channels.get(name);
        if (channel !== undefined && channel.secret === null && secret?.startsWith('whsec_') === true)
          channel.secret = secret;
        response.writeHead(channel === undefined ? 404 : 204, headers).end();
      } else if (kind === 'hook' && request.method === 'POST')
        response.writeHead(await take(name, request, response), headers).end();
      else response.writeHead(405, headers).end();
      return true;
    },
  };
}
