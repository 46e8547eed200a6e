import { expect, test } from '@jest/globals';
import { isReadRequest, readOnlyEhr, type Ehr, type EhrRequest } from '../../../src/ehr/index.ts';

const requestId = 'req_1';

test.each<readonly [string, Pick<EhrRequest, 'method' | 'path' | 'form' | 'body' | 'query'>]>([
  ['a read', { method: 'GET', path: 'Patient/1' }],
  ['the metadata', { method: 'GET', path: 'metadata' }],
  ['a search', { method: 'GET', path: 'Observation', query: [['code', '1']] }],
  ['a search by POST', { method: 'POST', path: 'Observation/_search', form: [['code', '1']] }],
])('%s passes', (_name, request) => {
  expect(isReadRequest(request)).toBe(true);
});

test.each<readonly [string, Pick<EhrRequest, 'method' | 'path' | 'form' | 'body' | 'query'>]>([
  ['a Bundle', { method: 'POST', path: '', body: '{}' }],
  ['a create', { method: 'POST', path: 'Observation', body: '{}' }],
  ['an update', { method: 'PUT', path: 'Observation/1', body: '{}' }],
  ['a conditional update', { method: 'PUT', path: 'Observation', query: [['identifier', 'a|b']], body: '{}' }],
  ['a removal', { method: 'DELETE', path: 'Observation/1' }],
  ['an operation', { method: 'POST', path: 'Observation/$validate', body: '{}' }],
  ['an operation with a form', { method: 'POST', path: 'Patient/$merge', form: [['a', 'b']] }],
  ['a form to a type', { method: 'POST', path: 'Observation', form: [['a', 'b']] }],
  ['a search of everything, which some servers take for a Bundle', { method: 'POST', path: '_search', form: [] }],
  ['a body to a search', { method: 'POST', path: 'Observation/_search', form: [], body: '{}' }],
  ['a path that only ends so', { method: 'POST', path: 'Patient/1/_search', form: [] }],
  ['a read with a body', { method: 'GET', path: 'Patient/1', body: '{}' }],
])('%s does not', (_name, request) => {
  expect(isReadRequest(request)).toBe(false);
});

test('a read-only view sends no write on, whatever the EHR behind it would do', async () => {
  const sent: string[] = [];
  const ehr = readOnlyEhr({
    send: ({ method }: EhrRequest) => {
      sent.push(method);
      return Promise.resolve({ exchange: null, verdict: { kind: 'ok' } });
    },
    ask: ({ method }: EhrRequest) => {
      sent.push(method);
      return Promise.resolve({ ok: false, fault: { kind: 'gone', code: 'ehr.gone' } });
    },
  } as unknown as Ehr);
  const write = { method: 'PUT', path: 'Patient/1', body: '{}', requestId } as const;
  expect(await ehr.send(write)).toMatchObject({
    exchange: null,
    verdict: { kind: 'rejected', fault: { code: 'ehr.shadow' } },
  });
  expect(await ehr.ask(write)).toMatchObject({ ok: false, fault: { code: 'ehr.shadow' } });
  await ehr.ask({ method: 'GET', path: 'Patient/1', requestId });
  expect(sent).toEqual(['GET']);
});
