import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { aClinicalReady, aStepsEvent, CLIENT } from '../../support/payloads/index.ts';
import { startHookGateway, type HookGateway } from './hook-gateway.ts';

let hooks: HookGateway;
const ids: string[] = [];
beforeAll(async () => {
  hooks = await startHookGateway();
  for (let n = 0; n < 3; n += 1) ids.push((await hooks.deliver(aStepsEvent({ userId: `user-${n % 2}-${n}` }))).id);
  ids.push((await hooks.deliver('no JSON')).id);
});
afterAll(() => hooks.stop());

interface Group {
  readonly state: string;
  readonly reason: string;
  readonly deliveries: { readonly count: number; readonly isExact: boolean };
  readonly examples: readonly string[];
}
interface Job {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
}
const PARKED = { state: 'parked', reason: 'unlinked' };
const preview = async (body: object) => (await hooks.admin('post', 'jobs/preview', body)).body as { id: string };
const ended = (id: string): Promise<Job> =>
  eventually(
    async () => (await hooks.admin('get', `jobs/${id}`)).body as Job,
    ({ state }) => state !== 'running',
  );
const problemOf = (answer: { status: number; body: unknown }): unknown => {
  const { code, at, count } = answer.body as { code?: string; at?: string; count?: number };
  return [answer.status, code, at, count];
};

test('what waits is grouped', async () => {
  const { groups } = (await hooks.admin('get', 'deliveries/groups')).body as { groups: readonly Group[] };
  expect(groups.map(({ state, reason, deliveries, examples }) => [state, reason, deliveries, examples.length])).toEqual(
    [
      ['parked', 'unlinked', { count: 3, isExact: true }, 3],
      ['quarantined', 'not-json', { count: 1, isExact: true }, 1],
    ],
  );
});

test('a bulk act is previewed, confirmed, carried out and listed', async () => {
  const shown = await preview({ act: 'replay', filter: PARKED });
  expect(shown).toMatchObject({ act: 'replay', deliveries: { count: 3, isExact: true }, patients: 3, ofNobody: 0 });
  const late = await hooks.deliver(aStepsEvent({ userId: 'late' }));
  const started = await hooks.admin('post', 'jobs', { preview: shown.id, confirm: 3 });
  expect([started.status, started.body]).toMatchObject([201, { total: 3, startedBy: 'operator', filter: PARKED }]);
  expect(await ended((started.body as Job).id)).toMatchObject({ state: 'done', total: 3, done: 3, skipped: 0 });
  // Judged again and parked again; the one that came later was left alone.
  for (const id of ids.slice(0, 3)) expect((await hooks.settled(id)).steps).toHaveLength(4);
  expect((await hooks.read(late.id)).steps).toHaveLength(2);
  expect(problemOf(await hooks.admin('post', `jobs/${shown.id}/stop`))).toMatchObject([409, 'job.state']);
  const discard = await preview({ act: 'discard', filter: { state: 'quarantined' }, reason: 'Sent by mistake' });
  expect(discard).toMatchObject({ patients: 0, ofNobody: 1 });
  const other = (await hooks.admin('post', 'jobs', { preview: discard.id, confirm: 1 })).body as Job;
  expect(await ended(other.id)).toMatchObject({ state: 'done', reason: 'Sent by mistake' });
  expect((await hooks.read(ids[3] ?? '')).state).toBe('discarded');
  const first = (await hooks.admin('get', 'jobs?limit=1')).body as { jobs: Job[]; next: string };
  const second = (await hooks.admin('get', `jobs?limit=1&cursor=${first.next}`)).body as typeof first;
  expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual([other.id, shown.id]);
  expect(second.next).toBeNull();
  expect((await hooks.ledger()).addsUp).toBe(true);
});

test('nothing is started that was not shown, or that was counted otherwise', async () => {
  const { id } = await preview({ act: 'replay', filter: PARKED });
  expect(problemOf(await hooks.admin('post', 'jobs', { preview: id, confirm: 7 }))).toEqual([
    409,
    'job.unconfirmed',
    undefined,
    4,
  ]);
  expect(problemOf(await hooks.admin('post', 'jobs', { preview: 'job_none', confirm: 1 }))).toMatchObject([
    404,
    'job.not-found',
  ]);
  expect(await preview({ act: 'replay', filter: { ...PARKED, fault: 'patient.none' } })).toMatchObject({
    id: null,
    deliveries: { count: 0, isExact: true },
  });
});

test.each<[object, string]>([
  [{ act: 'delete', filter: PARKED }, 'act'],
  [{ act: 'replay', filter: { state: 'delivered' } }, 'filter'],
  [{ act: 'replay', filter: { ...PARKED, colour: 'red' } }, 'filter'],
  [{ act: 'replay', filter: { ...PARKED, fault: 'no.such' } }, 'filter'],
  [{ act: 'replay', filter: { ...PARKED, received_from: 'yesterday' } }, 'filter'],
  [{ act: 'discard', filter: PARKED }, 'reason'],
  [{ act: 'replay', filter: PARKED, reason: 'for fun' }, 'reason'],
])('%j is refused, and what is wrong is named', async (body, at) => {
  expect(problemOf(await hooks.admin('post', 'jobs/preview', body))).toMatchObject([400, 'admin.parameter', at]);
});

test('a job can be about one structure alone', async () => {
  const { id } = await hooks.deliver(aClinicalReady({ bundleId: 'odd' }));
  const shown = await preview({
    act: 'discard',
    filter: { ...PARKED, data_structure: 'clinical_ready' },
    reason: 'odd',
  });
  expect(shown).toMatchObject({ deliveries: { count: 1 } });
  await ended(((await hooks.admin('post', 'jobs', { preview: shown.id, confirm: 1 })).body as Job).id);
  expect((await hooks.read(id)).state).toBe('discarded');
});

test('a job can be about one user alone, by id or handle, and does not keep who', async () => {
  const { id: mine } = await hooks.deliver(aStepsEvent({ userId: 'only-me' }));
  const made = (await hooks.admin('post', 'handles', { users: ['only-me'] })).body as { users: string[] };
  for (const userId of ['only-me', made.users[0]])
    expect(
      await preview({ act: 'discard', filter: { ...PARKED, user_id: userId, client_uuid: CLIENT }, reason: 'odd' }),
    ).toMatchObject({ deliveries: { count: 1 }, patients: 1 });
  const { id } = await preview({
    act: 'discard',
    filter: { ...PARKED, user_id: 'only-me', client_uuid: CLIENT },
    reason: 'odd',
  });
  const job = await ended(((await hooks.admin('post', 'jobs', { preview: id, confirm: 1 })).body as Job).id);
  expect(job).toMatchObject({ state: 'done', done: 1, filter: { ...PARKED, of_one: 'user' } });
  expect(JSON.stringify(job)).not.toContain('only-me');
  expect((await hooks.read(mine)).state).toBe('discarded');
  expect(await preview({ act: 'replay', filter: { ...PARKED, mrn: 'MRN-of-nobody' } })).toMatchObject({
    id: null,
    deliveries: { count: 0, isExact: true },
  });
});

test.each<object>([
  { user_id: 'only-me', client_uuid: CLIENT, mrn: '1' },
  { client_uuid: CLIENT },
  { word: 'glucose' },
])('a filter with %j is refused', async (more) => {
  const body = { act: 'replay', filter: { ...PARKED, ...more } };
  expect(problemOf(await hooks.admin('post', 'jobs/preview', body))).toMatchObject([400, 'admin.parameter', 'filter']);
});
