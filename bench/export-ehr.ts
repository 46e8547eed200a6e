/*
 * An EHR of many patients with the same number of Observations each, in pages of 200 that lead on: `export-ehr.ts N`.
 * Answers are written from one page, with the patient's id put in.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { observation, patient } from './export-ehr-records.ts';
import { PAGE } from './export-world.ts';

const pages = Number(process.argv[2] ?? '5');
const NAME = /p-\d{6}/g;

const bundle = (entry: readonly object[], next: string | null): string =>
  JSON.stringify({
    resourceType: 'Bundle',
    type: 'searchset',
    link: next === null ? [] : [{ relation: 'next', url: next }],
    entry: entry.map((resource) => ({ resource, search: { mode: 'match' } })),
  });

const statement = JSON.stringify({
  resourceType: 'CapabilityStatement',
  status: 'active',
  kind: 'instance',
  fhirVersion: '4.0.1',
  format: ['json'],
  rest: [
    {
      mode: 'server',
      resource: ['Patient', 'Observation'].map((type) => ({
        type,
        interaction: [{ code: 'read' }, { code: 'search-type' }],
        searchParam: ['_id', 'identifier', 'patient'].map((name) => ({ name, type: 'token' })),
      })),
    },
  ],
});

let base = '';
const page = Array.from({ length: PAGE }, (_, n) => observation('p-000000', `p-000000-PAGE-${n}`, n));
const made = new Map<number, string>();
/** A page of the patient `p-000000`, with the address of the next one. */
function pageOf(n: number): string {
  const known = made.get(n);
  if (known !== undefined) return known;
  const next = n + 1 < pages ? `${base}/Observation?patient=p-000000&page=${n + 1}` : null;
  const text = bundle(page, next).replaceAll('PAGE', String(n));
  made.set(n, text);
  return text;
}

const server = createServer((req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://ehr');
    const asked = new URLSearchParams([...searchParams, ...new URLSearchParams(Buffer.concat(parts).toString())]);
    const send = (text: string): void => {
      res.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Length': Buffer.byteLength(text) });
      res.end(text);
    };
    if (pathname === '/cpu') send(JSON.stringify(process.cpuUsage()));
    else if (pathname === '/fhir/metadata') send(statement);
    else if (pathname.startsWith('/fhir/Observation'))
      send(pageOf(Number(asked.get('page') ?? '0')).replaceAll('p-000000', asked.get('patient') ?? ''));
    else if (/^\/fhir\/Patient(\/_search)?$/.test(pathname))
      send(bundle((asked.get('identifier') ?? '').match(NAME)?.map(patient) ?? [], null));
    else if (pathname.startsWith('/fhir/Patient/')) send(JSON.stringify(patient(pathname.slice(14))));
    else res.writeHead(404).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  base = `http://localhost:${port}/fhir`;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
