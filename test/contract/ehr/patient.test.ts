import { describe, expect, test } from '@jest/globals';
import { makeResolvePatient, type ResolvePatient, type SearchBy } from '../../../src/ehr/index.ts';
import { freshEhr, MRN } from '../../../sandbox/test/ehr/support.ts';
import { anEhr, anOddServer, answerJson } from './support.ts';

const { ehr: demo } = freshEhr();

function resolver(
  more: { mode?: 'lookup' | 'create'; by?: SearchBy | 'unknown'; mayCreate?: 'conditional' | 'no'; url?: string } = {},
): ResolvePatient {
  return makeResolvePatient({
    ehr: anEhr(more.url ?? demo().url),
    mode: more.mode ?? 'lookup',
    searchBy: () => more.by ?? 'post',
    mayCreate: () => more.mayCreate ?? 'conditional',
  });
}
const ask = (mrn: string, more: Parameters<typeof resolver>[0] = {}) =>
  resolver(more)({ mrnSystem: MRN, mrn, requestId: 'att_1' });

const put = (id: string, mrn: string | null, more: Record<string, unknown> = {}): void =>
  demo().put({
    resourceType: 'Patient',
    id,
    ...(mrn === null ? {} : { identifier: [{ system: MRN, value: mrn }] }),
    ...more,
  });
const mergedInto = (reference: string): Record<string, unknown> => ({
  active: false,
  link: [{ type: 'replaced-by', other: { reference } }],
});
const writes = (): string[] =>
  demo()
    .log.writes(0)
    .filter(({ requestId }) => requestId !== 'a-person')
    .map(({ kind, type }) => `${kind} ${type}`);
const asked = (): string[] =>
  demo()
    .log.requests()
    .map(({ method, path }) => `${method} ${path}`);

describe('lookup', () => {
  test('finds the one, by POST and with nothing of the MRN in an address', async () => {
    put('a', 'M1');
    put('b', 'M2');
    expect(await ask('M1')).toEqual({ ok: true, value: { reference: 'Patient/a', via: [] } });
    expect(asked()).toEqual(['POST /fhir/Patient/_search']);
  });

  test.each([',', '|', '$', '\\', 'a,b|c$d\\e', 'ü', ' x', '%2C', '"', "'"])(
    'finds an MRN with %j in it, and only that',
    async (part) => {
      put('a', `M${part}1`);
      put('b', 'M');
      put('c', '1');
      for (const by of ['post', 'get'] as const)
        expect(await ask(`M${part}1`, { by })).toEqual({ ok: true, value: { reference: 'Patient/a', via: [] } });
    },
  );

  test.each<[string, () => void, string]>([
    ['nobody', () => undefined, 'patient.none'],
    ['two', () => ['a', 'b'].forEach((id) => put(id, 'M1')), 'patient.many'],
    ['more than a page', () => void Array.from({ length: 25 }, (_, i) => put(`p${i}`, 'M1')), 'patient.many'],
    ['one who is not active', () => put('a', 'M1', { active: false }), 'patient.inactive'],
  ])('%s is a fault, and nothing is written', async (_what, prepare, code) => {
    prepare();
    expect(await ask('M1')).toMatchObject({ ok: false, fault: { code } });
    expect(writes()).toEqual([]);
  });

  test('a server that ignores the parameter cannot make us take a stranger', async () => {
    put('stranger', 'M2');
    demo().board.setTraits({ ignoreParams: ['identifier'] });
    expect(await ask('M1')).toMatchObject({ ok: false, fault: { code: 'patient.unverified' } });
  });

  test('before a probe POST is tried, then GET; after it only the way that was seen to work', async () => {
    put('a', 'M1');
    demo().board.setRules([{ method: 'POST', status: 405 }]);
    expect(await ask('M1', { by: 'unknown' })).toMatchObject({ ok: true });
    expect(await ask('M1', { by: 'post' })).toMatchObject({ ok: false, fault: { code: 'ehr.rejected' } });
  });

  test('an outage is an outage and no missing patient', async () => {
    demo().board.setRules([{ status: 503 }]);
    expect(await ask('M1')).toMatchObject({ ok: false, fault: { code: 'ehr.busy' } });
  });
});

describe('merged patients', () => {
  test('are followed to who stands at the end, and the way is told', async () => {
    put('a', 'M1', mergedInto('Patient/b'));
    put('b', 'M2', mergedInto(`${demo().url}/Patient/c`));
    put('c', 'M3');
    expect(await ask('M1')).toEqual({ ok: true, value: { reference: 'Patient/c', via: ['Patient/a', 'Patient/b'] } });
  });

  test.each<[string, () => void, string]>([
    [
      'a circle',
      () => {
        put('a', 'M1', mergedInto('Patient/b'));
        put('b', null, mergedInto('Patient/a'));
      },
      'patient.merged',
    ],
    ['themselves', () => put('a', 'M1', mergedInto('Patient/a')), 'patient.merged'],
    ['nobody who is there', () => put('a', 'M1', mergedInto('Patient/z')), 'patient.merged'],
    ['another server', () => put('a', 'M1', mergedInto('https://evil.example/fhir/Patient/b')), 'patient.merged'],
    [
      'one who is not active',
      () => {
        put('a', 'M1', mergedInto('Patient/b'));
        put('b', null, { active: false });
      },
      'patient.inactive',
    ],
    [
      'a chain without end',
      () =>
        void Array.from({ length: 9 }, (_, i) => put(`p${i}`, i === 0 ? 'M1' : null, mergedInto(`Patient/p${i + 1}`))),
      'patient.merged',
    ],
  ])('into %s are a fault', async (_what, prepare, code) => {
    prepare();
    expect(await ask('M1')).toMatchObject({ ok: false, fault: { code } });
    expect(asked().length).toBeLessThan(8);
  });

  test('a circle is noticed when it closes, not when patience ends', async () => {
    put('a', 'M1', mergedInto('Patient/b'));
    put('b', null, mergedInto('Patient/a'));
    await ask('M1');
    expect(asked()).toEqual(['POST /fhir/Patient/_search', 'GET /fhir/Patient/b']);
  });

  test('a survivor that answers as somebody else is not taken', async () => {
    const server = await anOddServer((heard, res) =>
      heard.method === 'POST'
        ? answerJson(res, 200, {
            resourceType: 'Bundle',
            type: 'searchset',
            entry: [
              {
                resource: {
                  resourceType: 'Patient',
                  id: 'a',
                  identifier: [{ system: MRN, value: 'M1' }],
                  ...mergedInto('Patient/b'),
                },
              },
            ],
          })
        : answerJson(res, 200, { resourceType: 'Patient', id: 'stranger' }),
    );
    expect(await ask('M1', { url: server.base })).toMatchObject({ ok: false, fault: { code: 'patient.unverified' } });
  });
});

describe('create', () => {
  test('makes a patient who is not there, with the MRN and nothing else, and finds it then', async () => {
    const resolved = await ask('M,1', { mode: 'create' });
    const [write] = demo().log.writes(0);
    expect(resolved).toEqual({ ok: true, value: { reference: `Patient/${write?.id ?? ''}`, via: [] } });
    const { meta: _meta, id: _id, ...stored } = JSON.parse(write?.json ?? '{}') as Record<string, unknown>;
    expect(stored).toEqual({
      resourceType: 'Patient',
      identifier: [
        {
          type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
          system: MRN,
          value: 'M,1',
        },
      ],
    });
  });

  test('ten at once make one', async () => {
    const resolve = resolver({ mode: 'create' });
    const all = await Promise.all(
      Array.from({ length: 10 }, () => resolve({ mrnSystem: MRN, mrn: 'M1', requestId: 'r' })),
    );
    expect(new Set(all.map((one) => (one.ok ? one.value.reference : one.fault.code))).size).toBe(1);
    expect(writes()).toEqual(['create Patient']);
  });

  test('of one who is there writes nothing, also not to one who is not active', async () => {
    put('a', 'M1');
    put('b', 'M2', { active: false });
    expect(await ask('M1', { mode: 'create' })).toMatchObject({ ok: true });
    expect(await ask('M2', { mode: 'create' })).toMatchObject({ ok: false, fault: { code: 'patient.inactive' } });
    expect(writes()).toEqual([]);
  });

  test('is not done where the plan does not allow it', async () => {
    expect(await ask('M1', { mode: 'create', mayCreate: 'no' })).toMatchObject({
      ok: false,
      fault: { code: 'patient.not-created' },
    });
    expect(writes()).toEqual([]);
  });

  test('whose answer was lost is found by looking, not by creating again', async () => {
    demo().board.setRules([{ method: 'POST', path: '/Patient', drop: 'after-commit', after: 1, times: 1 }]);
    expect(await ask('M1', { mode: 'create' })).toMatchObject({ ok: true });
    expect(writes()).toEqual(['create Patient']);
  });

  test.each([
    [422, 'patient.not-created'],
    [503, 'ehr.busy'],
    [401, 'ehr.unauthorized'],
  ])('that is answered by %d is %s', async (status, code) => {
    demo().board.setRules([{ method: 'POST', status, after: 1 }]);
    expect(await ask('M1', { mode: 'create' })).toMatchObject({ ok: false, fault: { code } });
  });
});
