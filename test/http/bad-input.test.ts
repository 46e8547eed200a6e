import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import type { z } from 'zod';
import { CONTRACTS, type Contract } from '../../src/admin/index.ts';
import { toCursor } from '../../src/admin/cursor.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { howMany } from '../support/how-much.ts';
import { PLACES, withClient, type Place } from '../support/new-store.ts';

jest.setTimeout(180_000);

const TOKEN = 'operator-'.repeat(5);
/** Of a session alone, which a key has none of: test/attack/operators.test.ts. */
const ALL = Object.values<Contract>(CONTRACTS).filter(({ permission }) => permission !== null);
/** Without which nothing else of a question is looked at. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = { 'grants.list': { client_id: 'x' } };
type Shape = Readonly<Record<string, z.ZodType>>;
const shapeOf = (schema: z.ZodType | undefined): Shape =>
  schema !== undefined && 'shape' in schema ? (schema.shape as Shape) : {};

/** What goes on by itself, or is said of every request: neither is what a request asked for. */
const BY_ITSELF = /^(audit_|store_|schema_step|figure|history$|sqlite_|target$|lane_owner)/;

/** Every row of every table that a request could change, as text. */
async function contentOf({ database }: Place): Promise<string> {
  const byText = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  if (database.engine === 'sqlite') {
    const db = new DatabaseSync(database.file, { readOnly: true });
    const names = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
    const tables = names
      .filter((name) => !BY_ITSELF.test(name))
      .map((name) => [name, byText(db.prepare(`SELECT * FROM ${name}`).all())]);
    db.close();
    return JSON.stringify(tables);
  }
  return withClient(database.url.reveal(), async (client) => {
    const found = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
    const tables: unknown[] = [];
    for (const { tablename } of found.rows as { tablename: string }[])
      if (!BY_ITSELF.test(tablename))
        tables.push([tablename, byText((await client.query(`SELECT * FROM ${tablename}`)).rows)]);
    return JSON.stringify(tables);
  });
}

interface Refusal {
  readonly status: number;
  readonly mediaType: string | null;
  readonly code?: string;
  readonly at?: string;
  readonly detail?: string;
  readonly problems?: readonly string[];
}

const oddText = fc.oneof(
  fc.constantFrom('', ' ', '0', '-1', '501', '1001', '1e3', '0x10', 'null', 'undefined', '[object Object]', '../..'),
  fc.constantFrom('2026-02-30T00:00:00Z', '2026-01-01', 'true ', 'TRUE', '\u202e', '%00', "' OR 1=1 --", '<script>'),
  fc.string({ maxLength: 40 }),
  fc.string({ minLength: 3_000, maxLength: 4_000 }),
);
const oddJson = fc.oneof(fc.jsonValue({ maxDepth: 2 }), oddText);
const ALWAYS_ODD = [null, [], 5, true, { surprise: 1 }, 'a\u0007'] as const;

const isTaken = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
/** A control character makes a text what no parameter takes. */
const notTaken = (schema: z.ZodType): fc.Arbitrary<string> =>
  oddText.map((text) => (isTaken(schema, text) ? `${text}\u0007` : text));
const notTakenJson = (schema: z.ZodType): fc.Arbitrary<unknown> =>
  oddJson.map((value) => (isTaken(schema, value) ? ALWAYS_ODD.find((one) => !isTaken(schema, one)) : value));

describe.each(PLACES)('input that is not taken, on %s', (_engine, makePlace) => {
  let place: Place;
  let gateway: Gateway;
  let before: string;
  beforeAll(async () => {
    place = await makePlace();
    const { database } = place;
    const address = database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();
    gateway = await startGateway({
      config: configOf(address, { CHARTGATE_ADMIN_TOKEN: TOKEN, CHARTGATE_CLIENT_UUID: 'c' }),
      clock: systemClock,
      log: collectLog(),
    });
    before = await contentOf(place);
  });
  afterAll(async () => {
    try {
      // Nothing of all that was refused has changed anything.
      expect(await contentOf(place)).toBe(before);
    } finally {
      await gateway.stop();
      await place.remove();
    }
  });

  async function refused(
    { id, method, path }: Contract,
    query: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<Refusal> {
    const url = new URL(
      path.replace('/targets/:id', '/targets/ehr').replace(/:\w+/g, 'x'),
      `http://127.0.0.1:${gateway.port}`,
    );
    for (const [name, value] of Object.entries({ ...NEEDED[id], ...query })) url.searchParams.set(name, value);
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const mediaType = answer.headers.get('content-type');
    if (answer.ok) throw new Error(`${method} ${path} took it: ${url.search}`);
    return { status: answer.status, mediaType, ...((await answer.json()) as object) };
  }
  /** The parameter is named with what is taken, and nothing of what was given is said back. */
  function expectNamed(found: Refusal, name: string): void {
    expect(found).toMatchObject({
      status: 400,
      mediaType: 'application/problem+json; charset=utf-8',
      code: 'admin.parameter',
      at: expect.any(String),
      detail: expect.stringMatching(/ must be | takes /),
    });
    const said = found.problems ?? [];
    if (name === '') expect(found.detail).toMatch(/parameters|one JSON object|must be/);
    else expect(said.some((one) => one.startsWith(`\`${name}\` must be`) || one.includes(name))).toBe(true);
    expect(found.detail).toBe(said[0]);
  }

  test.each(ALL.map((contract) => [contract.id, contract] as const))(
    '%s: a parameter that it does not have',
    async (_id, contract) => {
      const known = Object.keys(shapeOf(contract.query));
      await fc.assert(
        fc.asyncProperty(fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_.-]{0,20}$/), oddText, async (name, value) => {
          fc.pre(!known.includes(name));
          const found = await refused(contract, { [name]: value }, contract.body?.kind === 'json' ? {} : undefined);
          expectNamed(found, '');
          for (const one of known) expect(found.problems?.join(' ')).toContain(one);
        }),
        { numRuns: howMany(2, 30), endOnFailure: true },
      );
    },
  );

  const PARAMETERS = ALL.flatMap((contract) =>
    Object.entries(shapeOf(contract.query)).map(([name, schema]) => [contract.id, name, contract, schema] as const),
  );
  test.each(PARAMETERS)('%s: `%s` with a value that it does not take', async (_id, name, contract, schema) => {
    await fc.assert(
      fc.asyncProperty(notTaken(schema), async (value) => {
        expectNamed(await refused(contract, { [name]: value }), name);
      }),
      { numRuns: howMany(4, 40), endOnFailure: true },
    );
  });

  const FIELDS = ALL.flatMap((contract) =>
    contract.body?.kind === 'json'
      ? Object.entries(shapeOf(contract.body.schema)).map(
          ([name, schema]) => [contract.id, name, contract, schema] as const,
        )
      : [],
  );
  test.each(FIELDS)('%s: field `%s` with a value that it does not take', async (_id, name, contract, schema) => {
    await fc.assert(
      fc.asyncProperty(notTakenJson(schema), async (value) => {
        const found = await refused(contract, {}, { ...contract.example, [name]: value });
        // A text that no JSON should hold makes the whole body odd.
        if (found.status !== 413) expect([found.code, found.problems?.length !== 0]).toEqual(['admin.parameter', true]);
        if (found.at === name) expectNamed(found, name);
      }),
      { numRuns: howMany(4, 40), endOnFailure: true },
    );
  });

  const LISTS = ALL.filter(({ query }) => Object.hasOwn(shapeOf(query), 'cursor'));
  test.each(LISTS.map((contract) => [contract.id, contract] as const))(
    '%s: a page that is too large, a cursor that is of another list or of none',
    async (_id, contract) => {
      expectNamed(await refused(contract, { limit: '1001' }), 'limit');
      const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
      const other = Buffer.from(JSON.stringify({ at: 'elsewhere' })).toString('base64url');
      const foreign = [...letters.map((letter) => toCursor(letter, 7)), other, 'AAAA', 'x'.repeat(2_000)];
      let taken = 0;
      for (const cursor of foreign) {
        const found = await refused(contract, { cursor }).catch(() => null);
        // A list of something that is not there has taken it too.
        if (found === null || found.status === 404) taken += 1;
        else expectNamed(found, 'cursor');
      }
      // The letter of its own list, and no other.
      expect(taken).toBeLessThanOrEqual(1);
    },
  );
});
