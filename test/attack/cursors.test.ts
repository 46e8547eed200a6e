import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { PLACES, type Place } from '../support/new-store.ts';

jest.setTimeout(120_000);

const TOKEN = 'operator-'.repeat(5);
const SECRET = 'data-secret-0123456789abcdef0123456789';
type Body = Readonly<Record<string, unknown>>;

/*
 * A cursor is a place in the order of one list and nothing else: no filter, no name, no right. Whoever has another's
 * cursor and may read the list could have come to that place alone; whoever may not is refused before it is looked at.
 */
describe.each(PLACES)('the cursor of another operator on %s', (_engine, makePlace) => {
  let place: Place;
  let gateway: Gateway;
  const keys = new Map<string, string>();
  async function ask(key: string, method: string, path: string, body?: unknown): Promise<[number, Body]> {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/admin/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [answer.status, (await answer.json()) as Body];
  }
  const as = (name: string, path: string): Promise<[number, Body]> => ask(keys.get(name) ?? '', 'GET', path);

  beforeAll(async () => {
    place = await makePlace();
    const { database } = place;
    const address = database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();
    gateway = await startGateway({
      config: configOf(address, { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_WEBHOOK_SECRET: SECRET }),
      clock: systemClock,
      log: collectLog(),
    });
    for (const [name, roles] of [
      ['ann', ['engineer']],
      ['ben', ['engineer']],
      ['eve', ['viewer']],
      ['aud', ['auditor']],
    ] as const) {
      const [, made] = await ask(TOKEN, 'POST', 'keys', { name, roles, permissions: [] });
      keys.set(name, String(made['key']));
    }
    for (const n of [1, 2, 3])
      await fetch(`http://127.0.0.1:${gateway.port}/webhooks/${SECRET}/data`, { method: 'POST', body: `{${n}` });
    await eventually(
      () => as('ann', 'deliveries?state=quarantined'),
      ([, { deliveries }]) => (deliveries as unknown[]).length === 3,
    );
  });
  afterAll(async () => {
    await gateway.stop();
    await place.remove();
  });

  test('leads to no page that its user could not come to alone', async () => {
    const [, first] = await as('ann', 'deliveries?limit=1');
    const cursor = String(first['next']);
    const [, own] = await as('ben', 'deliveries?limit=1');
    expect(own['next']).toBe(cursor);
    expect(await as('ben', `deliveries?limit=1&cursor=${cursor}`)).toEqual(
      await as('ann', `deliveries?limit=1&cursor=${cursor}`),
    );
    // It is of its filters, whoever has it.
    const [status, filtered] = await as('ben', `deliveries?limit=1&state=parked&cursor=${cursor}`);
    expect([status, filtered['code']]).toEqual([400, 'admin.cursor']);
  });

  test('opens nothing to whom the list is closed, and tells them nothing of itself', async () => {
    const [, first] = await as('ann', 'deliveries?limit=1');
    const cursor = String(first['next']);
    const answers = await Promise.all(
      [cursor, 'nonsense', ''].map((one) => as('eve', `deliveries?limit=1&cursor=${one}`)),
    );
    for (const [status, { code, at, detail }] of answers)
      expect([status, code, at, detail]).toEqual([
        403,
        'admin.forbidden',
        'deliveries.read',
        'None of the roles of this caller may do that.',
      ]);
    expect(Buffer.from(cursor, 'base64url').toString()).toMatch(/^d\d+\.\d+\.[\w-]{2}$/);
  });

  test('is of one list: every other list refuses it', async () => {
    const [, first] = await as('ann', 'deliveries?limit=1');
    const [, audit] = await as('aud', 'audit?limit=1');
    const [ofDeliveries, ofAudit] = [String(first['next']), String(audit['next'])];
    for (const [who, list, cursor] of [
      ['ann', 'links', ofDeliveries],
      ['ann', 'unmapped', ofDeliveries],
      ['ann', 'shadow/deliveries', ofDeliveries],
      ['aud', 'audit', ofDeliveries],
      ['ann', 'deliveries', ofAudit],
    ] as const) {
      const [status, { code, at }] = await as(who, `${list}?cursor=${cursor}`);
      expect([list, status, code, at]).toEqual([list, 400, 'admin.parameter', 'cursor']);
    }
  });
});
