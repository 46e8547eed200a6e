import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { foreignEhr, openDirect } from '../../support/foreign-ehr.ts';

/** Two pages of one patient each, for whoever has the credentials. */
let server: Server;
let url = '';
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((req, res) => {
    asked.push(`${req.method ?? ''} ${req.url ?? ''}`);
    const isKnown = req.headers.authorization === 'Bearer of-the-ehr';
    const page = new URL(req.url ?? '', url).searchParams.get('page') ?? '1';
    const next = page === '1' ? [{ relation: 'next', url: `${url}/Patient?page=2` }] : [];
    const entry = [{ resource: { resourceType: 'Patient', id: `p${page}` } }];
    res.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/fhir+json' });
    res.end(JSON.stringify(isKnown ? { resourceType: 'Bundle', type: 'searchset', link: next, entry } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('without EHR_TEST_URL there is no foreign EHR', () => {
  expect([foreignEhr({}), foreignEhr({ EHR_TEST_URL: '' })]).toEqual([null, null]);
});

test('it is told to the gateway as to serve, and nothing else of the environment is', () => {
  const env = {
    EHR_TEST_URL: 'https://ehr.example.org/fhir/',
    CHARTGATE_EHR_AUTH: 'smart-backend',
    CHARTGATE_EHR_PRIVATE_KEY_FILE: 'key.pem',
    CHARTGATE_DIALECT: 'medplum',
    CHARTGATE_EHR_URL: 'https://another.example.org',
    CHARTGATE_DATA_KEY: 'x',
    PATH: 'y',
  };
  expect(foreignEhr(env)).toEqual({
    url: 'https://ehr.example.org/fhir',
    settings: {
      CHARTGATE_EHR_AUTH: 'smart-backend',
      CHARTGATE_EHR_PRIVATE_KEY_FILE: 'key.pem',
      CHARTGATE_DIALECT: 'medplum',
    },
  });
});

test('direct questions carry the credentials, and go on to the last page', async () => {
  const settings = { CHARTGATE_EHR_AUTH: 'bearer', CHARTGATE_EHR_TOKEN: 'of-the-ehr' };
  const direct = openDirect({ url, settings });
  expect((await direct.search('Patient', [['name', 'x']])).map(({ id }) => id)).toEqual(['p1', 'p2']);
  expect(asked[0]).toBe('GET /fhir/Patient?name=x&_count=100');
  await direct.close();
});

test('what is refused is told with its status', async () => {
  const direct = openDirect({ url, settings: {} });
  await expect(direct.search('Patient', [])).rejects.toThrow('GET Patient: 401');
  await direct.close();
});
