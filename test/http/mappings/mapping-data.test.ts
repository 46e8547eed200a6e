import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';
import { makeSiteFolder } from './site-folder.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let hooks: HookGateway;
let site: ReturnType<typeof makeSiteFolder>;
beforeAll(async () => {
  site = makeSiteFolder();
  hooks = await startHookGateway({ CHARTGATE_MAPPINGS: site.folder });
});
afterAll(async () => {
  await hooks.stop();
  site.remove();
});

const get = async <T>(path: string): Promise<T> => (await hooks.admin('get', path)).body as T;
const run = (args: readonly string[], stdin?: string) =>
  runCommand(args, {
    env: { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_PUBLIC_URL: `http://127.0.0.1:${hooks.port}` },
    ...(stdin === undefined ? {} : { stdin }),
  });

interface Rows {
  readonly total: number;
  readonly rows: readonly { readonly row: string; readonly file: string }[];
  readonly next: string | null;
}
interface Loads {
  readonly loads: readonly { readonly outcome: string; readonly by: string; readonly changes: unknown[] }[];
}

describe('rows in force', () => {
  test('are found by file and text, page by page, each once', async () => {
    const all = await get<Rows>('mappings/rows?file=conceptmap-metrics.json&limit=500');
    expect([all.rows.length, all.next]).toEqual([all.total, null]);
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: Rows = await get<Rows>(
        `mappings/rows?file=conceptmap-metrics.json&limit=40${next === '' ? '' : `&cursor=${next}`}`,
      );
      seen.push(...page.rows.map(({ row }) => row));
      next = page.next;
    }
    expect(seen).toEqual(all.rows.map(({ row }) => row));
    const found = await get<Rows>('mappings/rows?text=BODY%20WEIGHT');
    expect(found.rows.map(({ row }) => row)).toContain('conceptmap-metrics.json#weight/point');
  });

  test('a cursor of other data is refused', async () => {
    const { next } = await get<Rows>('mappings/rows?limit=1');
    site.edit('conceptmap-metrics.json', (text) => text.replace('"title": "Metrics', '"title": "The metrics'));
    await hooks.admin('post', 'mappings/reload');
    expect((await hooks.admin('get', `mappings/rows?cursor=${next ?? ''}`)).status).toBe(400);
    expect((await hooks.admin('get', 'mappings/rows?cursor=x')).status).toBe(400);
  });
});

describe('files before they are loaded', () => {
  test('are sound, or every problem is told by file and line, and nothing is loaded', async () => {
    expect((await hooks.admin('post', 'mappings/check')).body).toEqual({ isSound: true, problems: [] });
    site.edit('conceptmap-metrics.json', (text) => text.replace('"39156-5"', '"39156-6"'));
    site.put('custom/broken.json', '{\n  "dataStructure": \n}');
    const { isSound, problems } = (await hooks.admin('post', 'mappings/check')).body as {
      isSound: boolean;
      problems: { file: string; line: number | null; row: string | null }[];
    };
    expect(isSound).toBe(false);
    expect(problems).toContainEqual(
      expect.objectContaining({ file: 'conceptmap-metrics.json', row: expect.any(String), line: expect.any(Number) }),
    );
    expect(problems).toContainEqual(expect.objectContaining({ file: 'custom/broken.json', line: 3 }));
    const told = await run(['mappings', 'check']);
    expect([told.code, told.out]).toEqual([1, expect.stringMatching(/^conceptmap-metrics\.json:\d+: .*39156-6/m)]);
    expect(await run(['mappings', 'reload'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/mappings\.unsound[\s\S]*custom\/broken\.json/),
    });
    site.edit('conceptmap-metrics.json', (text) => text.replace('"39156-6"', '"39156-5"'));
    site.put('custom/broken.json', JSON.stringify({ dataStructure: 'lab_result', off: 'not used here' }));
    expect(await run(['mappings', 'check'])).toMatchObject({ code: 0, out: 'sound\n' });
    expect(await run(['mappings', 'reload'])).toMatchObject({ code: 0, out: expect.stringContaining('changed') });
  });

  test('each load stands in the history, with who, what changed and what was wrong', async () => {
    const { loads } = await get<Loads>('mappings/loads');
    expect(loads.map(({ outcome, by }) => [outcome, by])).toEqual([
      ['ok', 'operator'],
      ['failed', 'operator'],
      ['ok', 'operator'],
      ['ok', 'gateway'],
    ]);
    expect(loads[0]?.changes).toEqual([
      { what: 'templates/service-lab-json.json', from: expect.any(String), to: null },
    ]);
    expect(loads[1]).toMatchObject({ digest: null, rows: 0, problems: expect.any(Array) });
    expect(loads[2]?.changes).toMatchObject([{ what: 'conceptmap-metrics.json' }]);
    expect((await run(['mappings', 'loads', '--limit', '2'])).out).toMatch(/ok {2}by operator[\s\S]*more: --cursor/);
  });
});

describe('a payload that is tried', () => {
  const payload = aClinicalReady({ userId: 'tried', bundleId: 'tried' });
  const tryIt = (body: string, query = '') =>
    fetch(`http://127.0.0.1:${hooks.port}/admin/api/mappings/try${query}`, {
      method: 'POST',
      headers: { authorization: hooks.authorization, 'content-type': 'application/json' },
      body,
    });

  test('is explained; nothing of it is stored', async () => {
    const answer = await tryIt(JSON.stringify(payload), '?mrn=0088');
    expect(await answer.json()).toMatchObject({
      wouldGo: true,
      trouble: null,
      link: { mrn: '0088' },
      resources: expect.any(Array),
    });
    expect(await (await tryIt(JSON.stringify(payload))).json()).toMatchObject({ wouldGo: true, trouble: 'unlinked' });
    expect(await hooks.ledger()).toMatchObject({ acknowledged: 0 });
    const { records } = await get<{ records: { why: string }[] }>('audit?patient=0088&type=admin');
    expect(records.map(({ why }) => why)).toContain('mappings try');
  });

  test('is refused where it is none', async () => {
    for (const body of ['', '{', '[]', '{"data_structure":"steps_event"}'])
      expect([400, 422]).toContain((await tryIt(body)).status);
    expect((await tryIt(`"${'x'.repeat(1_100_000)}"`)).status).toBe(413);
  });

  test('by the command line, from a file or standard input', async () => {
    const tried = await run(['mappings', 'try', '-', '--mrn', '0088'], JSON.stringify(payload));
    expect([tried.code, tried.out.length > 100]).toEqual([0, true]);
    const text = JSON.stringify(payload).replaceAll('"weight"', '"aura"');
    const wrong = await run(['mappings', 'try', '-', '--json'], text);
    expect([wrong.code, JSON.parse(wrong.out)]).toMatchObject([0, { leftOut: expect.any(Array) }]);
    expect(await run(['mappings', 'try', '/nowhere/at/all'])).toMatchObject({ code: 2 });
    expect(await run(['mappings', 'try'])).toMatchObject({ code: 2 });
    expect(await run(['mappings', 'rows', '--mrn', '1'])).toMatchObject({ code: 2 });
  });
});

describe('words that nobody has mapped', () => {
  test('come with codes that they might be', async () => {
    const named = JSON.stringify(aClinicalReady({ bundleId: 'named', observations: 1 }));
    await hooks.deliver(named.replaceAll('"weight"', '"body_weight"'));
    const { unmapped } = await get<{ unmapped: { proposals: unknown[] }[] }>('unmapped');
    expect(unmapped[0]?.proposals).toContainEqual(
      expect.objectContaining({ code: '29463-7', display: 'Body weight', system: 'http://loinc.org' }),
    );
    const told = await run(['unmapped', '--limit', '1']);
    expect(told).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^code body_weight {2}1 times[\s\S]*perhaps 29463-7 Body weight/),
    });
    expect(await run(['mappings', 'rows', '--file', 'plausibility.json', '--limit', '1'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^plausibility\.json#[\s\S]* rows\nmore: --cursor/),
    });
  });
});
