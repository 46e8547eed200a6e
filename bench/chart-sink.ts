/*
 * An EHR with one patient and twenty observations, which answers from memory as fast as one thread of Node can. Prints
 * its port.
 */
import { createServer, type ServerResponse } from 'node:http';

const PATIENT = 'p-1';
const ENTRIES = 20;
const TYPES = ['Patient', 'Observation', 'DiagnosticReport', 'Device', 'Provenance'];
const SEARCHES = ['identifier', '_id', 'patient', 'subject', 'code', 'category', 'date', 'status'];

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
      interaction: [{ code: 'transaction' }],
      resource: TYPES.map((type) => ({
        type,
        interaction: ['read', 'vread', 'history-instance', 'search-type', 'create', 'update'].map((code) => ({ code })),
        searchParam: SEARCHES.map((name) => ({ name, type: 'token' })),
      })),
    },
  ],
});

const observation = (n: number): object => ({
  resourceType: 'Observation',
  id: `o-${n}`,
  meta: { versionId: '1', lastUpdated: '2026-11-14T08:00:00.000Z' },
  identifier: [{ system: 'urn:chartgate:measurement', value: `m-${String(n).padStart(60, '0')}` }],
  status: 'final',
  category: [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
  ],
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }], text: 'Heart rate' },
  subject: { reference: `Patient/${PATIENT}` },
  effectiveDateTime: `2026-11-${String((n % 28) + 1).padStart(2, '0')}T08:00:00Z`,
  device: { reference: 'Device/d-1' },
  valueQuantity: { value: 60.5 + n, unit: 'beats/minute', system: 'http://unitsofmeasure.org', code: '/min' },
});

/** What an import of a whole chart leaves: one Provenance about all of it. */
const TARGETS = 471;
const provenance = {
  resourceType: 'Provenance',
  id: 'import',
  meta: { versionId: '1' },
  target: Array.from({ length: TARGETS }, (_, n) => ({ reference: `Observation/o-${n}` })),
  recorded: '2026-11-14T08:00:00Z',
  agent: [{ who: { reference: 'Organization/1' } }],
};

const MRN = { system: 'urn:example:mrn', value: 'mrn-1' };
const patient = { resourceType: 'Patient', id: PATIENT, active: true, identifier: [MRN], meta: { versionId: '1' } };
const ONE = JSON.stringify(observation(1));

/** Made once the port is known, since a server names itself in what it answers. */
function makeSearches(base: string): {
  readonly observations: string;
  readonly told: string;
  readonly patients: string;
} {
  const bundle = (type: string, resources: readonly object[]): string =>
    JSON.stringify({
      resourceType: 'Bundle',
      type: 'searchset',
      total: resources.length,
      link: [{ relation: 'self', url: `${base}/${type}?patient=${PATIENT}` }],
      entry: resources.map((resource) => ({
        fullUrl: `${base}/${type}/${(resource as { id: string }).id}`,
        resource,
        search: { mode: resource === provenance ? 'include' : 'match' },
      })),
    });
  const observations = Array.from({ length: ENTRIES }, (_, n) => observation(n));
  return {
    observations: bundle('Observation', observations),
    told: bundle('Observation', [...observations, provenance]),
    patients: bundle('Patient', [patient]),
  };
}

function answer(res: ServerResponse, body: string): void {
  res.writeHead(200, {
    'Content-Type': 'application/fhir+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ETag: 'W/"1"',
  });
  res.end(body);
}

let searches = { observations: '', told: '', patients: '' };

/** What a probe asks for is not there. */
const noBody = JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0, entry: [] });

const server = createServer((req, res) => {
  let body = '';
  req.setEncoding('latin1');
  req.on('data', (part: string) => (body += part));
  req.on('end', () => {
    const [path = '', query = ''] = (req.url ?? '').split('?');
    const [type = '', id = ''] = path.replace(/^\/fhir\/?/, '').split('/');
    const asked = `${query}&${body}`;
    if (path === '/cpu') answer(res, JSON.stringify(process.cpuUsage()));
    else if (type === 'metadata') answer(res, CAPABILITY);
    else if (asked.includes('urn%3Achartgate%3A')) answer(res, noBody);
    else if (id !== '' && id !== '_search') answer(res, type === 'Patient' ? JSON.stringify(patient) : ONE);
    else if (type === 'Patient') answer(res, searches.patients);
    else answer(res, asked.includes('_revinclude') ? searches.told : searches.observations);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  searches = makeSearches(`http://127.0.0.1:${port}/fhir`);
  console.log(JSON.stringify({ port }));
});
