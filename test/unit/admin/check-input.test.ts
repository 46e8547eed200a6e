import { describe, expect, test } from '@jest/globals';
import { Readable } from 'node:stream';
import { CONTRACTS, type RouteId } from '../../../src/admin/index.ts';
import { checkInput } from '../../../src/admin/check-input.ts';
import { silentLog, type Ask } from '../../../src/kernel/index.ts';

function check(id: RouteId, given: { query?: string; params?: Record<string, string>; body?: unknown }) {
  const bytes = given.body === undefined ? [] : [Buffer.from(JSON.stringify(given.body))];
  const request = Object.assign(Readable.from(bytes), {
    url: `/x${given.query ?? ''}`,
    headers: {},
    socket: { writable: true },
  });
  return checkInput(CONTRACTS[id], {
    request,
    params: given.params ?? {},
    requestId: 'req_x',
    log: silentLog,
    setHeader: () => undefined,
  } as unknown as Ask);
}

test('every problem is named at once, each with what is taken', async () => {
  const checked = await check('deliveries.list', { query: '?state=lost&limit=0&stat=x&cursor=%21' });
  expect(checked).toMatchObject({
    ok: false,
    fault: {
      code: 'admin.parameter',
      at: '',
      problems: [
        'This route takes these parameters, each once and without control characters: state, reason, fault, user_id, client_uuid, mrn, data_structure, assigned_to, finding, word, request_id, received_from, received_to, with_total, cursor, limit.',
        expect.stringMatching(/^`state` must be one of received, queued/),
        expect.stringMatching(/^`cursor` must be /),
        '`limit` must be a whole number from 1 to 500.',
      ],
    },
  });
});

test('path and body are told with the query', async () => {
  const checked = await check('patients.connect', {
    params: { mrn: ' 1', data_source: 'a b' },
    query: '?x=1',
    body: { redirect_url: 'ftp://x' },
  });
  expect(checked).toMatchObject({ ok: false, fault: { at: 'mrn', problems: { length: 4 } } });
});

test('what is left out has its standard value, and what is given its type', async () => {
  expect(await check('deliveries.list', { query: '?limit=5' })).toEqual({
    ok: true,
    value: { params: {}, query: { limit: 5, with_total: false }, body: undefined },
  });
  expect(await check('links.import', { query: '?dry_run=true' })).toMatchObject({
    value: { query: { dry_run: true } },
  });
  expect(await check('links.import', {})).toMatchObject({ value: { query: { dry_run: false } } });
});

describe('one parameter may need another', () => {
  test('a launch is of a patient or of an MRN', async () => {
    expect(await check('apps.launch', { body: {} })).toMatchObject({ fault: { at: 'patient' } });
    expect(await check('apps.launch', { body: { patient: '1', mrn: '2' } })).toMatchObject({
      fault: { at: 'patient' },
    });
    expect(await check('apps.launch', { body: { mrn: '2' } })).toMatchObject({ ok: true });
  });
});

test('nothing of what was given is in the answer', async () => {
  const checked = await check('links.put', {
    params: { user_id: 'u' },
    query: '?MarkerPatient=MarkerPatient',
    body: { mrn: 'MarkerPatient ', MarkerPatient: 1 },
  });
  expect(JSON.stringify(checked)).not.toContain('Marker');
});
