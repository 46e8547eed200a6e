import { randomBytes } from 'node:crypto';
import type { Write } from '../../sandbox/index.ts';
import { startReplica, type Replica } from '../flow/delivery/replica.ts';
import { saidOf, type Shown } from '../flow/delivery/rig.ts';
import { checkDelivery, NAMES, type DeliveryViolation, type Said } from '../support/check-delivery.ts';
import { eventually } from '../support/eventually.ts';
import { foreignEhr, openDirect, type Direct, type ForeignEhr, type Kept } from '../support/foreign-ehr.ts';
import { sqlitePlace } from '../support/new-store.ts';
import {
  aClinicalReady,
  CLIENT,
  partAt,
  withAt,
  type ClinicalReadyOverrides,
  type Json,
} from '../support/payloads/index.ts';
import { serveSettings } from '../support/run-process.ts';
import { makeCuttingFront, type CuttingFront, type CutRule, type Passing } from './cutting-front.ts';

export const WEIGHT = '29463-7';
export const HEIGHT = '8302-2';
export const MRN_SYSTEM = 'urn:example:chartgate:real-ehr';

const REST_MS = 60_000;
const RESTING = new Set(['delivered', 'superseded', 'duplicate', 'parked', 'quarantined', 'discarded']);
const ASKED_AT_ONCE = 8;

/** Judged by its status alone: tags add up at some servers, and prove nothing. */
export const isTakenBack = (resource: Json): boolean => resource['status'] === 'entered-in-error';

export const codesOf = (resource: Json): readonly unknown[] =>
  ((partAt(resource, 'code.coding') ?? []) as Json[]).map(({ code }) => code);
export const valueOf = (resource: Json | undefined): unknown => partAt(resource, 'valueQuantity.value');
const nameOf = (resource: Json): unknown =>
  ((resource['identifier'] ?? []) as Json[]).find(({ system }) => system === NAMES)?.['value'];

/** A document of eight measurements of one day, so that one of them may go without leaving less than half. */
export const document = (userId: string, documentVersion: number, more: ClinicalReadyOverrides = {}): Json =>
  aClinicalReady({ userId, documentVersion, bundleId: `doc-${userId}`, observations: 8, ...more });

const ENTRIES = 'clinical_ready.clinical_ready_data.entry';
/** The same without one of its measurements, by the source's code. */
export const without = (payload: Json, code: string): Json =>
  withAt(
    payload,
    ENTRIES,
    (partAt(payload, ENTRIES) as Json[]).filter((entry) => !JSON.stringify(entry).includes(`"code":"${code}"`)),
  );

/** The server under test; thrown where nobody named one. */
export function realEhr(): ForeignEhr {
  const ehr = foreignEhr();
  if (ehr === null) throw new Error('EHR_TEST_URL is not set: start these tests with npm run test:real-ehr');
  return ehr;
}

export type Stand = Awaited<ReturnType<typeof startStand>>;

/**
 * A gateway in a process of its own on SQLite, a real EHR behind a front that can cut, people at that EHR, and a sender
 * that remembers what was acknowledged. Users and patients are of this stand alone, whatever else the server holds.
 */
export async function startStand(
  {
    front: wants,
    settings: more = {},
  }: { readonly front: 'cutting' | 'none'; readonly settings?: Record<string, string> } = {
    front: 'cutting',
  },
) {
  const ehr = realEhr();
  const direct: Direct = openDirect(ehr);
  const front: CuttingFront | null = wants === 'cutting' ? await makeCuttingFront(ehr) : null;
  const place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const run = randomBytes(4).toString('hex');
  const settings: Record<string, string> = {
    ...serveSettings(`sqlite:${place.database.file}?filesystem=any`),
    ...(front?.settings ?? { ...ehr.settings, CHARTGATE_EHR_URL: ehr.url }),
    CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
    CHARTGATE_ADMIN_TOKEN: randomBytes(24).toString('hex'),
    CHARTGATE_CLIENT_UUID: CLIENT,
    ...more,
  };
  let replica: Replica = await startReplica(settings);
  const said: Said[] = [];
  const links = new Map<string, string[]>();
  const byPersons = new Set<string>();

  const mrnOf = (user: string, nth: number): string => `${run}-${user}-${nth}`;
  async function link(user: string, mrn: string, patient: string): Promise<void> {
    links.set(user, [...(links.get(user) ?? []), patient]);
    const linked = await replica.admin('PUT', `links/${user}`, { mrn });
    if (linked['status'] !== 'confirmed') throw new Error(`the link was refused: ${JSON.stringify(linked)}`);
  }

  const read = async (id: string): Promise<Shown> =>
    (await replica.admin('GET', `deliveries/${id}`)) as unknown as Shown;
  const until = (id: string, isWanted: (shown: Shown) => boolean, ms = REST_MS): Promise<Shown> =>
    eventually(() => read(id), isWanted, ms);
  const resting = (id: string): Promise<Shown> => until(id, ({ state }) => RESTING.has(state));
  async function send(payload: Json): Promise<string> {
    const id = await replica.send(payload);
    if (id === null) throw new Error('the gateway did not acknowledge it');
    said.push(saidOf(id, payload));
    return id;
  }

  /** Ours, of a chart, taken back or not. */
  const chart = async (patient: string): Promise<Kept[]> =>
    (await direct.search('Observation', [['subject', patient]])).filter((one) => nameOf(one) !== undefined);
  const live = async (patient: string): Promise<Kept[]> => (await chart(patient)).filter((one) => !isTakenBack(one));
  async function measured(patient: string, code: string): Promise<Kept | undefined> {
    const found = (await live(patient)).filter((one) => codesOf(one).includes(code));
    if (found.length > 1) throw new Error(`${code} stands ${found.length} times at ${patient}`);
    return found[0];
  }

  /** Every version of everything of ours in these charts, as the demo EHR's write log would have it. */
  async function writesTo(patients: readonly string[]): Promise<Write[]> {
    const current: Kept[] = [];
    for (const patient of patients) current.push(...(await chart(patient)));
    const waiting = [...current];
    const histories: Kept[][] = [];
    await Promise.all(
      Array.from({ length: ASKED_AT_ONCE }, async () => {
        for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
          histories.push(await direct.versions(one.resourceType, one.id));
      }),
    );
    const known = new Set([...patients, ...current.map(({ resourceType, id }) => `${resourceType}/${id}`)]);
    const named = [...JSON.stringify(current).matchAll(/"reference":"([A-Z]\w+)\/([^"/]+)"/g)];
    const others: Kept[] = [];
    for (const [, type = '', id = ''] of named) {
      if (known.has(`${type}/${id}`)) continue;
      known.add(`${type}/${id}`);
      const one = await direct.read(type, id);
      if (one !== null) others.push(one);
    }
    for (const patient of patients) others.push({ resourceType: 'Patient', id: patient.slice('Patient/'.length) });
    return [...others.map((one) => [one]), ...histories].flatMap((versions) =>
      versions.map((one, i): Write => {
        const version = `${one.resourceType}/${one.id}/${String(partAt(one, 'meta.versionId'))}`;
        return {
          n: i,
          at: String(partAt(one, 'meta.lastUpdated')),
          requestId: byPersons.has(version) ? 'a-person' : 'the-gateway',
          kind: i === 0 ? 'create' : 'update',
          method: 'PUT',
          type: one.resourceType,
          id: one.id,
          versionId: i + 1,
          json: JSON.stringify(one),
        };
      }),
    );
  }

  return {
    direct,
    front,
    settings,
    replica: () => replica,
    send,
    read,
    until,
    resting,
    /** Sends, and waits until it has come to rest. */
    deliver: async (payload: Json): Promise<Shown> => resting(await send(payload)),
    /** A new patient at the EHR, made by a person there, and a link of the user to it. A second one is a re-link. */
    async enrol(user: string): Promise<string> {
      const before = links.get(user) ?? [];
      const mrn = mrnOf(user, before.length + 1);
      const { id } = await direct.create({
        resourceType: 'Patient',
        active: true,
        identifier: [{ system: MRN_SYSTEM, value: mrn }],
        name: [{ family: 'Synthetic', given: [user] }],
      });
      await link(user, mrn, `Patient/${id}`);
      return `Patient/${id}`;
    },
    /** Links the user to its first patient again. */
    async linkBack(user: string): Promise<void> {
      await link(user, mrnOf(user, 1), links.get(user)?.[0] ?? '');
    },
    chart,
    live,
    measured,
    /** The value that stands; undefined where none does. */
    value: async (patient: string, code: string): Promise<unknown> => valueOf(await measured(patient, code)),
    /** A clinician changes by hand what we wrote. */
    async edit(patient: string, code: string, change: Json): Promise<Kept> {
      const found = await measured(patient, code);
      if (found === undefined) throw new Error(`${code} does not stand at ${patient}`);
      const edited = await direct.update({ ...found, ...change });
      byPersons.add(`${edited.resourceType}/${edited.id}/${String(partAt(edited, 'meta.versionId'))}`);
      return edited;
    },
    /** The next request that writes to that chart is cut. */
    cutNextWrite(patient: string, cut: CutRule['cut'], meanwhile?: () => Promise<unknown>): Promise<Passing> {
      if (front === null) throw new Error('there is no front');
      return front.cutNext({
        matches: ({ method, path, body }) =>
          (method === 'POST' || method === 'PUT') && !path.includes('_search') && body.includes(`"${patient}"`),
        cut,
        ...(meanwhile === undefined ? {} : { meanwhile }),
      });
    },
    /** A decision, and where the delivery comes to rest after it. */
    async decide(id: string, decision: 'keep-theirs' | 'overwrite'): Promise<Shown> {
      const before = (await read(id)).steps.length;
      await replica.admin('POST', `deliveries/${id}/decide`, { decision });
      return until(id, ({ state, steps }) => steps.length > before + 1 && RESTING.has(state));
    },
    async kill(): Promise<void> {
      replica.signal('SIGKILL');
      await replica.ended;
    },
    async restart(): Promise<void> {
      replica = await startReplica(settings);
    },
    /** Everything that is wrong with what was said of these users, and with their charts. */
    async check(...users: readonly string[]): Promise<DeliveryViolation[]> {
      const ofThem = said.filter(({ user }) => users.includes(user));
      const standing = new Map<string, Shown>();
      for (const { id } of ofThem) standing.set(id, await resting(id));
      return checkDelivery({
        said: ofThem,
        links: new Map(users.map((user) => [user, links.get(user) ?? []])),
        standing,
        writes: await writesTo(users.flatMap((user) => links.get(user) ?? [])),
        requests: [],
        isWithdrawn: isTakenBack,
      });
    },
    ledger: () => replica.admin('GET', 'ledger'),
    async stop(): Promise<void> {
      replica.signal('SIGKILL');
      await replica.ended;
      await Promise.all([front?.close(), direct.close()]);
      await place.remove();
    },
  };
}
