import type { Ask } from '../kernel/index.ts';
import type { Visit } from './draft-audit.ts';

export const visitOf = ({ request, requestId, remoteAddress }: Ask): Visit => ({
  requestId,
  address: remoteAddress(),
  agent: request.headers['user-agent'] ?? '',
});
