import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  OTHER_CLIENT,
  OTHER_USER,
  USER,
  aClinicalReady,
  aNotification,
  aStepsEvent,
  anAlertSummary,
  envelopeOf,
} from '../../support/payloads/index.ts';
import { outcome, startHookGateway, type Delivery, type HookGateway } from './hook-gateway.ts';

let hooks: HookGateway;
const sent: Delivery[] = [];

beforeAll(async () => {
  hooks = await startHookGateway();
  const values: unknown[] = [
    ...Array.from({ length: 7 }, (_, n) => aClinicalReady({ bundleId: `b${n}`, observations: 2 })),
    ...Array.from({ length: 3 }, (_, n) => anAlertSummary({ day: `2026-09-0${n + 1}`, userId: OTHER_USER })),
    envelopeOf('activity_summary', 2, {}),
    aClinicalReady({ clientUuid: OTHER_CLIENT }),
    aStepsEvent({ userId: '' }),
    'no JSON',
    'no JSON',
  ];
  for (const value of values) sent.push(await hooks.deliver(value));
  sent.push(await hooks.notify(aNotification()));
});
afterAll(() => hooks.stop());

interface Page {
  readonly deliveries: readonly Delivery[];
  readonly next: string | null;
}
async function listAll(query: string, limit: number): Promise<readonly string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null && pages.length < 50;) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = (await hooks.admin('get', `deliveries?limit=${limit}${query}${from}`)).body as Page;
    pages.push(page.deliveries.map(({ id }) => id));
    cursor = page.next;
  }
  return pages;
}
const idsOf = (wanted: (one: Delivery) => boolean): string[] =>
  sent
    .filter(wanted)
    .map(({ id }) => id)
    .reverse();
const problemOf = (answer: { status: number; body: unknown }): unknown => {
  const { code, at } = answer.body as { code?: string; at?: string };
  return [answer.status, code, at];
};

describe('the list of deliveries', () => {
  test.each([1, 2, 3, 5, 15, 16, 17, 500])(
    'in pages of %i shows every delivery exactly once, newest first',
    async (limit) => {
      const pages = await listAll('', limit);
      expect(pages.flat()).toEqual(idsOf(() => true));
      expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
    },
  );

  test('keeps its place when deliveries arrive between two pages', async () => {
    const own = await startHookGateway();
    try {
      const ids: string[] = [];
      for (let n = 0; n < 4; n += 1) ids.push((await own.deliver(envelopeOf(`one-${n}`, 1, {}))).id);
      const first = (await own.admin('get', 'deliveries?limit=2')).body as Page;
      await own.deliver(envelopeOf('late', 1, {}));
      const second = (await own.admin('get', `deliveries?limit=2&cursor=${first.next ?? ''}`)).body as Page;
      expect([...first.deliveries, ...second.deliveries].map(({ id }) => id)).toEqual(ids.reverse());
    } finally {
      await own.stop();
    }
  });

  test.each<[string, (one: Delivery) => boolean]>([
    ['state=parked', ({ state }) => state === 'parked'],
    ['state=quarantined', ({ state }) => state === 'quarantined'],
    ['state=duplicate', ({ state }) => state === 'duplicate'],
    ['state=sending', () => false],
    ['reason=unmapped', ({ reason }) => reason === 'unmapped'],
    ['state=quarantined&reason=foreign-client', ({ reason }) => reason === 'foreign-client'],
    ['state=parked&reason=foreign-client', () => false],
    ['data_structure=alert_summary', ({ dataStructure }) => dataStructure === 'alert_summary'],
    ['data_structure=notification', ({ hook }) => hook === 'notification'],
    [`user_id=${OTHER_USER}`, ({ userId }) => userId === OTHER_USER],
    [
      `user_id=${USER}&data_structure=clinical_ready&state=parked`,
      ({ userId, dataStructure, state }) => userId === USER && dataStructure === 'clinical_ready' && state === 'parked',
    ],
    [`user_id=${USER}&client_uuid=${OTHER_CLIENT}`, ({ reason }) => reason === 'foreign-client'],
    ['user_id=nobody', () => false],
  ])('with %s shows exactly those, in any size of page', async (query, wanted) => {
    const expected = idsOf(wanted);
    expect((await listAll(`&${query}`, 2)).flat()).toEqual(expected);
    expect((await listAll(`&${query}`, 500)).flat()).toEqual(expected);
  });

  test.each([
    ['state=lost', 'state'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=two', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['state=parked&state=quarantined', 'state'],
    ['sort=asc', ''],
  ])('refuses %s', async (query, at) => {
    expect(problemOf(await hooks.admin('get', `deliveries?${query}`))).toEqual([400, 'admin.parameter', at]);
  });
});

test('the ledger holds exactly what was sent', async () => {
  expect(await hooks.ledger()).toEqual({
    tenant: 'default',
    acknowledged: 16,
    byState: {
      received: 0,
      queued: 0,
      sending: 0,
      unknown: 0,
      delivered: 1,
      superseded: 0,
      duplicate: 1,
      parked: 11,
      quarantined: 3,
      discarded: 0,
    },
    addsUp: true,
  });
});

describe('replay', () => {
  const stepsOf = ({ steps }: Delivery): unknown =>
    steps.map(({ from, to, reason, actor }) => [from, to, reason, actor]);

  test('looks at the stored bytes again, and is in the timeline', async () => {
    const { id } = await hooks.deliver(aClinicalReady({ bundleId: 'replayed' }));
    const answer = await hooks.admin('post', `deliveries/${id}/replay`);
    expect([answer.status, answer.body]).toEqual([200, { id, undecided: false }]);
    expect(stepsOf(await hooks.settled(id))).toEqual([
      [null, 'received', null, 'source'],
      ['received', 'parked', 'unlinked', 'gateway'],
      ['parked', 'received', 'replay', 'operator'],
      ['received', 'parked', 'unlinked', 'gateway'],
    ]);
  });

  test('of a quarantined delivery comes to the same judgement', async () => {
    const { id } = await hooks.deliver('{"still": "wrong"}');
    await hooks.admin('post', `deliveries/${id}/replay`);
    expect(outcome(await hooks.settled(id))).toEqual(['quarantined', 'shape']);
  });

  test('of a version conflict stays a conflict', async () => {
    await hooks.deliver(aClinicalReady({ bundleId: 'clash' }));
    const { id } = await hooks.deliver(aClinicalReady({ bundleId: 'clash', values: { weight: 1 } }));
    await hooks.admin('post', `deliveries/${id}/replay`);
    expect(outcome(await hooks.settled(id))).toEqual(['quarantined', 'version-conflict']);
  });

  test('of many takes those of the state and reason, and no others', async () => {
    const count = (await listAll('&state=quarantined&reason=foreign-client', 500)).flat().length;
    const answer = await hooks.admin('post', 'replay?state=quarantined&reason=foreign-client');
    expect([answer.status, answer.body]).toEqual([200, { count }]);
    const [id = ''] = (await listAll(`&user_id=${USER}&client_uuid=${OTHER_CLIENT}`, 500)).flat();
    const delivery = await hooks.settled(id);
    expect([...outcome(delivery), delivery.steps.length]).toEqual(['quarantined', 'foreign-client', 4]);
  });

  test.each(['', '?state=received', '?state=parked&limit=1'])('of many refuses "%s"', async (query) => {
    expect((await hooks.admin('post', `replay${query}`)).status).toBe(400);
  });

  test('of what is done is a conflict', async () => {
    const { id } = await hooks.notify(aNotification({ action: 'done' }));
    expect(problemOf(await hooks.admin('post', `deliveries/${id}/replay`))).toEqual([409, 'delivery.state', undefined]);
  });

  test('of what does not exist is not found', async () => {
    expect(problemOf(await hooks.admin('post', 'deliveries/dlv_nix/replay'))).toEqual([
      404,
      'delivery.not-found',
      undefined,
    ]);
  });
});

describe('discard', () => {
  test.each<[string, object | undefined]>([
    ['no body', undefined],
    ['no reason', {}],
    ['an empty reason', { reason: '' }],
    ['a reason of blanks', { reason: '     ' }],
    ['a reason that is no text', { reason: 42 }],
    ['a reason without end', { reason: 'x'.repeat(201) }],
  ])('is refused with %s, and the delivery stays', async (what, body) => {
    const { id } = await hooks.deliver(`{"discard": "${what}"}`);
    expect(problemOf(await hooks.admin('post', `deliveries/${id}/discard`, body))).toEqual([
      400,
      'admin.parameter',
      'reason',
    ]);
    expect((await hooks.read(id)).state).toBe('quarantined');
  });

  test('with a reason ends the delivery for good and keeps the reason', async () => {
    const { id } = await hooks.deliver('{"discard": "me"}');
    const answer = await hooks.admin('post', `deliveries/${id}/discard`, { reason: 'sent by mistake' });
    const delivery = await hooks.read(id);
    expect([answer.status, answer.body, ...outcome(delivery), delivery.steps.at(-1)?.actor]).toEqual([
      200,
      { id },
      'discarded',
      'sent by mistake',
      'operator',
    ]);
    const again = await hooks.admin('post', `deliveries/${id}/discard`, { reason: 'sent by mistake' });
    const replay = await hooks.admin('post', `deliveries/${id}/replay`);
    expect([problemOf(again), problemOf(replay)]).toEqual([
      [409, 'delivery.state', undefined],
      [409, 'delivery.state', undefined],
    ]);
  });

  test('of what does not exist is not found', async () => {
    expect(problemOf(await hooks.admin('post', 'deliveries/dlv_nix/discard', { reason: 'no such thing' }))).toEqual([
      404,
      'delivery.not-found',
      undefined,
    ]);
  });
});

test('a delivery that does not exist is not found', async () => {
  expect(problemOf(await hooks.admin('get', 'deliveries/dlv_nix'))).toEqual([404, 'delivery.not-found', undefined]);
});

test('after replay and discard the ledger still adds up', async () => {
  const { acknowledged, byState, addsUp } = await hooks.ledger();
  const listed = (await listAll('', 500)).flat().length;
  expect([Object.values(byState).reduce((sum, count) => sum + count, 0), listed, addsUp]).toEqual([
    acknowledged,
    acknowledged,
    true,
  ]);
});
