import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { makeAdminClient, ROUTE_TABLE, type AdminClient } from '../../src/admin/index.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { PLACES, withClient, type Place } from '../support/new-store.ts';
import { runCommand } from '../support/run-command.ts';
import { readFileSync } from 'node:fs';

jest.setTimeout(120_000);

const TOKEN = 'operator-'.repeat(5);
const MARKER = 'mrn-marker-4711';

describe.each(PLACES)('the audit over time on %s', (_engine, makePlace) => {
  let place: Place;
  let gateway: Gateway;
  let client: AdminClient;
  const url = () => `http://127.0.0.1:${gateway.port}`;
  const as = (token: string) => makeAdminClient({ url: url(), routes: ROUTE_TABLE, token, fetch });

  beforeAll(async () => {
    place = await makePlace();
    const { database } = place;
    const address = database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();
    gateway = await startGateway({
      config: configOf(address, { CHARTGATE_ADMIN_TOKEN: TOKEN }),
      clock: systemClock,
      log: collectLog(),
    });
    client = as(TOKEN);
  });
  afterAll(async () => {
    await gateway.stop();
    await place.remove();
  });
  async function keyOf(name: string, roles: readonly string[]): Promise<{ readonly id: string; readonly key: string }> {
    const answer = await fetch(`${url()}/admin/api/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ name, roles, permissions: [] }),
    });
    return (await answer.json()) as { id: string; key: string };
  }
  const run = (...args: string[]) =>
    runCommand(args, { env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: url() } });

  test('tells how often somebody acted, and records that it was asked', async () => {
    await client.call('audit.key');
    const reply = await client.call('audit.counts', { query: { by: 'actor' } });
    if (reply.kind === 'refused') throw new Error(reply.problem.code);
    expect(reply.value).toMatchObject({ intervalSeconds: 3_600, counted: { isExact: true }, others: { names: 0 } });
    const own = reply.value.names.find(({ name }) => name === 'operator');
    expect(own?.counts).toHaveLength(25);
    expect(own?.counts.at(-1)).toBeGreaterThan(0);
    const records = await client.call('audit.search', { query: { type: 'admin', limit: 5 } });
    expect(records.kind === 'done' && records.value.records.map(({ why }) => why)).toContain('audit.counts');
    expect((await run('audit', 'counts', '--by', 'actor', '--interval', 'day')).out).toMatch(/^operator +\d+ {2}\|/m);
    expect((await run('audit', 'counts', '--by', 'app')).out).toMatch(/^nothing from /);
  });

  test('one record is shown with its proof, and a table of all of them', async () => {
    const found = await client.call('audit.search', { query: { actor: 'operator', limit: 1 } });
    const [last] = found.kind === 'done' ? found.value.records : [];
    if (last === undefined) throw new Error('nothing is recorded');
    const params = { chain: last.chain, seq: String(last.seq) };
    const shown = await client.call('audit.get', { params });
    expect(shown).toMatchObject({ kind: 'done', value: { record: last, proof: { state: 'waiting' } } });
    expect((await run('audit', 'show', params.chain, params.seq)).out).toMatch(/It fits into its chain/);
    expect((await run('audit', 'show', params.chain, '999999')).code).toBe(1);
    expect((await run('audit', 'show', params.chain)).code).toBe(2);
    const table = (await run('audit', 'export', '--form', 'csv', '--actor', 'operator')).out.split('\r\n');
    expect(table[0]).toMatch(/^at,type,action,outcome,why/);
    expect(table.filter((line) => line.includes(',operator,')).length).toBeGreaterThan(2);
    expect(await client.call('audit.verifying')).toMatchObject({ value: { running: null } });
  });

  test.each([
    [{ by: 'actor', from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
    [{ by: 'actor', from: '2020-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
    [{ by: 'nobody' }, 'by'],
    [{ by: 'app', interval: 'minute' }, 'interval'],
    [{}, 'by'],
  ])('does not count %j', async (query, at) => {
    expect(await client.call('audit.counts', { query: query as { by: 'actor' } })).toMatchObject({
      kind: 'refused',
      status: 400,
      problem: { code: 'admin.parameter', at, detail: expect.stringContaining('must be') },
    });
  });

  test('a kept search is its owner’s alone, sealed, and goes with its owner', async () => {
    const [ann, ben] = [await keyOf('ann', ['auditor']), await keyOf('ben', ['auditor'])];
    const search = { patient: MARKER, outcome: 'refused' } as const;
    const saved = await as(ann.key).call('audit.saveSearch', { body: { name: 'Refused', search } });
    if (saved.kind === 'refused') throw new Error(saved.problem.code);
    const listed = async (key: string) => {
      const reply = await as(key).call('audit.searches');
      if (reply.kind === 'refused') throw new Error(reply.problem.code);
      return reply.value.searches;
    };
    expect(await listed(ann.key)).toMatchObject([{ id: saved.value.id, name: 'Refused', search }]);
    expect(await listed(ben.key)).toEqual([]);
    expect(await as(ben.key).call('audit.removeSearch', { params: { id: saved.value.id } })).toMatchObject({
      status: 404,
      problem: { code: 'search.not-found' },
    });
    const again = await as(ann.key).call('audit.saveSearch', { body: { name: 'REFUSED', search: { type: 'admin' } } });
    expect([again.status, await listed(ann.key)]).toMatchObject([
      201,
      [{ name: 'REFUSED', search: { type: 'admin' } }],
    ]);

    const { database } = place;
    const stored =
      database.engine === 'sqlite'
        ? ['', '-wal'].map((end) => readFileSync(`${database.file}${end}`, 'latin1')).join('')
        : await withClient(database.url.reveal(), async (pg) =>
            JSON.stringify((await pg.query('SELECT * FROM operator_search, audit_record')).rows),
          );
    expect(stored).not.toContain(MARKER);

    await fetch(`${url()}/admin/api/keys/${ann.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const anew = await keyOf('ann', ['auditor']);
    expect(await listed(anew.key)).toEqual([]);
  });

  test('nobody keeps more than a hundred, nor what is no search', async () => {
    const { key } = await keyOf('collector', ['auditor']);
    const save = (name: string, search: object = {}) => as(key).call('audit.saveSearch', { body: { name, search } });
    for (let i = 0; i < 100; i += 1) expect((await save(`search ${i}`)).status).toBe(201);
    expect(await save('one more')).toMatchObject({ status: 409, problem: { code: 'search.too-many' } });
    expect((await save('search 7', { type: 'admin' })).status).toBe(201);
    for (const search of [{ cursor: 'x' }, { type: 'nonsense' }, { from: 'yesterday' }, { patient: 'x'.repeat(101) }])
      expect(await save('odd', search)).toMatchObject({
        status: 400,
        problem: { code: 'admin.parameter', at: 'search' },
      });
  });

  test('from the command line: kept, shown as options, removed', async () => {
    const saved = await run('audit', 'searches', 'save', 'Mine', '--type', 'admin', '--outcome', 'refused');
    expect([saved.code, saved.out]).toEqual([0, expect.stringMatching(/^asr_\w+\n$/)]);
    const id = saved.out.trim();
    expect((await run('audit', 'searches')).out).toBe(`${id}  Mine  --type admin --outcome refused\n`);
    expect(await run('audit', 'searches', 'remove', id)).toMatchObject({ code: 0, out: 'removed\n' });
    expect(await run('audit', 'searches', 'remove', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('search.not-found'),
    });
    expect((await run('audit', 'searches', '--json')).out).toBe('{"searches":[]}\n');
    expect((await run('audit', 'searches', 'save')).code).toBe(2);
    expect((await run('audit', 'searches', 'drop', id)).code).toBe(2);
  });
});
