import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CarelessGateway } from './careless-gateway.ts';
import { OWNED_TYPES } from './world.ts';

/*
 * As small as a gateway for alpha alone can be that passes every attack: shows that the rows do not contradict each
 * other. It asks for no token and knows no scope.
 */
interface Body {
  readonly resourceType: string;
  readonly id: string;
  readonly subject?: { readonly reference?: string };
  readonly patient?: { readonly reference?: string };
  readonly target?: readonly { readonly reference?: string }[];
  readonly contained?: unknown;
  readonly entry?: readonly { readonly resource: Body; readonly search?: unknown }[];
}

const SHARED_TYPES = ['Practitioner', 'Organization', 'Medication', 'Location'];
const ME = 'Patient/idalpha';
const PLAIN_PATH = /^\/fhir(?:\/[A-Za-z0-9_$-][A-Za-z0-9_$.-]{0,63})*$/;
const FORM = /^application\/x-www-form-urlencoded$/;
const BODY_BYTES_MAX = 100_000;

type Said = { readonly status: number; readonly body: unknown };
const refused = (status: number): Said => ({ status, body: { resourceType: 'OperationOutcome', issue: [] } });

export async function startStrictGateway(ehrBase: string): Promise<CarelessGateway> {
  async function fromEhr(path: string): Promise<Body | null> {
    const answer = await fetch(`${ehrBase}/${path}`, { redirect: 'manual' });
    return answer.status === 200 ? ((await answer.json()) as Body) : null;
  }

  async function isMine(one: Body): Promise<boolean> {
    if (one.contained !== undefined) return false;
    if (one.resourceType === 'Patient') return one.id === 'idalpha';
    if (SHARED_TYPES.includes(one.resourceType)) return true;
    if (one.resourceType !== 'Provenance') return (one.subject ?? one.patient)?.reference === ME;
    for (const { reference = '' } of one.target ?? []) {
      const target = await fromEhr(reference);
      if (target === null || !(await isMine(target))) return false;
    }
    return (one.target ?? []).length > 0;
  }

  async function bundleOf(type: string, found: Body | null): Promise<Said> {
    const entry = [];
    for (const { resource, search } of found?.entry ?? [])
      if (await isMine(resource))
        entry.push({ fullUrl: `http://gateway/fhir/${resource.resourceType}/${resource.id}`, resource, search });
    return { status: 200, body: { resourceType: 'Bundle', type, entry } };
  }

  const ALLOWED = new Map<string, (value: string) => boolean>(
    Object.entries({
      patient: (value) => value === 'idalpha' || value === ME,
      subject: (value) => value === ME,
      _id: (value) => /^[\w-]+$/.test(value),
      category: (value) => /^[\w-]+$/.test(value),
      code: (value) => /^[\w:/.|-]+$/.test(value),
      _include: (value) => value === 'MedicationRequest:medication',
      _revinclude: (value) => value === 'Provenance:target',
    } satisfies Record<string, (value: string) => boolean>),
  );

  async function search(type: string, params: readonly (readonly [string, string])[]): Promise<Said> {
    if (!(OWNED_TYPES as readonly string[]).includes(type)) return refused(403);
    if (new Set(params.map(([name]) => name)).size !== params.length) return refused(400);
    if (!params.every(([name, value]) => ALLOWED.get(name)?.(value) === true)) return refused(403);
    const query = new URLSearchParams(
      params.filter(([name]) => name !== 'subject').map(([name, value]): [string, string] => [name, value]),
    );
    if (type === 'Patient') {
      if (params.some(([name, value]) => name !== '_id' || value !== 'idalpha')) return refused(403);
    } else query.set('patient', 'idalpha');
    return bundleOf('searchset', await fromEhr(`${type}?${query.toString()}`));
  }

  async function read(
    type: string,
    id: string,
    history: string | undefined,
    version: string | undefined,
  ): Promise<Said> {
    if (history !== undefined && history !== '_history') return refused(404);
    const current = await fromEhr(`${type}/${id}`);
    if (current === null || !(await isMine(current))) return refused(404);
    if (history === undefined) return { status: 200, body: current };
    const past = await fromEhr(`${type}/${id}/_history${version === undefined ? '' : `/${version}`}`);
    if (past?.resourceType === 'Bundle') return bundleOf('history', past);
    return past !== null && (await isMine(past)) ? { status: 200, body: past } : refused(404);
  }

  async function answer({ method, url = '', headers }: IncomingMessage, body: string): Promise<Said> {
    const [path = '', query = ''] = url.split('?');
    if (!PLAIN_PATH.test(path)) return refused(404);
    const [, , type = '', id, ...rest] = path.split('/');
    if (![...OWNED_TYPES, ...SHARED_TYPES].includes(type) || rest.length > 2 || id?.startsWith('$') === true)
      return refused(404);
    if (!/json|\*\/\*/.test(headers.accept ?? '*/*')) return refused(406);
    if (headers['content-encoding'] !== undefined) return refused(415);
    const params = [...new URLSearchParams(query)] as const;
    if (method === 'POST' && id === '_search' && rest.length === 0) {
      if (!FORM.test(headers['content-type'] ?? '')) return refused(415);
      if (body.length > BODY_BYTES_MAX) return refused(413);
      return search(type, [...params, ...new URLSearchParams(body)]);
    }
    if (method !== 'GET' && method !== 'HEAD') return refused(405);
    if (id === undefined) return search(type, params);
    if (id.startsWith('_')) return refused(404);
    return params.length > 0 ? refused(404) : read(type, id, rest[0], rest[1]);
  }

  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      answer(req, Buffer.concat(parts).toString()).then(
        ({ status, body }) => {
          res.writeHead(status, { 'content-type': 'application/fhir+json', 'x-request-id': 'req_strict' });
          res.end(req.method === 'HEAD' ? undefined : JSON.stringify(body));
        },
        () => res.writeHead(500).end(),
      );
    });
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
