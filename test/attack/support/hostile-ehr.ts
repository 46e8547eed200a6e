import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { included, matches, type Params } from './search-world.ts';
import { ENTANGLED, HOST_MARKER, makeWorld, TOTAL_MARKER, type Resource } from './world.ts';

/*
 * An EHR that does whatever it is asked, by anybody, in every way that some real server does; and, in its modes, what
 * an EHR must not do. Lookups of a Patient by identifier stay honest but in `ignores-everything`, so that a gateway
 * gets past them.
 */
export type Mode =
  | 'honest'
  | 'ignores-filters'
  | 'ignores-everything'
  | 'swaps-reads'
  | 'includes-strangers'
  | 'counts-everything'
  | 'entangled'
  | 'absolute-links'
  | 'foreign-next'
  | 'redirects'
  | 'echoes'
  | 'leaks-headers'
  | 'leaks-errors'
  | 'wrong-type'
  | 'broken-json'
  | 'not-fhir'
  | 'huge'
  | 'slow';

export interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HostileEhr {
  readonly base: string;
  readonly port: number;
  /** How often somebody followed an address to a host that is not the EHR's. */
  readonly strayed: () => number;
  readonly heard: Heard[];
  become(mode: Mode): void;
  close(): Promise<void>;
}

export const SLOW_MS = 2_000;
const HUGE_BYTES = 32 * 1024 * 1024;
const PAGE = 50;
const BASE_PATH = `/${HOST_MARKER}/r4`;
const TYPES = [...new Set(makeWorld().current.map(({ resourceType }) => resourceType))];

interface Said {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const outcome = (status: number, text: string): Said => ({
  status,
  body: { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'processing', diagnostics: text }] },
});

const honest = makeWorld();
const entangled = makeWorld(ENTANGLED);

/** Forgiving about paths, as some servers and the proxies before them are. */
function segmentsOf(pathname: string): string[] {
  const out: string[] = [];
  let decoded = pathname;
  try {
    decoded = decodeURIComponent(decodeURIComponent(pathname));
  } catch {
    // What cannot be decoded is taken as it is.
  }
  for (const part of decoded.replace(/[\0;].*$/s, '').split(/[/\\]+/)) {
    if (part === '..') out.pop();
    else if (part !== '' && part !== '.') out.push(part);
  }
  return out;
}

const typeOf = (word: string): string | undefined => TYPES.find((type) => type.toLowerCase() === word.toLowerCase());

export async function startHostileEhr(): Promise<HostileEhr> {
  let mode: Mode = 'honest';
  let strayed = 0;
  const heard: Heard[] = [];
  let base = '';
  let foreign = '';
  const world = (): typeof honest => (mode === 'entangled' ? entangled : honest);

  const entryOf = (resource: Resource, as: 'match' | 'include'): unknown => ({
    fullUrl: `${base}/${resource.resourceType}/${resource.id}`,
    resource: dress(resource),
    search: { mode: as },
  });

  function dress(resource: Resource): unknown {
    if (mode !== 'absolute-links') return resource;
    const absolute = JSON.parse(
      JSON.stringify(resource).replaceAll(/"reference":"([A-Z]\w+\/)/g, `"reference":"${base}/$1`),
    ) as Record<string, unknown>;
    return {
      ...absolute,
      meta: { ...(absolute['meta'] as object), source: `${base}/source` },
      text: {
        status: 'generated',
        div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${base}/${resource.resourceType}/${resource.id}">own</a></div>`,
      },
      extension: [{ url: 'urn:example:home', valueUrl: `${base}/${resource.resourceType}/${resource.id}` }],
      ...(resource.resourceType === 'DocumentReference'
        ? { content: [{ attachment: { contentType: 'text/plain', url: `${base}/Binary/idalpha-bin` } }] }
        : {}),
    };
  }

  const elementsOf = (resource: Resource, names: string | undefined): Resource =>
    names === undefined
      ? resource
      : (Object.fromEntries(
          Object.entries(resource).filter(([name]) => ['resourceType', 'id', ...names.split(',')].includes(name)),
        ) as unknown as Resource);

  function search(type: string | null, params: Params, selfQuery: string): Said {
    const get = (name: string): string | undefined => params.find(([key]) => key === name)?.[1];
    const isLookup = type === 'Patient' && params.some(([key]) => key === 'identifier');
    const isDeaf = mode === 'ignores-everything' || (mode === 'ignores-filters' && !isLookup);
    const types = type === null ? (get('_type')?.split(',') ?? TYPES) : [type];
    const found = world().current.filter(
      (one) => types.includes(one.resourceType) && (isDeaf || matches(world(), one, params)),
    );
    const count = Math.min(Number(get('_count') ?? PAGE), PAGE);
    const offset = Number(get('_offset') ?? 0);
    const isCount = get('_summary') === 'count' || count === 0;
    const page = isCount ? [] : found.slice(offset, offset + count);
    const strangers =
      mode === 'includes-strangers' ? world().current.filter(({ id }) => id === 'idbravo' || id === 'idbravo-obs') : [];
    const extra = isCount ? [] : [...included(world(), page, params), ...strangers];
    const rest = new URLSearchParams(
      params.filter(([key]) => key !== '_offset').map(([key, value]): [string, string] => [key, value]),
    );
    rest.set('_offset', String(offset + count));
    const home = mode === 'foreign-next' ? `${foreign}/r4` : base;
    const hasNext = !isCount && (offset + count < found.length || (mode === 'foreign-next' && offset === 0));
    return {
      status: 200,
      body: {
        resourceType: 'Bundle',
        type: 'searchset',
        total: mode === 'counts-everything' ? TOTAL_MARKER : found.length,
        link: [
          { relation: 'self', url: `${base}/${type ?? ''}?${mode === 'echoes' ? selfQuery : rest.toString()}` },
          ...(hasNext ? [{ relation: 'next', url: `${home}/${type ?? ''}?${rest.toString()}` }] : []),
        ],
        entry: [
          ...page.map((one) => entryOf(elementsOf(one, get('_elements')), 'match')),
          ...extra.map((one) => entryOf(one, 'include')),
          ...(mode === 'includes-strangers' || mode === 'echoes'
            ? [
                {
                  resource: {
                    resourceType: 'OperationOutcome',
                    issue: [
                      { severity: 'information', code: 'informational', diagnostics: `zqbravo ${base} ${selfQuery}` },
                    ],
                  },
                  search: { mode: 'outcome' },
                },
              ]
            : []),
        ],
      },
    };
  }

  const bundleOf = (type: string, resources: readonly Resource[]): Said => ({
    status: 200,
    body: {
      resourceType: 'Bundle',
      type,
      total: resources.length,
      entry: resources.map((one) => entryOf(one, 'match')),
    },
  });
  const historyOf = (resources: readonly Resource[]): Said => ({
    status: 200,
    body: {
      resourceType: 'Bundle',
      type: 'history',
      total: resources.length,
      entry: resources.map((one) => ({
        fullUrl: `${base}/${one.resourceType}/${one.id}`,
        resource: dress(one),
        request: { method: 'PUT', url: `${one.resourceType}/${one.id}` },
        response: { status: '200', etag: `W/"${one.meta.versionId}"` },
      })),
    },
  });

  function read(type: string, id: string, version: string | undefined, params: Params): Said {
    const versions = world().versions(type, id);
    const found = version === undefined ? versions[0] : versions.find(({ meta }) => meta.versionId === version);
    if (found === undefined) return outcome(404, `${type}/${id} of ${base} is not known`);
    const swapped =
      mode === 'swaps-reads' && type !== 'Patient'
        ? (world().current.find((one) => one.resourceType === type && one.id.startsWith('idbravo')) ?? found)
        : found;
    return {
      status: 200,
      body: dress(elementsOf(swapped, params.find(([key]) => key === '_elements')?.[1])),
      headers: { etag: `W/"${found.meta.versionId}"`, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' },
    };
  }

  const capability = (): Said => ({
    status: 200,
    body: {
      resourceType: 'CapabilityStatement',
      status: 'active',
      date: '2026-01-01',
      kind: 'instance',
      implementation: { description: 'hostile', url: base },
      fhirVersion: '4.0.1',
      format: ['json'],
      rest: [
        {
          mode: 'server',
          resource: TYPES.map((type) => ({
            type,
            versioning: 'versioned',
            interaction: ['read', 'vread', 'history-instance', 'history-type', 'search-type'].map((code) => ({ code })),
            searchInclude: ['*'],
            searchRevInclude: ['*'],
            searchParam: [
              ...[
                '_id',
                '_lastUpdated',
                'identifier',
                'code',
                'category',
                '_text',
                '_content',
                '_filter',
                '_list',
                '_has',
              ],
              ...[
                'patient',
                'subject',
                'performer',
                'focus',
                'encounter',
                'target',
                'date',
                'status',
                'author',
                'name',
                'family',
              ],
            ].map((name) => ({ name, type: 'string' })),
          })),
          interaction: ['batch', 'transaction', 'search-system', 'history-system'].map((code) => ({ code })),
        },
      ],
    },
  });

  function answer(method: string, segments: readonly string[], params: Params, query: string, body: string): Said {
    const [first = '', second, third, fourth] = segments;
    if (first === 'metadata') return capability();
    if (first === '') {
      if (method !== 'POST') return search(null, params, query);
      const entries = (JSON.parse(body) as { entry?: { request?: { url?: string } }[] }).entry ?? [];
      return {
        status: 200,
        body: {
          resourceType: 'Bundle',
          type: 'batch-response',
          entry: entries.map(({ request }) => {
            const inner = new URL(`${base}/${request?.url ?? ''}`);
            const parts = segmentsOf(inner.pathname).slice(2);
            return {
              resource: answer('GET', parts, [...inner.searchParams], inner.search, '').body,
              response: { status: '200' },
            };
          }),
        },
      };
    }
    if (first === '_history') return historyOf(world().current);
    if (first === '_search') return search(null, params, query);
    if ([first, third].some((part) => part?.startsWith('$') === true && part !== '$everything' && part !== '$summary'))
      return bundleOf('searchset', world().current);
    const type = typeOf(first);
    if (type === undefined) return outcome(404, `unknown ${first}`);
    if (second === undefined || second === '_search') return search(type, params, query);
    if (second === '_history') return historyOf(world().current.filter(({ resourceType }) => resourceType === type));
    if (second.startsWith('$')) return bundleOf('searchset', world().current);
    if (third === undefined) return read(type, second, undefined, params);
    if (third === '_history')
      return fourth === undefined ? historyOf(world().versions(type, second)) : read(type, second, fourth, params);
    const owned = world().current.filter((one) => matches(world(), one, [['patient', second]]) || one.id === second);
    if (third.startsWith('$') || third === '*') return bundleOf('searchset', owned);
    return search(typeOf(third) ?? third, [...params, ['patient', second]], query);
  }

  function send(res: ServerResponse, said: Said, method: string): void {
    const headers: Record<string, string> = { 'content-type': 'application/fhir+json', ...said.headers };
    let text = JSON.stringify(said.body);
    let { status } = said;
    if (mode === 'leaks-headers')
      Object.assign(headers, {
        etag: 'W/"zqbravo"',
        'x-patient': 'zqbravo',
        'set-cookie': 'patient=zqbravo',
        location: `${base}/Patient/idbravo`,
        'content-location': `${base}/Patient/idbravo`,
        link: `<${base}/Patient/idbravo>; rel="related"`,
        warning: '199 - "zqbravo"',
        'x-powered-by': base,
      });
    if (mode === 'leaks-errors') {
      status = 400;
      text = JSON.stringify(outcome(400, `zqbravo idbravo at ${base}`).body);
    }
    if (mode === 'wrong-type') {
      headers['content-type'] = 'text/html';
      text = `<html>zqbravo idbravo ${base} ${text}</html>`;
    }
    if (mode === 'broken-json') text = `${text.slice(0, -2)} zqbravo`;
    if (mode === 'not-fhir') text = JSON.stringify({ patients: ['zqbravo', 'idbravo'], home: base });
    if (mode === 'huge')
      text = `${text.slice(0, -1)},"extension":[{"url":"urn:x","valueString":"${'zqbravo'.padEnd(HUGE_BYTES, 'x')}"}]}`;
    if (mode === 'redirects') {
      res.writeHead(302, { location: `${foreign}/r4/Patient/idbravo` }).end();
      return;
    }
    res.writeHead(status, headers).end(method === 'HEAD' ? undefined : text);
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { method = '', url = '' } = req;
    heard.push({ method, url, headers: req.headers as Record<string, string>, body });
    const { pathname, searchParams, search: query } = new URL(url, 'http://ehr');
    const isForm = (req.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
    const params: Params = [...searchParams, ...(isForm ? new URLSearchParams(body) : [])];
    const segments = segmentsOf(pathname);
    const [, , ...rest] = segments;
    const isMetadata = rest[0] === 'metadata';
    if (mode === 'slow' && !isMetadata) await pause(SLOW_MS);
    if (segments[0] !== HOST_MARKER) {
      send(res, outcome(404, 'no such base'), method);
      return;
    }
    const said = answer(method, rest, params, `${query}&${body}`, body);
    if (isMetadata || isPlainLookup(rest, params)) {
      res.writeHead(said.status, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(said.body));
      return;
    }
    send(res, said, method);
  }

  /** The gateway's own questions are answered soundly, whatever the mode but one. */
  const isPlainLookup = (segments: readonly string[], params: Params): boolean =>
    mode !== 'ignores-everything' &&
    segments[0] === 'Patient' &&
    [undefined, '_search'].includes(segments[1]) &&
    params.some(([key]) => key === 'identifier');

  const server = createServer((req, res) => {
    handle(req, res).catch(() => res.writeHead(500).end());
  });
  const stray = createServer((_req, res) => {
    strayed += 1;
    res.writeHead(200, { 'content-type': 'application/fhir+json' });
    res.end(JSON.stringify(honest.current.find(({ id }) => id === 'idbravo')));
  });
  for (const one of [server, stray]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}${BASE_PATH}`;
  foreign = `http://127.0.0.1:${(stray.address() as AddressInfo).port}/${HOST_MARKER}`;

  return {
    base,
    port,
    heard,
    strayed: () => strayed,
    become: (next) => void (mode = next),
    close: async () => {
      for (const one of [server, stray])
        await new Promise<void>((resolve) => {
          one.close(() => resolve());
          one.closeAllConnections();
        });
    },
  };
}
