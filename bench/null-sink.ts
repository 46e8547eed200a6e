/*
 * An EHR that takes everything and keeps nothing, as fast as one thread of Node can: what limits a gateway before it is
 * then the gateway. It reads of a Bundle only which requests it holds. Prints its port; `/count` tells how many Bundles
 * came.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const TYPES = ['Patient', 'Observation', 'DiagnosticReport', 'Device', 'Specimen', 'DocumentReference', 'Provenance'];
const CAPABILITY = JSON.stringify({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-01-01',
  kind: 'instance',
  fhirVersion: '4.0.1',
  format: ['json'],
  rest: [
    {
      mode: 'server',
      interaction: [{ code: 'transaction' }, { code: 'batch' }],
      resource: TYPES.map((type) => ({
        type,
        interaction: ['read', 'search-type', 'create', 'update'].map((code) => ({ code })),
        versioning: 'versioned',
        updateCreate: true,
        conditionalCreate: true,
        conditionalUpdate: true,
        searchParam: [{ name: 'identifier', type: 'token' }],
      })),
    },
  ],
});

let bundles = 0;
let made = 0;
let last = '';

function answer(res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, {
    'Content-Type': 'application/fhir+json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  res.end(body);
}

/** One active patient for every number that is asked for, and nobody for what a probe asks for. */
function search(type: string, params: URLSearchParams): string {
  const identifier = params.get('identifier') ?? '';
  const [system = '', value = ''] = identifier.split('|');
  const isThere = type === 'Patient' && !system.startsWith('urn:chartgate:');
  return JSON.stringify({
    resourceType: 'Bundle',
    type: 'searchset',
    total: isThere ? 1 : 0,
    link: [{ relation: 'self', url: `${type}?${new URLSearchParams({ identifier }).toString()}` }],
    entry: isThere
      ? [
          {
            resource: { resourceType: 'Patient', id: `p-${value}`, active: true, identifier: [{ system, value }] },
            search: { mode: 'match' },
          },
        ]
      : [],
  });
}

/** The one whom a search for the number in its id finds. */
const patient = (id: string): string =>
  JSON.stringify({
    resourceType: 'Patient',
    id,
    active: true,
    identifier: [{ system: 'urn:example:mrn', value: id.slice(2) }],
  });

const placeOf = (url: string): string => {
  const [path = ''] = url.split('?');
  return path.includes('/') ? path : `${path}/s${(made += 1)}`;
};

function transaction(body: string): string {
  bundles += 1;
  last = body;
  let entries = '';
  for (const [, url = ''] of body.matchAll(/"request":\{"method":"[A-Z]+","url":"([^"]+)"/g))
    entries += `${entries === '' ? '' : ','}{"response":{"status":"201 Created","location":"${placeOf(url)}/_history/1","etag":"W/\\"1\\""}}`;
  return `{"resourceType":"Bundle","type":"transaction-response","entry":[${entries}]}`;
}

function handle(req: IncomingMessage, res: ServerResponse, body: string): void {
  const [path = '', query = ''] = (req.url ?? '').split('?');
  const below = path.replace(/^\/fhir\/?/, '');
  const [type = '', id = ''] = below.split('/');
  const isWrite = req.method === 'PUT' || (req.method === 'POST' && id === '');
  if (path === '/count') answer(res, 200, String(bundles));
  else if (path === '/last') answer(res, 200, last);
  else if (path === '/cpu') answer(res, 200, JSON.stringify(process.cpuUsage()));
  else if (below === 'metadata') answer(res, 200, CAPABILITY);
  else if (below === '') answer(res, 200, transaction(body));
  else if (type === 'Patient' && id.startsWith('p-')) answer(res, 200, patient(id));
  else if (isWrite) answer(res, 201, '', { Location: `${placeOf(below)}/_history/1`, ETag: 'W/"1"' });
  else answer(res, 200, search(type, new URLSearchParams(id === '_search' ? body : query)));
}

const server = createServer((req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => handle(req, res, Buffer.concat(parts).toString('latin1')));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: address !== null && typeof address !== 'string' ? address.port : 0 }));
});
