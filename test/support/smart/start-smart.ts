import { authenticateByToken } from '../../../src/admin/index.ts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { auditSet } from '../../../src/audit/index.ts';
import type { Grant } from '../../../src/auth/index.ts';
import { deliverSet } from '../../../src/lanes/index.ts';
import { openEhr, readCapability, type Capability, type EhrLimits } from '../../../src/ehr/index.ts';
import { makeApp } from '../../../src/http/index.ts';
import { identitySet } from '../../../src/identity/index.ts';
import { inboxSet } from '../../../src/inbox/index.ts';
import { fail, makeBudget, fault, ok, systemClock, type Budget, type Clock } from '../../../src/kernel/index.ts';
import type { ProfileSet } from '../../../src/r4/index.ts';
import { makePersons, personSet } from '../../../src/persons/index.ts';
import { makeReadDue } from '../../../src/persons/read-due.ts';
import { makeSmart } from '../../../src/smart/index.ts';
import { collectLog } from '../collect-log.ts';
import { newId } from '../gateway.ts';
import { sqlitePlace, TEST_KEYS } from '../new-store.ts';
import { readAuditSet } from '../read-audit/index.ts';
import { ORIGIN } from './a-grant.ts';

export { aGrant, ORIGIN } from './a-grant.ts';

/** `skips`: what a read would cost that nobody records. */
type AuditState = 'writes' | 'fails' | 'fails-once' | 'skips';

export type SmartRig = Awaited<ReturnType<typeof startSmart>>;

/** The read API alone, on a database of its own, in front of any EHR. A token is the name of a grant. */
export async function startSmart(
  ehrUrl: string,
  options: {
    readonly mrnSystem?: string;
    readonly patients?: 'linked' | 'all';
    readonly types?: readonly string[];
    readonly limits?: Partial<EhrLimits>;
    readonly clock?: Clock;
    readonly capability?: 'probed' | 'unknown';
    readonly profiles?: ProfileSet;
    readonly budget?: Budget;
  } = {},
) {
  const { mrnSystem = 'urn:example:mrn', clock = systemClock } = options;
  const place = await sqlitePlace();
  const store = await place.open({ sets: [auditSet, inboxSet, identitySet, personSet, deliverSet, readAuditSet] });
  const log = collectLog();
  const chance = (bytes: number) => randomBytes(bytes);
  const ehr = openEhr({
    target: { url: ehrUrl, auth: { kind: 'none' }, tls: null },
    clock,
    chance,
    newId,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  let capability: Capability | null = null;
  if (options.capability === 'probed') {
    const read = readCapability(await (await fetch(`${ehrUrl}/metadata`)).json());
    if (read.ok) capability = read.value;
  }
  const grants = new Map<string, Grant>();
  let server: Server | null = null;
  const listening = createServer((req, res) => void server?.emit('request', req, res));
  const port = await new Promise<number>((resolve) =>
    listening.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port)),
  );
  const url = `http://127.0.0.1:${port}`;
  let auditState: AuditState = 'writes';
  const audit = store.use(auditSet);
  const persons = store.use(personSet);
  const smart = makeSmart({
    tenant: 'default',
    publicUrl: url,
    version: 'test',
    mrnSystem,
    patients: options.patients ?? 'linked',
    types: options.types ?? [],
    keys: TEST_KEYS,
    audit: {
      ...audit,
      write: (name, args) => {
        const state = auditState;
        if (state === 'writes') return audit.write(name, args);
        if (state === 'fails-once') auditState = 'writes';
        return Promise.resolve(state !== 'skips' ? fail(fault('store.io')) : (ok(null) as never));
      },
    },
    identity: store.use(identitySet),
    persons: makePersons({ tenant: 'default', mrnSystem, persons, clock, log }),
    ehr,
    budget: options.budget ?? makeBudget(Infinity),
    isPaused: () => false,
    isDelivering: () => false,
    backgroundRequests: 4,
    capability: () => capability,
    searchBy: () => 'post',
    loadedProfiles: () => ({ profiles: options.profiles ?? null }),
    clock,
    chance,
  });
  const readDue = makeReadDue({ tenant: 'default', persons, readByMrn: smart.readByMrn, clock });
  const routes = smart.serve({
    verifyToken: (authorization) => {
      const grant = grants.get(authorization?.replace(/^Bearer /, '') ?? '');
      return Promise.resolve(grant === undefined ? fail(fault('admin.unauthenticated')) : ok(grant));
    },
    isOrigin: (origin) => Promise.resolve(origin === ORIGIN),
    oauthUris: () =>
      Promise.resolve({ authorize: `${url}/a`, token: `${url}/t`, introspect: `${url}/i`, revoke: `${url}/r` }),
  });
  const app = makeApp({
    routes,
    trustProxy: [],
    authenticate: authenticateByToken(null),
    newId,
    clock,
    log,
    observe: () => undefined,
    isDraining: () => false,
  });
  server = createServer(app);

  return {
    url,
    base: `${url}/fhir`,
    store,
    log,
    smart,
    failAudit: (state: AuditState) => void (auditState = state),
    /** Makes a token for a grant. */
    token(grant: Grant): string {
      const name = `token-${grants.size + 1}`;
      grants.set(name, grant);
      return name;
    },
    async link(mrn: string, status: 'confirmed' | 'revoked' = 'confirmed'): Promise<void> {
      const act = { tenant: 'default', at: systemClock.now(), requestId: 'req_test', actor: 'operator', limit: 100 };
      const user = { client: 'client', user: `user-of-${mrn}` };
      const deliver = store.use(deliverSet);
      const done =
        status === 'confirmed'
          ? await deliver.write('deliver.link', {
              ...act,
              wanted: { ...user, id: newId('lnk'), mrnSystem, mrn, status, evidence: null },
            })
          : await deliver.write('deliver.revoke', { ...act, user, why: 'test' });
      if (!done.ok) throw new Error(done.fault.code);
    },
    /** Reads from the EHR whoever was linked, as the gateway does in the background. */
    async refresh(): Promise<void> {
      for (;;) {
        const done = await readDue();
        if (done.kind === 'failed') throw new Error(done.fault.code);
        if (done.kind === 'nothing') return;
      }
    },
    audits: async () => {
      const read = await store.use(readAuditSet).read('audit-test.everything', null);
      if (!read.ok) throw new Error(read.fault.code);
      return read.value.records.map(({ record }) => JSON.parse(record) as Record<string, unknown>);
    },
    get: (path: string, token: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers }, redirect: 'manual' }),
    post: (path: string, token: string, body: RequestInit['body'], headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json', ...headers },
        body: body ?? null,
        redirect: 'manual',
      }),
    async stop(): Promise<void> {
      await new Promise((resolve) => {
        listening.close(resolve);
        listening.closeAllConnections();
      });
      await ehr.close();
      await place.remove();
    },
  };
}
