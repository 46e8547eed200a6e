import type { IncomingMessage } from 'node:http';
import type { Ask } from '../kernel/index.ts';
import type { Visit } from './draft-audit.ts';

/** Express knows whom the proxy in front speaks for. */
const addressOf = (request: IncomingMessage & { readonly ip?: string | undefined }): string =>
  request.ip ?? request.socket.remoteAddress ?? '';

export const visitOf = ({ request, requestId }: Pick<Ask, 'request' | 'requestId'>): Visit => ({
  requestId,
  address: addressOf(request),
  agent: request.headers['user-agent'] ?? '',
});
