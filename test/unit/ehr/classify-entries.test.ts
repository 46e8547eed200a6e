import { expect, test } from '@jest/globals';
import type { Asked } from '../../../src/ehr/classify-answer.ts';
import { classifyEntries } from '../../../src/ehr/classify-entries.ts';
import { makeAddressGuard } from '../../../src/ehr/guard-address.ts';

const guard = makeAddressGuard('https://ehr.example.org/fhir');
const NOW = new Date('2026-01-02T03:04:05.000Z');
const PUT: Asked = { method: 'PUT', path: 'Observation/1' };
const POST: Asked = { method: 'POST', path: 'Observation' };
const bundle = (type: string, ...entry: unknown[]): unknown => ({ resourceType: 'Bundle', type, entry });
const done = (status: string, more: object = {}): object => ({ response: { status, ...more } });
const judge = (body: unknown, requests: readonly Asked[] = [PUT, POST]) => classifyEntries(requests, body, guard, NOW);

test('as many good entries as were sent are all good, with what each became', () => {
  const location = 'https://ehr.example.org/fhir/Observation/9/_history/3';
  expect(
    judge(
      bundle(
        'transaction-response',
        done('200 OK', { etag: 'W/"2"' }),
        done('201', { location, lastModified: '2026' }),
      ),
    ),
  ).toEqual({
    kind: 'all-ok',
    entries: [
      { verdict: { kind: 'ok' }, status: 200, located: null, etag: 'W/"2"', lastModified: null, resource: null },
      {
        verdict: { kind: 'ok' },
        status: 201,
        located: { type: 'Observation', id: '9', versionId: '3' },
        etag: null,
        lastModified: '2026',
        resource: null,
      },
    ],
  });
});

test('one entry that failed inside a 200 makes it partial, and each says what to do', () => {
  const outcome = { resourceType: 'OperationOutcome', issue: [{ code: 'conflict' }] };
  const verdict = judge(bundle('transaction-response', done('200'), done('422 Unprocessable', { outcome })));
  expect(verdict).toMatchObject({
    kind: 'partial',
    fault: { code: 'ehr.partial' },
    entries: [{ verdict: { kind: 'ok' } }, { verdict: { kind: 'rejected', fault: { code: 'ehr.rejected' } } }],
  });
});

test('a transaction that was carried out as a batch is read entry by entry', () => {
  const outcome = { resourceType: 'OperationOutcome', issue: [{ code: 'processing' }] };
  const ifMatch: Asked = { ...PUT, ifMatch: 'W/"1"' };
  expect(judge(bundle('batch-response', done('412', { outcome }), done('201')), [ifMatch, POST])).toMatchObject({
    kind: 'partial',
    entries: [{ verdict: { kind: 'conflict', because: 'version' } }, { verdict: { kind: 'ok' } }],
  });
});

test('what the EHR shows of an entry is handed on', () => {
  const shown = { resourceType: 'Observation', id: '9' };
  const answer = bundle('transaction-response', { resource: shown, ...done('201') });
  expect(judge(answer, [POST])).toMatchObject({ entries: [{ resource: shown }] });
});

test('an entry that was throttled can be sent again', () => {
  expect(judge(bundle('batch-response', done('429')), [PUT])).toMatchObject({
    kind: 'partial',
    entries: [{ verdict: { kind: 'retry-later', effect: 'none' } }],
  });
});

test.each<[string, unknown]>([
  ['fewer entries', bundle('transaction-response', done('200'))],
  ['more entries', bundle('transaction-response', done('200'), done('200'), done('200'))],
  ['an entry without a status', bundle('transaction-response', done('200'), {})],
  ['an entry with a status that is none', bundle('transaction-response', done('200'), done('2000'))],
  ['a null for an entry', bundle('transaction-response', done('200'), null)],
  ['a Bundle that was stored instead', bundle('transaction', done('200'), done('200'))],
  ['an OperationOutcome', { resourceType: 'OperationOutcome' }],
  ['no entries at all', { resourceType: 'Bundle', type: 'transaction-response' }],
  ['nothing', null],
])('%s cannot be laid beside what was sent: read back', (_what, body) => {
  expect(judge(body)).toMatchObject({ kind: 'ambiguous', fault: { code: 'ehr.partial' } });
});

test('a location at another host is not believed', () => {
  const location = 'https://evil.example/fhir/Observation/9';
  expect(judge(bundle('transaction-response', done('201', { location })), [POST])).toMatchObject({
    kind: 'all-ok',
    entries: [{ located: null }],
  });
});
