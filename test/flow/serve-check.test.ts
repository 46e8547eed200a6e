import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/index.ts';
import { DEMO_ADD_ONS, startEhr, startService, type DemoEhr, type DemoService } from '../../sandbox/index.ts';
import { startGateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { EMPTY_PLACES, type Place } from '../support/new-store.ts';
import { freePort } from '../support/postgres-server.ts';
import { runCommand } from '../support/run-command.ts';
import { serveSettings } from '../support/run-process.ts';

let folder: string;
let sound: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-check-'));
  sound = serveSettings(`sqlite:${join(folder, 'new', 'chartgate.db')}?filesystem=any&create=yes`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const check = (more: Record<string, string> = {}, ...args: string[]) =>
  runCommand(['serve', '--check', ...args], { env: { ...sound, ...more } });

/** The shipped mapping data, with a file of it broken. */
function brokenMappings(file: string, text: string): string {
  const mappings = join(folder, 'mappings');
  cpSync('mappings', mappings, { recursive: true });
  writeFileSync(join(mappings, file), text);
  return mappings;
}

describe('--check', () => {
  test('says that all is sound, with what is weak, and touches nothing', async () => {
    const { code, out, err } = await check();
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^The configuration is sound\.\n  note: /);
    expect(readdirSync(folder)).toEqual([]);
    const asJson = await check({}, '--json');
    expect(JSON.parse(asJson.out)).toEqual({ sound: true, unverified: expect.any(Array) });
  });

  test.each<[string, () => Record<string, string>, string]>([
    ['a missing mappings folder', () => ({ CHARTGATE_MAPPINGS: join(folder, 'nowhere') }), 'CHARTGATE_MAPPINGS'],
    [
      'a broken ConceptMap',
      () => ({ CHARTGATE_MAPPINGS: brokenMappings('conceptmap-metrics.json', '{') }),
      'conceptmap-metrics.json',
    ],
    [
      'a template that is none',
      () => ({ CHARTGATE_MAPPINGS: brokenMappings('custom/mine.json', '[]') }),
      'custom/mine.json',
    ],
    ['URIs that cannot be read', () => ({ CHARTGATE_SOURCE_URIS: join(folder, 'nowhere.json') }), 'nowhere.json'],
    ['a dialect that is none', () => ({ CHARTGATE_DIALECT: 'klingon' }), 'CHARTGATE_DIALECT'],
    [
      'a garbage private key',
      () => ({
        CHARTGATE_EHR_AUTH: 'smart-backend',
        CHARTGATE_EHR_CLIENT_ID: 'c',
        CHARTGATE_EHR_TOKEN_URL: 'https://ehr.example/token',
        CHARTGATE_EHR_PRIVATE_KEY: 'garbage',
      }),
      'CHARTGATE_EHR_PRIVATE_KEY',
    ],
    [
      'a token that no header can carry',
      () => ({ CHARTGATE_EHR_AUTH: 'bearer', CHARTGATE_EHR_TOKEN: 'a\nb' }),
      'CHARTGATE_EHR_TOKEN',
    ],
    [
      'a certificate that is none',
      () => ({ CHARTGATE_TLS_CERT_FILE: 'README.md', CHARTGATE_TLS_KEY_FILE: 'README.md' }),
      'CHARTGATE_TLS_CERT_FILE',
    ],
    [
      'a type of which nobody can say whose it is',
      () => ({ CHARTGATE_READ_TYPES: 'StructureMap' }),
      'CHARTGATE_READ_TYPES',
    ],
    ['no admin token', () => ({ CHARTGATE_ADMIN_TOKEN: '' }), 'CHARTGATE_ADMIN_TOKEN'],
  ])('%s ends with 78 and is named; serve says the same', async (_, settings, named) => {
    const more = settings();
    const checked = await check(more);
    expect([checked.code, checked.out]).toEqual([78, '']);
    expect(checked.err).toContain(named);
    const served = await runCommand(['serve'], { env: { ...sound, ...more } });
    expect([served.code, served.err]).toEqual([78, expect.stringContaining(named)]);
  });

  test('everything that is wrong is said at once, also as JSON', async () => {
    const more = { CHARTGATE_MAPPINGS: join(folder, 'nowhere'), CHARTGATE_READ_TYPES: 'StructureMap' };
    const { code, err } = await check(more, '--json');
    expect(code).toBe(78);
    expect(JSON.parse(err)).toMatchObject({
      code: 'config',
      problems: [{ key: 'mappings.folder' }, { key: 'read.types' }],
    });
  });

  test.each([['--connect'], ['--json']])('%s without it is wrong', async (option) => {
    expect((await runCommand(['serve', option], { env: sound })).code).toBe(2);
  });
});

describe('--check --connect', () => {
  let ehr: DemoEhr;
  let service: DemoService;
  let issuer: Server;
  let issuerUrl: string;
  let issuerName: () => string;
  let all: Record<string, string>;
  beforeAll(async () => {
    ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
    service = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
    issuer = createServer((req, res) => {
      const body = req.url === '/jwks' ? { keys: [{ kty: 'RSA' }] } : { issuer: issuerName() };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const port = await new Promise<number>((resolve) =>
      issuer.listen(0, '127.0.0.1', () => {
        const address = issuer.address();
        resolve(address !== null && typeof address !== 'string' ? address.port : 0);
      }),
    );
    issuerUrl = `http://127.0.0.1:${port}`;
    const client = service.putClient({ uuid: 'check-client', name: 'Check', addOns: DEMO_ADD_ONS });
    all = {
      CHARTGATE_EHR_URL: ehr.url,
      CHARTGATE_CLIENT_UUID: 'check-client',
      CHARTGATE_SOURCE_URL: service.url,
      CHARTGATE_SOURCE_LAB_URL: service.labUrl,
      CHARTGATE_SOURCE_PASSWORD: client.password,
      CHARTGATE_AUTH_ISSUER: issuerUrl,
      CHARTGATE_AUTH_JWKS_URL: `${issuerUrl}/jwks`,
    };
  });
  beforeEach(() => {
    issuerName = () => issuerUrl;
  });
  afterAll(async () => {
    await ehr.stop();
    await service.stop();
    await new Promise((resolve) => issuer.close(resolve));
  });

  interface Said {
    readonly sound: boolean;
    readonly connections: readonly { readonly part: string; readonly exit: number; readonly text: string }[];
  }
  const connect = async (more: Record<string, string>) => {
    const { code, out } = await check({ ...all, ...more }, '--connect', '--json');
    return { code, ...(JSON.parse(out) as Said) };
  };
  const ofPart = ({ connections }: Said, part: string) => connections.find((one) => one.part === part);

  test('everybody answers: each is named, and nothing was written anywhere', async () => {
    const said = await connect({});
    expect(said.connections.map(({ part, exit }) => [part, exit])).toEqual([
      ['database', 0],
      ['ehr', 0],
      ['issuer', 0],
      ['source', 0],
      ['source-lab', 0],
    ]);
    expect([said.code, said.sound]).toEqual([0, true]);
    expect(ofPart(said, 'database')?.text).toContain('is new');
    expect([readdirSync(folder), ehr.log.writes()]).toEqual([[], []]);
    const asText = await check(all, '--connect');
    expect([asText.code, asText.out]).toEqual([0, expect.stringMatching(/\n  good ehr +The EHR at /)]);
  });

  test('a folder that is not there is a matter of configuration', async () => {
    const url = `sqlite:${join(folder, 'nowhere', 'chartgate.db')}?filesystem=any`;
    const said = await connect({ CHARTGATE_DATABASE_URL: url });
    expect([said.code, ofPart(said, 'database')]).toEqual([
      78,
      expect.objectContaining({ exit: 78, text: expect.stringContaining('?create=yes') }),
    ]);
  });

  test.each<[string, (away: string) => Record<string, string>, string, string]>([
    ['the EHR', (away) => ({ CHARTGATE_EHR_URL: `${away}/fhir` }), 'ehr', 'CHARTGATE_EHR_URL'],
    [
      'the issuer',
      (away) => ({ CHARTGATE_AUTH_ISSUER: away, CHARTGATE_AUTH_JWKS_URL: `${away}/jwks` }),
      'issuer',
      'CHARTGATE_AUTH_ISSUER',
    ],
    ['the source', (away) => ({ CHARTGATE_SOURCE_URL: away }), 'source', 'CHARTGATE_SOURCE_URL'],
    ['its laboratory API', (away) => ({ CHARTGATE_SOURCE_LAB_URL: away }), 'source-lab', 'CHARTGATE_SOURCE_LAB_URL'],
    [
      'PostgreSQL',
      (away) => ({ CHARTGATE_DATABASE_URL: `postgres://me:marker-password@${new URL(away).host}/x` }),
      'database',
      'CHARTGATE_DATABASE_URL',
    ],
  ])('%s is not there: 69, with address and setting, and no secret', async (_, settings, part, setting) => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const said = await connect(settings(away));
    expect([said.code, said.sound]).toEqual([69, false]);
    expect(ofPart(said, part)).toMatchObject({ exit: 69, text: expect.stringContaining(new URL(away).host) });
    expect(ofPart(said, part)?.text).toContain(setting);
    expect(said.connections.filter(({ exit }) => exit !== 0).map((one) => one.part)).toEqual([part]);
    expect(JSON.stringify(said)).not.toContain('marker-password');
  });

  test.each<[string, () => Record<string, string>, string, string]>([
    ['refuses the password', () => ({ CHARTGATE_SOURCE_PASSWORD: 'wrong' }), 'source', 'CHARTGATE_SOURCE_PASSWORD'],
    [
      'is at another path',
      () => ({ CHARTGATE_EHR_URL: `${new URL(ehr.url).origin}/other` }),
      'ehr',
      'CHARTGATE_EHR_URL',
    ],
    [
      'has another name',
      () => {
        issuerName = () => `${issuerUrl}/`;
        return {};
      },
      'issuer',
      'CHARTGATE_AUTH_ISSUER',
    ],
  ])('whoever %s is configured wrongly: 78', async (_, settings, part, setting) => {
    const said = await connect(settings());
    expect([said.code, ofPart(said, part)?.exit]).toEqual([78, 78]);
    expect(ofPart(said, part)?.text).toContain(setting);
  });

  describe.each(EMPTY_PLACES)('a database on %s', (_engine, makePlace) => {
    let place: Place;
    let url: string;
    beforeEach(async () => {
      place = await makePlace();
      const { database } = place;
      url = database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();
    });
    afterEach(() => place.remove());
    const database = async (more: Record<string, string> = {}) => {
      const said = await connect({ CHARTGATE_DATABASE_URL: url, ...more });
      return { code: said.code, text: ofPart(said, 'database')?.text };
    };

    test('is looked at as the start would, with its keys', async () => {
      if (place.database.engine === 'postgres')
        expect(await database()).toMatchObject({ code: 0, text: expect.stringContaining('is new') });
      const config = configOf(url, sound);
      const gateway = await startGateway({
        config: { ...config, store: { database: place.database } },
        clock: systemClock,
        log: collectLog(),
      });
      await gateway.stop();
      expect(await database()).toMatchObject({
        code: 0,
        text: expect.stringContaining('is ours; the next start takes 0 schema steps'),
      });
      const other = serveSettings(url);
      for (const key of ['CHARTGATE_DATA_KEY', 'CHARTGATE_PSEUDONYM_KEY', 'CHARTGATE_AUDIT_KEY'])
        expect(await database({ [key]: other[key] ?? '' })).toMatchObject({
          code: 78,
          text: expect.stringContaining(key),
        });
      expect(await database({ CHARTGATE_ENVIRONMENT: 'sandbox' })).toMatchObject({
        code: 78,
        text: expect.stringContaining('CHARTGATE_ENVIRONMENT'),
      });
    });
  });
});
