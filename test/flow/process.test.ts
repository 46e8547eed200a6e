import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { COMMANDS } from '../../src/cli/index.ts';
import { eventually } from '../support/eventually.ts';
import { runCommand } from '../support/run-command.ts';
import { postgresPlace, type Place } from '../support/new-store.ts';
import { portOf, runProcess, serveSettings } from '../support/run-process.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';

let folder: string;
const database = () => join(folder, 'db', 'chartgate.db');
const settings = () => serveSettings(`sqlite:${database()}?filesystem=any&create=yes`);

const urlOf = ({ database: where }: Place): string =>
  where.engine === 'postgres' ? where.url.reveal() : `sqlite:${where.file}?filesystem=any`;

async function takePort(): Promise<{ readonly port: number; free(): void }> {
  const other: Server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  return { port: address !== null && typeof address !== 'string' ? address.port : 0, free: () => void other.close() };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-process-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('serve', () => {
  test('starts, is ready, and ends with 0 on SIGTERM', async () => {
    const running = runProcess(['serve'], settings());
    const ready = await fetch(`http://127.0.0.1:${await portOf(running)}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { ready: true, process: 'serving', store: { state: 'ready', engine: 'sqlite' } },
    ]);
    running.signal('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, '']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event);
    // No EHR answers there, which is told by when it is found out.
    const expected = events.filter((event) => event !== 'config.unverified' && event !== 'ehr.probe-failed');
    expect(expected).toEqual([
      'mappings.loaded',
      ...MIGRATIONS.map(() => 'store.migrated'),
      'store.opened',
      'process.started',
      'request.answered',
      'process.draining',
      'process.stopped',
    ]);
  });

  test('says 503 at /readyz while it drains, and still answers', async () => {
    const running = runProcess(['serve'], { ...settings(), CHARTGATE_DRAIN_SECONDS: '15' });
    const url = `http://127.0.0.1:${await portOf(running)}/readyz`;
    running.signal('SIGTERM');
    await running.saw('process.draining');
    const answer = await fetch(url);
    expect([answer.status, await answer.json()]).toMatchObject([503, { ready: false, process: 'draining' }]);
    // Whoever asks twice does not want to wait.
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(143);
  });

  test('leaves files that only their owner may read', async () => {
    const running = runProcess(['serve'], settings());
    await portOf(running);
    for (const name of readdirSync(join(folder, 'db')))
      expect([name, statSync(join(folder, 'db', name)).mode & 0o077]).toEqual([name, 0]);
    expect(statSync(join(folder, 'db')).mode & 0o077).toBe(0);
    running.signal('SIGTERM');
    await running.ended;
  });

  test('with a wrong configuration ends with 78 and lists everything at once', async () => {
    const { code, stdout, stderr } = await runProcess(['serve'], { CHARTGATE_PORT: 'x', CHARTGATE_TYPO: '1' }).ended;
    expect([code, stdout]).toEqual([78, '']);
    for (const key of [
      'CHARTGATE_PORT',
      'CHARTGATE_TYPO',
      'CHARTGATE_DATA_KEY',
      'CHARTGATE_EHR_URL',
      'CHARTGATE_WEBHOOK_SECRET',
    ])
      expect(stderr).toContain(`  ${key} `);
    const asJson = await runProcess(['serve', '--check', '--json'], {}).ended;
    expect((JSON.parse(asJson.stderr) as { code: string }).code).toBe('config');
  });

  test.each(['NODE_DEBUG', 'NODE_DEBUG_NATIVE'])('with %s ends with 78 and says what to do', async (name) => {
    const { code, stdout, stderr } = await runProcess(['serve'], { ...settings(), [name]: 'http' }).ended;
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toContain(`Unset ${name}: `);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('--check says whether the configuration is sound, and touches nothing', async () => {
    const { code, stdout } = await runProcess(['serve', '--check'], settings()).ended;
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'The configuration is sound.']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a second process on the same file ends with 69 and says why; the first goes on', async () => {
    const env = settings();
    const first = runProcess(['serve'], env);
    const port = await portOf(first);
    const second = await runProcess(['serve'], env).ended;
    expect([second.code, second.stderr]).toEqual([
      69,
      expect.stringContaining('Another process has this database open'),
    ]);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    first.signal('SIGTERM');
    await first.ended;
  });

  test('loads before it listens neither the sandbox nor what only somebody else needs', async () => {
    const list = fileURLToPath(new URL('../support/list-modules.ts', import.meta.url));
    const running = runProcess(['serve'], { ...settings(), NODE_OPTIONS: `--import="${list}"` });
    await portOf(running);
    running.signal('SIGTERM');
    const { stderr } = await running.ended;
    // Its threads tell too.
    const loaded = [...stderr.matchAll(/^loaded (.*)$/gm)].flatMap(([, names = '[]']) => JSON.parse(names) as string[]);
    expect(loaded).toEqual(expect.arrayContaining(['express', 'store', 'gateway']));
    expect(['sandbox', 'pg', 'oidc-provider', 'pdf-lib', 'unpdf'].filter((name) => loaded.includes(name))).toEqual([]);
  });

  test('a database in a folder that is not there is refused, and nothing is made', async () => {
    const { code, stderr } = await runProcess(['serve'], serveSettings(`sqlite:${database()}?filesystem=any`)).ended;
    expect([code, stderr]).toEqual([78, expect.stringContaining('add ?create=yes')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a link to the file is the same file', async () => {
    const env = settings();
    const first = runProcess(['serve'], env);
    await portOf(first);
    symlinkSync(database(), join(folder, 'link.db'));
    const second = await runProcess(['serve'], {
      ...env,
      CHARTGATE_DATABASE_URL: `sqlite:${join(folder, 'link.db')}?filesystem=any`,
    }).ended;
    expect([second.code, second.stderr]).toEqual([
      69,
      expect.stringContaining('Another process has this database open'),
    ]);
    first.signal('SIGTERM');
    await first.ended;
  });

  test('a signal during the start ends it', async () => {
    const running = runProcess(['serve'], serveSettings('postgres://nobody:marker@127.0.0.1:9/nothing'));
    const said = await running.saw('store.lost');
    expect(JSON.parse(said)).toMatchObject({ address: '127.0.0.1:9', setting: 'CHARTGATE_DATABASE_URL' });
    expect(said).not.toContain('marker');
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });

  test.each([
    ['a certificate that is none', 78, { CHARTGATE_TLS_CERT_FILE: 'README.md', CHARTGATE_TLS_KEY_FILE: 'README.md' }],
    ['an address that is none', 78, { CHARTGATE_DATABASE_URL: 'postgres://a b:c' }],
    [
      'a root certificate that is missing',
      78,
      { CHARTGATE_DATABASE_URL: 'postgres://x@127.0.0.1:9/x?sslmode=verify-full&sslrootcert=/nowhere' },
    ],
  ])('%s is the operator’s mistake (%i), not a bug', async (_what, code, more) => {
    const ran = await runProcess(['serve'], { ...settings(), ...more }).ended;
    expect([ran.code, ran.stderr.length > 0]).toEqual([code, true]);
  });

  test('after a kill the next start finds no lock in its way', async () => {
    const env = settings();
    const first = runProcess(['serve'], env);
    await portOf(first);
    first.signal('SIGKILL');
    await first.ended;
    const second = runProcess(['serve'], env);
    await portOf(second);
    second.signal('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });

  test('a database that another program holds locked is said in a sentence', async () => {
    mkdirSync(join(folder, 'db'));
    const other = new DatabaseSync(database());
    other.exec('PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE x (a); BEGIN EXCLUSIVE; INSERT INTO x VALUES (1)');
    const { code, stderr } = await runProcess(['serve'], settings()).ended;
    other.close();
    expect([code, stderr]).toEqual([
      69,
      'The database is locked by another program. Close that program and start again.\n',
    ]);
  });

  test('a file that is no database is said in a sentence, and is left as it is', async () => {
    mkdirSync(join(folder, 'db'));
    writeFileSync(
      database(),
      'a shopping list, quite long, so that it could be taken for a database header by somebody in a hurry'.repeat(20),
    );
    const { code, stderr } = await runProcess(['serve'], settings()).ended;
    expect([code, stderr]).toEqual([78, 'The file that CHARTGATE_DATABASE_URL names is not a SQLite database.\n']);
    expect(readFileSync(database(), 'utf8')).toMatch(/^a shopping list/);
  });

  describe('on a port that is taken', () => {
    let postgres: Place;
    beforeAll(async () => {
      postgres = await postgresPlace();
    });
    afterAll(() => postgres.remove());

    test.each(['sqlite', 'postgres'] as const)(
      'says so, stops what it started, and ends with 69: %s',
      async (engine) => {
        const taken = await takePort();
        const env = engine === 'sqlite' ? settings() : serveSettings(urlOf(postgres));
        const { code, stdout, stderr } = await runProcess(['serve'], { ...env, CHARTGATE_PORT: String(taken.port) })
          .ended;
        taken.free();
        expect([code, stderr]).toEqual([69, expect.stringContaining('is already taken')]);
        const events = stdout.trim().split('\n');
        expect(events.filter((line) => /process\.(part|started)/.test(line))).toEqual([]);
      },
    );
  });

  test('the database of another key is refused', async () => {
    const first = runProcess(['serve'], settings());
    await portOf(first);
    first.signal('SIGTERM');
    await first.ended;
    const { code, stderr } = await runProcess(['serve'], settings()).ended;
    expect([code, stderr]).toEqual([78, expect.stringContaining('CHARTGATE_DATA_KEY lacks a key')]);
  });
});

describe('demo', () => {
  test.each(['--port', '--ehr-port', '--service-port', '--app-port'])(
    'with %s taken says so, stops what it started, and ends with 69',
    async (option) => {
      const taken = await takePort();
      const ports = ['--port', '--ehr-port', '--service-port', '--app-port'].flatMap((one) => [
        one,
        one === option ? String(taken.port) : '0',
      ]);
      const args = ['demo', '--data', join(folder, 'data'), ...ports, '--empty', '--json'];
      const { code, stdout, stderr } = await runProcess(args).ended;
      taken.free();
      expect([code, stdout, stderr]).toEqual([69, '', expect.stringContaining(`127.0.0.1:${taken.port}`)]);
    },
  );

  test('says what is wrong with a data folder that cannot be one', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr } = await runProcess([
      'demo',
      '--data',
      join(folder, 'file'),
      '--port',
      '0',
      '--ehr-port',
      '0',
      '--app-port',
      '0',
      '--service-port',
      '0',
    ]).ended;
    expect([code, stderr]).toEqual([78, expect.stringContaining('Choose another with --data')]);
  });

  test('on the port of CHARTGATE_PORT the gateway is told to be there, in its own words too', async () => {
    const free = await takePort();
    free.free();
    const ports = ['--ehr-port', '0', '--service-port', '0', '--app-port', '0'];
    const running = runProcess(['demo', '--data', join(folder, 'data'), ...ports, '--empty', '--json'], {
      CHARTGATE_PORT: String(free.port),
    });
    const { gateway } = JSON.parse(await running.saw('gateway')) as { gateway: string };
    const answer = await fetch(`${gateway}/fhir/.well-known/smart-configuration`);
    const { token_endpoint: at } = (await answer.json()) as { token_endpoint: string };
    running.signal('SIGINT');
    await running.ended;
    expect([gateway, new URL(at).origin]).toEqual(Array(2).fill(`http://localhost:${free.port}`));
  }, 60_000);

  test('runs gateway, demo EHR, sandbox and sample app, tells where to look, stops on SIGINT, and remembers', async () => {
    const ports = ['--port', '0', '--ehr-port', '0', '--service-port', '0', '--app-port', '0'];
    const args = ['demo', '--data', join(folder, 'data'), ...ports, '--json'];
    for (const expected of [1, 2]) {
      const running = runProcess(args);
      const said = JSON.parse(await running.saw('gateway')) as {
        gateway: string;
        ehr: string;
        service: string;
        patients: number;
      };
      expect((await fetch(`${said.gateway}/readyz`)).status).toBe(200);
      expect((await fetch(`${said.service}/app`)).status).toBe(200);
      const patients = (await (await fetch(`${said.ehr}/Patient?_count=2`)).json()) as { total: number };
      expect(patients.total).toBe(said.patients);
      const put = await fetch(`${said.ehr}/Patient/demo-patient-1`, {
        method: 'PUT',
        headers: { 'content-type': 'application/fhir+json' },
        body: JSON.stringify({ resourceType: 'Patient', id: 'demo-patient-1', active: true }),
      });
      expect(put.headers.get('etag')).toBe(`W/"${expected + 1}"`);
      running.signal('SIGINT');
      expect((await running.ended).code).toBe(0);
    }
  }, 60_000);

  test('--users and --days: people beyond the first five are linked, connected and have their days in the charts', async () => {
    const ports = ['--port', '0', '--ehr-port', '0', '--service-port', '0', '--app-port', '0'];
    const args = [
      'demo',
      '--data',
      join(folder, 'data'),
      ...ports,
      '--users',
      '6',
      '--days',
      '3',
      '--speed',
      '3600',
      '--json',
    ];
    const running = runProcess(args);
    const said = JSON.parse(await running.saw('gateway')) as { ehr: string; service: string; patients: number };
    expect(said.patients).toBe(7);
    const json = async (url: string) => (await (await fetch(url)).json()) as Record<string, unknown>;
    const sixth = await eventually(
      () => json(`${said.ehr}/Observation?patient=Patient/demo-patient-6&_summary=count`),
      ({ total }) => Number(total) > 0,
      60_000,
    );
    expect(Number(sixth['total'])).toBeGreaterThan(0);
    // The past is over, and life goes on by itself.
    const live = await eventually(
      () => json(`${said.service}/_control/simulation`),
      ({ documents }) => Number((documents as Record<string, unknown>)['steps_event'] ?? 0) > 0,
      60_000,
    );
    expect(live).toMatchObject({ users: 6, speed: 3_600, documents: { steps_event: expect.any(Number) } });
    running.signal('SIGINT');
    expect((await running.ended).code).toBe(0);
  }, 180_000);

  test.each([
    ['--users', '0'],
    ['--users', 'x'],
    ['--days', '0'],
    ['--speed', '0'],
  ])('%s %s is refused', async (option, value) => {
    const { code, err } = await runCommand(['demo', '--data', join(folder, 'data'), option, value]);
    expect([code, err]).toEqual([2, expect.stringContaining('--users is a number')]);
  });
});

describe('the command line', () => {
  test('chartgate --help prints help and ends with 0', async () => {
    const { code, stdout, stderr } = await runProcess(['--help']).ended;
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('Usage: chartgate'), '']);
  });

  test.each([['help'], ...COMMANDS.map(({ name }) => [name, '--help'])])(
    'chartgate %s %s prints help and ends with 0',
    async (...args) => {
      const { code, out, err } = await runCommand(args.filter((one) => typeof one === 'string'));
      expect([code, out, err]).toEqual([0, expect.stringContaining('Usage: chartgate'), '']);
    },
  );

  test('chartgate nonsense ends with 2', async () => {
    expect((await runProcess(['nonsense']).ended).code).toBe(2);
  });

  test.each([[[]], [['serve', '--nonsense']], [['demo', '--port', 'x']]])(
    'chartgate %j ends with 2',
    async (args: string[]) => {
      expect((await runCommand(args)).code).toBe(2);
    },
  );
});

test('an empty NODE_COMPILE_CACHE leaves nothing in the folder that a command was started in', () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const env = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: '' };
  const { status } = spawnSync(process.execPath, [main, '--version'], { cwd: folder, env });
  expect([status, readdirSync(folder)]).toEqual([0, []]);
});
