import { expect, test } from '@jest/globals';
import { fail, fault, ok } from '../../../src/kernel/index.ts';
import type { Answered, Ehr, EhrRequest } from '../../../src/ehr/index.ts';
import { askInTransaction, readCapabilityStatement, readResource, searchType } from '../../../src/ehr/fhir-client.ts';

const ANSWER: Answered = {
  kind: 'answered',
  status: 200,
  headers: {},
  body: { kind: 'json', value: { resourceType: 'Basic' } },
  bytes: new Uint8Array(),
};

/** An EHR that answers everything alike, and what it was asked. */
function anEhr(answer: Awaited<ReturnType<Ehr['ask']>> = ok(ANSWER)) {
  const asked: EhrRequest[] = [];
  const ehr = {
    guard: { base: 'https://ehr.example.org/fhir' },
    ask: (request: EhrRequest) => {
      asked.push(request);
      return Promise.resolve(answer);
    },
  } as unknown as Ehr;
  return { ehr, asked };
}

const signal = new AbortController().signal;
const by = { requestId: 'req_1', traceId: 'f'.repeat(32), signal };

test.each<[string, (ehr: Ehr) => Promise<unknown>, Partial<EhrRequest>]>([
  ['the capability statement', (ehr) => readCapabilityStatement(ehr, by), { method: 'GET', path: 'metadata' }],
  ['a read', (ehr) => readResource(ehr, 'Patient', 'a-1', by), { method: 'GET', path: 'Patient/a-1' }],
  [
    'a search by POST',
    (ehr) => searchType(ehr, 'Patient', [['identifier', 'urn:x|a+b &=é\\,']], { by: 'post', handling: 'strict' }, by),
    {
      method: 'POST',
      path: 'Patient/_search',
      prefer: 'handling=strict',
      form: [['identifier', 'urn:x|a+b &=é\\,']],
    },
  ],
  [
    'a search by GET, with a name that comes twice',
    (ehr) =>
      searchType(
        ehr,
        'Observation',
        [
          ['date', 'ge2026'],
          ['code', 'a?b'],
          ['date', 'lt2027'],
        ],
        { by: 'get' },
        by,
      ),
    {
      method: 'GET',
      path: 'Observation',
      query: [
        ['date', 'ge2026'],
        ['date', 'lt2027'],
        ['code', 'a?b'],
      ],
    },
  ],
  [
    'a transaction',
    (ehr) => askInTransaction(ehr, [{ request: { method: 'GET', url: 'Patient?_id=x' } }], by),
    {
      method: 'POST',
      path: '',
      prefer: 'return=minimal',
      body: '{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"GET","url":"Patient?_id=x"}}]}',
    },
  ],
])('%s is formed by the library and carried by us', async (_name, act, expected) => {
  const { ehr, asked } = anEhr();
  expect(await act(ehr)).toEqual(ok(ANSWER));
  expect(asked).toEqual([{ ...expected, ...by }]);
});

test('a fault comes back as the value that it is', async () => {
  const refused = fail(fault('ehr.not-found'));
  expect(await readResource(anEhr(refused).ehr, 'Patient', '1', by)).toBe(refused);
});
