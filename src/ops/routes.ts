import { jsonAnswer, ok, type Answer, type Route } from '../kernel/index.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';
import { DOCS_STYLE, renderDocs, type Described } from './render-docs.ts';

const page = (type: string, body: string): Answer => ({ status: 200, headers: { 'Content-Type': type }, body });
const open = (path: string, handle: Route['handle']): Route => ({ method: 'get', path, access: 'open', handle });

const alive = open('/healthz', () => ok(jsonAnswer(200, { status: 'alive' })));

/** What whoever watches asks. None of it holds anything of a patient. */
export function makeWatchRoutes(deps: { readonly readiness: () => Readiness; readonly metrics: Metrics }): Route[] {
  return [
    {
      ...open('/readyz', () => {
        const readiness = deps.readiness();
        return ok(jsonAnswer(readiness.ready ? 200 : 503, readiness));
      }),
      access: 'ops',
    },
    {
      ...open('/metrics', async () => ok(page(deps.metrics.contentType, await deps.metrics.render()))),
      access: 'ops',
    },
  ];
}

/** What a port of its own for them answers. */
export const onOwnPort = (watch: readonly Route[]): Route[] => [alive, ...watch];

/** What machines and developers ask without a credential. */
export function makeOpsRoutes(deps: { readonly described: Described }): Route[] {
  const docs = renderDocs(deps.described);
  const openapi = JSON.stringify(deps.described);
  return [
    open('/', () => ok({ status: 302, headers: { Location: '/docs' }, body: '' })),
    alive,
    open('/openapi.json', () => ok(page('application/json; charset=utf-8', openapi))),
    open('/docs', () => ok(page('text/html; charset=utf-8', docs))),
    open('/docs/style.css', () => ok(page('text/css; charset=utf-8', DOCS_STYLE))),
  ];
}
