import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, SignJWT } from 'jose';
import { cpuAtRest } from './cpu-at-rest.ts';
import { median, round, type Figure } from './figure.ts';
import { loadRequests, type Loaded } from './load.ts';
import { startGateway, startServer, type Side } from './side.ts';
import { cpuOf, pair, rateOf, takeTurns, type Round } from './turns.ts';

const CONNECTIONS = 16;
const ROUNDS = 9;
const ROUND_MS = 1_500;
const ALONE_ROUNDS = 5;
const ALONE_MS = 2_000;
const SYNCS = 400;
const GOAL_ADDED_MS = 3;

const SEARCH = '/fhir/Observation?patient=p-1&category=vital-signs&_count=20';
const READ = '/fhir/Observation/o-1';
/** With one Provenance of 471 targets, of which 20 are on the page. */
const TOLD = `${SEARCH}&_revinclude=Provenance:target`;
type Way = 'ours' | 'middleware' | 'undici' | 'audited';
const PUBLIC = 'http://127.0.0.1:8080';
const ADMIN = 'bench-admin-token-of-more-than-32-characters';

/** An issuer elsewhere: its keys, and a token for one patient. */
async function startIssuer(): Promise<{
  readonly server: Server;
  readonly issuer: string;
  readonly settings: Record<string, string>;
  readonly token: string;
}> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] });
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(keys);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const issuer = `http://127.0.0.1:${address !== null && typeof address !== 'string' ? address.port : 0}`;
  const token = await new SignJWT({ scope: 'patient/*.rs', client_id: 'bench', patient: 'p-1' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
    .setIssuer(issuer)
    .setAudience(`${PUBLIC}/fhir`)
    .setSubject('clinician')
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  return {
    server,
    issuer,
    token,
    settings: { CHARTGATE_AUTH_ISSUER: issuer, CHARTGATE_AUTH_JWKS_URL: `${issuer}/jwks` },
  };
}

/** How long the disk takes to make a little durable; a read is answered only after its audit record is. */
function timeSync(folder: string): number {
  const file = openSync(join(folder, 'sync'), 'w');
  const times: number[] = [];
  for (let i = 0; i < SYNCS; i += 1) {
    const from = performance.now();
    writeSync(file, Buffer.alloc(4096, i));
    fdatasyncSync(file);
    times.push(performance.now() - from);
  }
  closeSync(file);
  return median(times);
}

/**
 * Reads and searches, verified, decided, checked and audited durably, against proxies that only pass them on, in turns.
 */
export async function* run(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const sides: Side[] = [];
  const begun = async (starting: Promise<Side>): Promise<Side> => {
    const side = await starting;
    sides.push(side);
    return side;
  };
  const issuer = await startIssuer();
  let taken: Readonly<Record<'search' | 'read', Readonly<Record<Way, readonly Round[]>>>>;
  let told: Readonly<Record<'with' | 'without', readonly Round[]>>;
  const alone = new Map<string, number[]>();
  let syncMs = NaN;
  try {
    const sink = await begun(startServer('bench/chart-sink.ts'));
    const origin = `http://127.0.0.1:${sink.port}`;
    const ours = await begun(
      startGateway(join(folder, 'chartgate.db'), {
        CHARTGATE_EHR_URL: `${origin}/fhir`,
        CHARTGATE_PUBLIC_URL: PUBLIC,
        CHARTGATE_MRN_SYSTEM: 'urn:example:mrn',
        CHARTGATE_CLIENT_UUID: 'bench',
        CHARTGATE_ADMIN_TOKEN: ADMIN,
        ...issuer.settings,
      }),
    );
    const linked = await fetch(`http://127.0.0.1:${ours.port}/admin/api/links/user-1`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      body: '{"mrn":"mrn-1"}',
    });
    if (!linked.ok) throw new Error(`the patient could not be linked: ${linked.status}`);
    const proxies = {
      ours,
      middleware: await begun(startServer('bench/middleware-proxy.ts', origin)),
      undici: await begun(startServer('bench/undici-proxy.ts', origin)),
      audited: await begun(
        startServer('bench/audited-proxy.ts', origin, issuer.issuer, `${PUBLIC}/fhir`, join(folder, 'lines')),
      ),
    };
    const requestOf = ({ port }: Side, path: string): (() => Buffer) => {
      const head = Buffer.from(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/fhir+json\r\nAuthorization: Bearer ${issuer.token}\r\n\r\n`,
      );
      return () => head;
    };
    const ask = async (side: Side, path: string, connections: number, ms: number): Promise<Loaded> => {
      const loaded = await loadRequests(side.port, requestOf(side, path), connections, { ms });
      if ([...loaded.statuses.keys()].some((status) => status !== 200))
        throw new Error(`not every answer was 200: ${JSON.stringify([...loaded.statuses])}`);
      return loaded;
    };
    const roundOf = (side: Side, path: string) => async (): Promise<Round> => {
      const before = await side.cpuSeconds();
      const { perSecond, statuses } = await ask(side, path, CONNECTIONS, ROUND_MS);
      // Records of reads are durable before the answer, and entered into the chain later.
      const after = await cpuAtRest(side);
      return { perSecond, cpuUs: ((after - before) * 1e6) / (statuses.get(200) ?? NaN) };
    };
    const waysTo = (path: string) =>
      takeTurns(
        {
          ours: roundOf(ours, path),
          middleware: roundOf(proxies.middleware, path),
          undici: roundOf(proxies.undici, path),
          audited: roundOf(proxies.audited, path),
        },
        ROUNDS,
      );
    taken = { search: await waysTo(SEARCH), read: await waysTo(READ) };
    told = await takeTurns({ with: roundOf(ours, TOLD), without: roundOf(ours, SEARCH) }, ROUNDS);
    for (let i = 0; i < ALONE_ROUNDS; i += 1)
      for (const name of ['ours', 'undici'] as const)
        alone.set(name, [...(alone.get(name) ?? []), (await ask(proxies[name], SEARCH, 1, ALONE_MS)).p50Ms]);
    syncMs = timeSync(folder);
  } finally {
    for (const { end } of sides) await end();
    issuer.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const note = `20 entries a search, ${CONNECTIONS} connections; ours: token verified, decided, every entry checked, audited durably before the answer (SQLite FULL)`;
  const figure = (title: string, what: 'search' | 'read', way: Exclude<Way, 'ours'>): Figure => {
    const { ours, [way]: theirs } = taken[what];
    const { ratio, spread } = pair(rateOf(ours), rateOf(theirs));
    return {
      bench: 'read',
      figure: title,
      ratio,
      ours: round(median(rateOf(ours))),
      theirs: round(median(rateOf(theirs))),
      unit: 'answers/s',
      note: `${note}; ${spread}; CPU ${round(median(cpuOf(ours)))} against ${round(median(cpuOf(theirs)))} us`,
    };
  };
  yield figure('search-vs-proxy', 'search', 'middleware');
  yield figure('read-vs-proxy', 'read', 'middleware');
  yield figure('search-vs-undici', 'search', 'undici');
  yield figure('read-vs-undici', 'read', 'undici');
  yield figure('search-vs-audited-proxy', 'search', 'audited');
  yield figure('read-vs-audited-proxy', 'read', 'audited');
  const provenance = pair(rateOf(told.with), rateOf(told.without));
  yield {
    bench: 'read',
    figure: 'search-with-provenance',
    ratio: provenance.ratio,
    ours: round(median(rateOf(told.with))),
    theirs: round(median(rateOf(told.without))),
    unit: 'answers/s',
    note: `the same search of ours with and without _revinclude=Provenance:target, one Provenance of 471 targets (27 kB more from the EHR); ${provenance.spread}; CPU ${round(median(cpuOf(told.with)))} against ${round(median(cpuOf(told.without)))} us`,
  };
  const [us, them] = [median(alone.get('ours') ?? []), median(alone.get('undici') ?? [])];
  const added = us - them - syncMs;
  yield {
    bench: 'read',
    figure: 'added-p50-ms',
    ratio: round(GOAL_ADDED_MS / Math.max(added, 0.001)),
    ours: round(added),
    theirs: GOAL_ADDED_MS,
    unit: 'ms',
    note: `p50 of a search alone, ${round(us)} ms, less the undici proxy's ${round(them)} ms and one measured fdatasync of ${round(syncMs)} ms; theirs: the limit`,
  };
}
