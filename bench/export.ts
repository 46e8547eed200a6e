import { once } from 'node:events';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, SignJWT } from 'jose';
import { Agent, request } from 'undici';
import { MRN_SYSTEM, PAGE, patientName } from './export-world.ts';
import { median, round, type Figure } from './figure.ts';
import { startGateway, startServer, type Side } from './side.ts';
import { pair, rateOf, takeTurns, type Round } from './turns.ts';

const PAGES = 5;
const ROWS = 40_000;
const ROUNDS = 5;
const REQUESTS = 4;
const PUBLIC = 'http://127.0.0.1:8080';
const ADMIN = 'bench-admin-token-of-more-than-32-characters';
const GOAL_MB = 100;

/** An issuer elsewhere, with a token for a client that acts for itself. */
async function startIssuer(): Promise<{
  readonly server: Server;
  readonly issuer: string;
  readonly token: () => Promise<string>;
}> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] });
  const server = createServer((_req, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end(keys));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = (): Promise<string> =>
    new SignJWT({ scope: 'system/Observation.rs', client_id: 'bench' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
      .setIssuer(issuer)
      .setAudience(`${PUBLIC}/fhir`)
      .setSubject('bench')
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  return { server, issuer, token };
}

const rssMbOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;

/** Reads every page of every patient straight from the EHR, so many at once, and looks at nothing. */
async function readStraight(port: number, patients: number): Promise<number> {
  const agent = new Agent({ connections: REQUESTS, pipelining: 1 });
  const get = async (url: string): Promise<Buffer> => {
    const { body } = await request(url, { dispatcher: agent });
    return Buffer.from(await body.arrayBuffer());
  };
  let next = 0;
  let pages = 0;
  const base = `http://localhost:${port}/fhir`;
  await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      for (let n = (next += 1); n <= patients; n = next += 1) {
        await get(`${base}/Patient?identifier=${MRN_SYSTEM}|mrn-${patientName(n)}`);
        let url: string | null = `${base}/Observation?patient=${patientName(n)}&_count=${PAGE}`;
        while (url !== null) {
          const text: string = (await get(url)).toString('latin1');
          pages += 1;
          url = /"relation":\s*"next",\s*"url":\s*"([^"]+)"/.exec(text)?.[1] ?? null;
        }
      }
    }),
  );
  await agent.close();
  return pages * PAGE;
}

interface Measured {
  readonly rates: { readonly ours: readonly Round[]; readonly straight: readonly Round[] } | null;
  readonly idleMb: number;
  readonly peakMb: number;
  readonly resources: number;
  readonly bytes: number;
}

/** A gateway before this EHR: so many rounds of both sides in turns, then one export that is fetched to its end. */
async function measure(startEhr: () => Promise<Side>, patients: number, rounds: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-bench-'));
  const sides: Side[] = [];
  const { server, issuer, token } = await startIssuer();
  try {
    const ehr = await startEhr();
    sides.push(ehr);
    const gateway = await startGateway(join(folder, 'chartgate.db'), {
      CHARTGATE_EHR_URL: `http://localhost:${ehr.port}/fhir`,
      CHARTGATE_PUBLIC_URL: PUBLIC,
      CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
      CHARTGATE_CLIENT_UUID: 'bench',
      CHARTGATE_ADMIN_TOKEN: ADMIN,
      CHARTGATE_AUTH_ISSUER: issuer,
      CHARTGATE_AUTH_JWKS_URL: `${issuer}/jwks`,
      CHARTGATE_EXPORT_REQUESTS: String(REQUESTS),
    });
    sides.push(gateway);
    const base = `http://127.0.0.1:${gateway.port}`;
    for (let n = 1; n <= patients; n += 1) {
      const linked = await fetch(`${base}/admin/api/links/user-${n}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ mrn: `mrn-${patientName(n)}` }),
      });
      if (!linked.ok) throw new Error(`a patient could not be linked: ${linked.status}`);
      await linked.arrayBuffer();
    }
    const bearer = await token();
    const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(path.replace(PUBLIC, base), {
        ...init,
        headers: { authorization: `Bearer ${bearer}`, ...(init.headers as Record<string, string> | undefined) },
      });

    /** Begins one and waits for its manifest. */
    async function exportAll(): Promise<{
      readonly at: string;
      readonly output: readonly { url: string; count: number }[];
    }> {
      const begun = await ask(`${base}/fhir/$export?_type=Observation`, { headers: { prefer: 'respond-async' } });
      const at = begun.headers.get('content-location');
      if (begun.status !== 202 || at === null) throw new Error(`not begun: ${begun.status} ${await begun.text()}`);
      for (;;) {
        const told = await ask(at);
        if (told.status === 200)
          return { at, output: ((await told.json()) as { output: { url: string; count: number }[] }).output };
        if (told.status !== 202) throw new Error(`not complete: ${told.status} ${await told.text()}`);
        await pause(20);
      }
    }
    const sumOf = (output: readonly { count: number }[]): number => output.reduce((sum, { count }) => sum + count, 0);
    async function ours(): Promise<Round> {
      const [from, cpu] = [performance.now(), await gateway.cpuSeconds()];
      const { at, output } = await exportAll();
      const seconds = (performance.now() - from) / 1000;
      const count = sumOf(output);
      if (count !== patients * PAGES * PAGE) throw new Error(`${count} resources came`);
      const cpuUs = (((await gateway.cpuSeconds()) - cpu) * 1e6) / count;
      await ask(at, { method: 'DELETE' });
      return { perSecond: count / seconds, cpuUs };
    }
    async function straight(): Promise<Round> {
      const [from, cpu] = [performance.now(), process.cpuUsage()];
      const count = await readStraight(ehr.port, patients);
      const { user, system } = process.cpuUsage(cpu);
      return { perSecond: count / ((performance.now() - from) / 1000), cpuUs: (user + system) / count };
    }
    const idleMb = rssMbOf(gateway.pid);
    const rates = rounds === 0 ? null : await takeTurns({ ours, straight }, rounds);
    const { output } = await exportAll();
    let bytes = 0;
    for (const { url } of output) {
      const file = await ask(url);
      for await (const part of file.body ?? []) bytes += part.length;
    }
    return { rates, idleMb, peakMb: gateway.peakMb() ?? NaN, resources: sumOf(output), bytes };
  } finally {
    for (const { end } of sides) await end();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A bulk export, every page checked, compressed, sealed, stored and audited, against the same pages read straight from
 * the same EHR with as many requests at once; and the memory that the gateway takes for it. Of more rows than usual the
 * memory alone is measured, with an EHR that takes no time.
 */
export async function* run({ rows = ROWS }: { readonly rows?: number }): AsyncGenerator<Figure> {
  const patients = Math.ceil(rows / (PAGES * PAGE));
  const ehrs = [
    [
      'export-vs-direct',
      () => startServer('bench/export-demo-ehr.ts', String(patients), String(PAGES * PAGE)),
      '; goal 0.7',
    ],
    [
      'export-vs-direct-no-work',
      () => startServer('bench/export-ehr.ts', String(PAGES)),
      ', of an EHR that does no work',
    ],
  ] as const;
  for (const [figure, startEhr, goal] of rows > ROWS ? [] : ehrs) {
    const { rates } = await measure(startEhr, patients, ROUNDS);
    if (rates === null) continue;
    const { ratio, spread } = pair(rateOf(rates.ours), rateOf(rates.straight));
    yield {
      bench: 'export',
      figure,
      ratio,
      ours: round(median(rateOf(rates.ours))),
      theirs: round(median(rateOf(rates.straight))),
      unit: 'resources/s',
      note: `${patients} patients, ${PAGES} pages of ${PAGE} each, ${REQUESTS} requests at once; ${spread}${goal}`,
    };
  }
  const { idleMb, peakMb, resources, bytes } = await measure(ehrs[1][1], patients, 0);
  yield {
    bench: 'export',
    figure: 'export-memory',
    ratio: round(peakMb / idleMb),
    ours: round(peakMb),
    theirs: round(idleMb),
    unit: 'MB resident',
    note: `peak of export and download of ${resources} resources (${round(bytes / 1e6)} MB of files) against idle: ${round(peakMb - idleMb)} MB more; goal ${GOAL_MB}`,
  };
}
