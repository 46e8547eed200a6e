import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Head } from './head.ts';

/** Pages are our own, without a script and without anything from elsewhere. */
const setSecurityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  referrerPolicy: { policy: 'no-referrer' },
});

/** What helmet says is the same for every request, so it is asked once. */
export const SECURITY_HEADERS: Readonly<Head> = (() => {
  const said: Head = [];
  const listener = {
    setHeader: (name: string, value: string) => void said.push(name, value),
    removeHeader: () => undefined,
  };
  setSecurityHeaders({} as IncomingMessage, listener as unknown as ServerResponse, () => undefined);
  return said;
})();
