import { jsonAnswer, ok, type Answer, type Route } from '../kernel/index.ts';
import type { Readiness } from './readiness.ts';
import { readReferenceScript, REFERENCE_STYLE, renderReference } from './reference.ts';

const page = (type: string, body: string): Answer => ({ status: 200, headers: { 'Content-Type': type }, body });
const open = (path: string, handle: Route['handle']): Route => ({ method: 'get', path, access: 'open', handle });

const alive = open('/healthz', () => ok(jsonAnswer(200, { status: 'alive' })));

/** What whoever watches asks. None of it holds anything of a patient. */
export function makeWatchRoutes(deps: {
  readonly readiness: () => Readiness | Promise<Readiness>;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
}): Route[] {
  return [
    {
      ...open('/readyz', async () => {
        const readiness = await deps.readiness();
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
export function makeOpsRoutes(deps: {
  readonly version: string;
  /** The text of openapi/openapi.json. */
  readonly readDescription: () => Promise<string>;
}): Route[] {
  return [
    open('/', () => ok({ status: 302, headers: { Location: '/docs' }, body: '' })),
    alive,
    open('/openapi.json', async () => ok(page('application/json; charset=utf-8', await deps.readDescription()))),
    open('/docs', () => ok(renderReference(deps.version))),
    open('/docs/reference.js', async () => ok(await readReferenceScript())),
    open('/docs/style.css', () => ok(page('text/css; charset=utf-8', REFERENCE_STYLE))),
  ];
}
