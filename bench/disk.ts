import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  aClinicalReady,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
} from '../test/support/payloads/index.ts';
import { makePostgresServer } from '../test/support/postgres-server.ts';
import { ADMIN, dayOf, linkUsers, MRN_SYSTEM, USERS, userOf } from './deliveries.ts';
import type { Engine } from './end-to-end.ts';
import { round, type Figure } from './figure.ts';
import { load } from './load.ts';
import { startGateway, startServer, type Side } from './side.ts';

/**
 * How many bytes a delivery leaves behind, by what it carries. A count, so that it is the same on every machine: the
 * growth of the tables and indexes over so many deliveries, after as many were there already.
 */
const COUNT = 1_000;
const CONNECTIONS = 16;
const GIVE_UP_MS = 180_000;

/** Bytes by table, with its indexes, and of PostgreSQL's log. */
interface Sizes {
  readonly tables: ReadonlyMap<string, number>;
  readonly log: number;
}

type BodyOf = (n: number) => unknown;
const at = (n: number): { userId: string; clientUuid: string } => ({ userId: userOf(n), clientUuid: 'bench' });
const RESULTS = 12;

/** A report of twelve results, each under a code of its own. */
function aPanel(n: number): Record<string, unknown> {
  const codes = ['2345-7', '2160-0', '3094-0', '2951-2', '2823-3', '2075-0', '17861-6', '1742-6', '1920-8', '6768-6'];
  const observed = [...codes, '1975-2', '2885-2'].slice(0, RESULTS);
  const effectiveDateTime = `${dayOf(n)}T08:15:00+01:00`;
  return {
    resourceType: 'Bundle',
    type: 'collection',
    entry: [
      { fullUrl: 'urn:uuid:6a1d2c3b-0000-4000-8000-00000000aaaa', resource: { resourceType: 'Patient', id: 'p1' } },
      {
        fullUrl: 'urn:uuid:6a1d2c3b-0000-4000-8000-00000000bbbb',
        resource: {
          resourceType: 'DiagnosticReport',
          id: 'r1',
          status: 'final',
          code: { text: 'Metabolic panel' },
          subject: { reference: 'urn:uuid:6a1d2c3b-0000-4000-8000-00000000aaaa' },
          effectiveDateTime,
          result: observed.map((_, i) => ({ reference: `urn:uuid:6a1d2c3b-0000-4000-8000-00000000cc${10 + i}` })),
        },
      },
      ...observed.map((code, i) => ({
        fullUrl: `urn:uuid:6a1d2c3b-0000-4000-8000-00000000cc${10 + i}`,
        resource: {
          resourceType: 'Observation',
          id: `o${i}`,
          status: 'final',
          code: { coding: [{ system: 'http://loinc.org', code }], text: `Result ${i}` },
          subject: { reference: 'urn:uuid:6a1d2c3b-0000-4000-8000-00000000aaaa' },
          effectiveDateTime,
          valueString: `printed as ${n}-${i}`,
        },
      })),
    ],
  };
}

/** Days and hours of each user one after the other, so that what comes later is newer. */
const hourOf = (n: number): string => String(Math.floor(n / USERS) % 24).padStart(2, '0');
const stepsDayOf = (n: number): string => dayOf(Math.floor(n / 24 / USERS) * USERS);

const KINDS: Readonly<Record<string, BodyOf>> = {
  'clinical-ready': (n) => aClinicalReady({ ...at(n), day: dayOf(n), bundleId: `bundle-${n}` }),
  'steps-event': (n) =>
    aStepsEvent({ ...at(n), at: `${stepsDayOf(n)}T${hourOf(n)}:10:00+01:00`, steps: 100 + 300 * Number(hourOf(n)) }),
  'alert-event': (n) => anAlertEvent({ ...at(n), measuredAt: `${dayOf(n)}T03:12:00+01:00` }),
  'alert-summary': (n) => anAlertSummary({ ...at(n), day: dayOf(n) }),
  'lab-result': (n) => aLabResult({ ...at(n), documentId: `document-${n}`, resource: aPanel(n) }),
};

function sizesOfSqlite(file: string): Sizes {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = db
      .prepare(
        `SELECT m.tbl_name AS name, sum(d.pgsize) AS bytes
         FROM dbstat AS d JOIN sqlite_master AS m ON m.name = d.name GROUP BY 1`,
      )
      .all() as unknown as { name: string; bytes: number }[];
    return { tables: new Map(rows.map(({ name, bytes }) => [name, bytes])), log: 0 };
  } finally {
    db.close();
  }
}

async function sizesOfPostgres(url: string): Promise<Sizes> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; bytes: string }>(
      `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
       WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
    );
    const log = await client.query<{ at: string }>(`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS at`);
    return { tables: new Map(rows.map(({ name, bytes }) => [name, Number(bytes)])), log: Number(log.rows[0]?.at) };
  } finally {
    await client.end();
  }
}

/** Until nothing is judged or forwarded any more; what became of all deliveries. */
async function rest({ port }: Side): Promise<Readonly<Record<string, number>>> {
  const from = performance.now();
  while (performance.now() - from < GIVE_UP_MS) {
    const answer = await fetch(`http://127.0.0.1:${port}/admin/api/ledger`, {
      headers: { authorization: `Bearer ${ADMIN}` },
    });
    const { byState: states } = (await answer.json()) as { byState: Record<string, number> };
    if (['received', 'queued', 'sending', 'unknown'].every((state) => (states[state] ?? 0) === 0)) return states;
    await pause(250);
  }
  throw new Error('not everything came to rest');
}

async function* measure(engine: Engine): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const file = join(folder, 'chartgate.db');
  const postgres = engine === 'postgres' ? await makePostgresServer() : null;
  const sink = await startServer('bench/null-sink.ts');
  const sides = [sink];
  try {
    const gateway = await startGateway(file, {
      CHARTGATE_CLIENT_UUID: 'bench',
      CHARTGATE_EHR_URL: `http://127.0.0.1:${sink.port}/fhir`,
      CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
      CHARTGATE_ADMIN_TOKEN: ADMIN,
      ...(postgres === null ? {} : { CHARTGATE_DATABASE_URL: postgres.url('postgres') }),
    });
    sides.push(gateway);
    await linkUsers(gateway);
    const sizes = (): Sizes | Promise<Sizes> =>
      postgres === null ? sizesOfSqlite(file) : sizesOfPostgres(postgres.url('postgres'));
    const send = async (bodies: () => Buffer): Promise<Readonly<Record<string, number>>> => {
      await load(gateway.port, gateway.path, bodies, CONNECTIONS, { count: COUNT });
      return rest(gateway);
    };
    const growth = async (figure: string, nextBody: () => Buffer): Promise<Figure> => {
      let [sent, came] = [0, 0];
      const counted = (): Buffer => {
        const body = nextBody();
        [sent, came] = [sent + body.length, came + 1];
        return body;
      };
      const [before, statesBefore] = [await sizes(), await rest(gateway)];
      const cpu = await gateway.cpuSeconds();
      const states = await send(counted);
      const cpuMs = (((await gateway.cpuSeconds()) - cpu) * 1000) / came;
      const after = await sizes();
      const of = (isWanted: (table: string) => boolean): number =>
        [...after.tables]
          .filter(([table]) => isWanted(table))
          .reduce((sum, [table, bytes]) => sum + bytes - (before.tables.get(table) ?? 0), 0) / came;
      const part = (name: string, isWanted: (table: string) => boolean): string => `${name} ${round(of(isWanted))}`;
      const became = Object.entries(states).flatMap(([state, count]) =>
        count === (statesBefore[state] ?? 0) ? [] : [`${state} ${count - (statesBefore[state] ?? 0)}`],
      );
      const last = (await (await fetch(`http://127.0.0.1:${sink.port}/last`)).text()).length;
      return {
        bench: 'disk',
        figure: `${engine}-${figure}`,
        ratio: round(of(() => true) / (sent / came)),
        ours: round(of(() => true)),
        theirs: round(sent / came),
        unit: 'bytes a delivery',
        note: [
          'theirs: the body',
          part('bodies', (table) => table === 'delivery_body'),
          part('audit', (table) => table.startsWith('audit_')),
          part('ledger', (table) => table.startsWith('written_')),
          `log of PostgreSQL ${round((after.log - before.log) / came)}`,
          `last request to the EHR ${last}`,
          `CPU of the gateway ${round(cpuMs)} ms`,
          ...became,
        ].join('; '),
      };
    };
    for (const [kind, bodyOf] of Object.entries(KINDS)) {
      let n = 0;
      let last: Buffer[] = [];
      const next = (): Buffer => {
        n += 1;
        const body = Buffer.from(JSON.stringify(bodyOf(n)));
        last.push(body);
        return body;
      };
      await send(next);
      last = [];
      yield await growth(kind, next);
      if (kind !== 'clinical-ready') continue;
      const again = last;
      let repeated = 0;
      yield await growth('clinical-ready-again', () => again[repeated++ % again.length] ?? Buffer.alloc(0));
    }
  } finally {
    for (const { end } of sides) await end();
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function* run(): AsyncGenerator<Figure> {
  yield* measure('sqlite');
  yield* measure('postgres');
}
