import { expect, test } from '@jest/globals';
import {
  MRN,
  aBundle,
  aPatient,
  aUrn,
  anEntry,
  anObservation,
  entriesOf,
  freshEhr,
  statusesOf,
  writeOf,
  type Entry,
} from './support.ts';

const server = freshEhr();
const { ask } = server;
const writes = () => server.ehr().log.writes();
const batch = (...entry: Entry[]) => ask('POST', '', { body: aBundle('batch', entry) });
const put = (id: string, value: string) => ask('PUT', `Patient/${id}`, { body: aPatient(value, { id }) });

test('each entry is answered for itself, in the order of the request', async () => {
  await put('a', 'x');
  await put('b', 'twin');
  await put('c', 'twin');
  const { status, body } = await batch(
    anEntry('GET', 'Patient/a'),
    anEntry('GET', 'Patient/nobody'),
    anEntry('PUT', 'Patient/a', { resource: aPatient('y', { id: 'a' }), when: { ifMatch: 'W/"7"' } }),
    anEntry('PUT', 'Patient/n', { resource: aPatient('n', { id: 'n' }) }),
    anEntry('POST', 'Patient', { resource: anObservation('wrong') }),
    anEntry('POST', 'Patient', { resource: aPatient('x'), when: { ifNoneExist: `identifier=${MRN}|x` } }),
    anEntry('POST', 'Patient', { resource: aPatient('twin'), when: { ifNoneExist: `identifier=${MRN}|twin` } }),
    anEntry('POST', 'Starship', { resource: { resourceType: 'Starship' } }),
    anEntry('DELETE', 'Patient/b'),
    anEntry('GET', 'Patient?_id=a'),
  );
  expect([status, body.resourceType, body.type]).toEqual([200, 'Bundle', 'batch-response']);
  expect(statusesOf(body)).toEqual(['200', '404', '412', '201', '400', '200', '412', '404', '204', '200']);
  expect(entriesOf(body).map((entry) => entry.response?.outcome?.resourceType)).toEqual(
    [false, true, true, false, true, false, true, true, false, false].map((failed) =>
      failed ? 'OperationOutcome' : undefined,
    ),
  );
  expect(body.entry?.[0]?.resource?.id).toBe('a');
  expect(body.entry?.[9]?.resource?.type).toBe('searchset');
  expect(writes().slice(3).map(writeOf).sort()).toEqual(['create Patient/n 1', 'delete Patient/b 2']);
});

test('an entry that cannot be done does not fail the others', async () => {
  const { status, body } = await batch(
    anEntry('POST', 'Patient'),
    anEntry('GET', 'Patient?birthdate=yesterday'),
    anEntry('GET', 'Starship/1'),
    anEntry('POST', 'Patient', { resource: aPatient('x') }),
  );
  expect([status, statusesOf(body)]).toEqual([200, ['400', '400', '404', '201']]);
});

test('created entries tell their places and versions', async () => {
  const { body } = await batch(anEntry('POST', 'Patient', { fullUrl: aUrn(1), resource: aPatient('x') }));
  const response = body.entry?.[0]?.response;
  expect(response?.location).toMatch(/Patient\/[^/]+\/_history\/1$/);
  expect(response?.etag).toBe('W/"1"');
});

test('an empty batch is an empty answer', async () => {
  const { status, body } = await ask('POST', '', { body: { resourceType: 'Bundle', type: 'batch' } });
  expect([status, body.type, 'entry' in body]).toEqual([200, 'batch-response', false]);
});
