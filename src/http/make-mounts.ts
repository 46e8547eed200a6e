import type { IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import { fault, type Mount } from '../kernel/index.ts';
import { refuse, refuseThrown, type Exchange } from './exchange.ts';

export interface Mounts {
  /** Answers what no route does: by the mount above it, or that there is none. */
  answer(exchange: Exchange): void;
  /** Whom the trusted proxies in front speak for. */
  addressOf(request: IncomingMessage): string;
}

/** What Express is asked for: it finds the mount of a request, and knows which proxies to believe. */
export function makeMounts(mounts: readonly Mount[], trustProxy: readonly string[]): Mounts {
  const app = express();
  app.disable('x-powered-by');
  app.set('case sensitive routing', true);
  app.set('trust proxy', trustProxy.length === 0 ? false : [...trustProxy]);

  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const exchangeOf = (req: Request): Exchange => {
    const found = exchanges.get(req);
    if (found === undefined) throw new Error('the request did not come through the front');
    return found;
  };
  for (const { path, handle } of mounts) {
    app.use(path, (req, res, next) => {
      const exchange = exchangeOf(req);
      const { requestId, log } = exchange;
      exchange.route = path;
      handle(req, res, { requestId, log }).catch(next);
    });
  }
  app.use((req) => {
    refuse(exchangeOf(req), fault('http.not-found'));
  });
  app.use((thrown: unknown, req: Request, _res: Response, _next: NextFunction) => {
    refuseThrown(exchangeOf(req), thrown);
  });

  return {
    answer(exchange: Exchange): void {
      const { req, res, head } = exchange;
      exchanges.set(req, exchange);
      for (let i = 0; i < head.length; i += 2) res.setHeader(head[i] ?? '', head[i + 1] ?? '');
      app(req, res);
    },
    addressOf: ({ headers, socket }: IncomingMessage): string => {
      const seen = Object.assign(Object.create(app.request) as Request, { headers, socket });
      return seen.ip ?? '';
    },
  };
}
