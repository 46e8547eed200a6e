import { systemClock, type Clock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Resource, type Switches, type Write } from '../../../sandbox/index.ts';
import { startGateway, type Gateway } from '../../../src/gateway/index.ts';
import {
  checkDelivery,
  factsOf,
  isWithdrawn,
  NAMES,
  type DeliveryRun,
  type DeliveryViolation,
  type Said,
} from '../../support/check-delivery.ts';
import { checkAnswer } from '../../support/check-answer.ts';
import { collectLog } from '../../support/collect-log.ts';
import { eventually } from '../../support/eventually.ts';
import { configOf } from '../../support/gateway.ts';
import type { Place } from '../../support/new-store.ts';
import { CLIENT, type Json } from '../../support/payloads/index.ts';
import { serveSettings } from '../../support/run-process.ts';

const DATA_SECRET = 'data-secret-0123456789abcdef0123456789';
export const ADMIN_TOKEN = 'admin-token-0123456789abcdef0123456789';
export const MRN_SYSTEM = 'urn:example:mrn';

export interface Shown {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly conflicts?: readonly {
    readonly resourceType: string;
    readonly name: string;
    readonly versionId: string | null;
  }[];
  readonly withdrawals?: readonly { readonly name: string; readonly chart: Readonly<Record<string, string>> | null }[];
  readonly steps: readonly { readonly from: string | null; readonly to: string; readonly reason: string | null }[];
}

const RESTING = new Set(['delivered', 'superseded', 'duplicate', 'parked', 'quarantined', 'discarded']);

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);

/** How the source names and orders its documents, by the specification. */
export function saidOf(id: string, payload: Json): Said {
  const structure = String(payload['data_structure']);
  const bundle = at(payload, 'clinical_ready', 'clinical_ready_data');
  const key =
    structure === 'clinical_ready'
      ? at(bundle, 'id')
      : structure === 'lab_result'
        ? at(payload, 'lab_result', 'document_id')
        : (at(payload, 'metadata', 'summary_date_string') ?? at(payload, 'metadata', 'datetime_string') ?? '');
  const timestamp = at(bundle, 'timestamp');
  return {
    id,
    user: String(payload['user_id']),
    document: `${String(payload['user_id'])} ${structure} ${String(key)}`,
    // The count of steps only ascends within a day, and is the version there.
    version: Number(
      at(payload, 'physical_health', 'events', 'steps_event', '0', 'steps', 'accumulated_steps_int') ??
        payload['document_version'],
    ),
    saidAt: typeof timestamp === 'string' ? Date.parse(timestamp) : Date.now(),
    facts: factsOf(payload),
  };
}

export const aPatient = (id: string, mrn: string, more: object = {}): Resource & { id: string } => ({
  resourceType: 'Patient',
  id,
  active: true,
  identifier: [{ system: MRN_SYSTEM, value: mrn }],
  ...more,
});

/** What a patient says who is now another. */
export const mergedInto = (reference: string) => ({
  active: false,
  link: [{ other: { reference }, type: 'replaced-by' }],
});

export type Rig = Awaited<ReturnType<typeof startRig>>;

/**
 * A demo EHR over loopback, a gateway on a database of its own, a sender that remembers what it was told, and the
 * checker.
 */
export async function startRig(
  makePlace: () => Promise<Place>,
  {
    traits = {},
    settings = {},
    clock = systemClock,
    front,
  }: {
    readonly traits?: Switches;
    readonly settings?: Record<string, string>;
    readonly clock?: Clock;
    /** Through which the gateway reaches the EHR; gives the address of it. */
    readonly front?: (ehrUrl: string) => Promise<string>;
  } = {},
) {
  const ehr: DemoEhr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  ehr.board.setTraits(traits);
  const place = await makePlace();
  const { database } = place;
  const databaseUrl = database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();
  const given: Record<string, string> = {
    // The same keys at each start.
    ...serveSettings(databaseUrl),
    CHARTGATE_EHR_URL: (await front?.(ehr.url)) ?? ehr.url,
    CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
    CHARTGATE_WEBHOOK_SECRET: DATA_SECRET,
    CHARTGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    CHARTGATE_CLIENT_UUID: CLIENT,
    ...settings,
  };
  const log = collectLog();
  const start = (): Promise<Gateway> => startGateway({ config: configOf(databaseUrl, given), clock, log });
  let gateway = await start();
  const said: Said[] = [];
  const links = new Map<string, string[]>();

  const url = (path: string): string => `http://127.0.0.1:${gateway.port}${path}`;
  async function admin(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
    const answer = await fetch(url(`/admin/api/${path}`), {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = (await answer.json()) as Json;
    checkAnswer(method, `/admin/api/${path}`, answer.status, said);
    return { status: answer.status, body: said };
  }
  async function send(payload: Json, headers: Record<string, string> = {}): Promise<string> {
    const answer = await fetch(url(`/webhooks/${DATA_SECRET}/data`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(payload),
    });
    if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
    const { id } = (await answer.json()) as { id: string };
    said.push(saidOf(id, payload));
    return id;
  }
  /** So that no probe meets the faults that a test sets. */
  const untilProbed = () =>
    eventually(
      async () => (await admin('GET', 'targets')).body['targets'] as readonly Json[],
      ([target]) => target !== undefined && (target['probedAt'] ?? target['probeFault']) !== null,
    );
  await untilProbed();
  const read = async (id: string): Promise<Shown> => (await admin('GET', `deliveries/${id}`)).body as unknown as Shown;
  const until = (id: string, isWanted: (shown: Shown) => boolean, ms = 20_000): Promise<Shown> =>
    eventually(() => read(id), isWanted, ms);
  const resting = (id: string, ms?: number): Promise<Shown> => until(id, ({ state }) => RESTING.has(state), ms);

  const live = (): Json[] => {
    const last = new Map(ehr.log.writes().map((write) => [`${write.type}/${write.id}`, write]));
    return [...last.values()].flatMap(({ json }) => {
      const resource = json === null ? null : (JSON.parse(json) as Json);
      return resource === null || isWithdrawn(resource) ? [] : [resource];
    });
  };
  const isNamed = (resource: Json): boolean => JSON.stringify(resource['identifier'] ?? null).includes(NAMES);

  return {
    ehr,
    log,
    place,
    /** What the gateway is started with, keys included. */
    settings: (): Readonly<Record<string, string>> => ({ ...given }),
    /** A second process's worth of gateway on the same database; only PostgreSQL has room for it. */
    startAnother: (): Promise<Gateway> => start(),
    url,
    admin,
    send,
    read,
    until,
    resting,
    /** Sends, and waits until it has come to rest. */
    deliver: async (payload: Json, ms?: number): Promise<Shown> => resting(await send(payload), ms),
    /** A new patient at the EHR, and a link to it. */
    async enrol(
      user: string,
      mrn = `MRN-${user}`,
      patient = `pat-${mrn.toLowerCase().replaceAll('_', '-')}`,
    ): Promise<string> {
      if (ehr.repository.read('Patient', patient) === undefined) ehr.put(aPatient(patient, mrn));
      const { status } = await admin('PUT', `links/${user}`, { mrn });
      if (status !== 200) throw new Error(`the link was answered with ${status}`);
      links.set(user, [...(links.get(user) ?? []), `Patient/${patient}`]);
      return `Patient/${patient}`;
    },
    links,
    /** What stands at the EHR now. */
    live,
    /** Ours, of a chart. */
    chart: (patient: string): Json[] =>
      live().filter((resource) => isNamed(resource) && at(resource, 'subject', 'reference') === patient),
    writesSince: (n: number): readonly Write[] => ehr.log.writes(n).filter(({ requestId }) => requestId !== 'a-person'),
    restart: async (
      between: () => Promise<void> = () => Promise.resolve(),
      changed: Readonly<Record<string, string>> = {},
    ): Promise<void> => {
      await gateway.stop();
      await between();
      Object.assign(given, changed);
      gateway = await start();
      await untilProbed();
    },
    async check(): Promise<DeliveryViolation[]> {
      const standing = new Map<string, Shown>();
      for (const { id } of said) standing.set(id, await resting(id, 3_000));
      const run: DeliveryRun = { said, links, standing, writes: ehr.log.writes(), requests: ehr.log.requests() };
      return checkDelivery(run);
    },
    async ledgerAddsUp(): Promise<unknown> {
      return (await admin('GET', 'ledger')).body['addsUp'];
    },
    async stop(): Promise<void> {
      // Nothing that hangs is to be waited for.
      await Promise.all([ehr.stop(), gateway.stop()]);
      await place.remove();
    },
  };
}

/** Works off cases, some at a time, each with a rig of its own turn; what a case throws is its result. */
export async function runCases<Case, Result>(
  cases: readonly Case[],
  concurrency: number,
  work: (one: Case) => Promise<Result>,
): Promise<Map<Case, Result | Error>> {
  const results = new Map<Case, Result | Error>();
  const waiting = [...cases];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
        results.set(
          one,
          await work(one).catch((thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))),
        );
    }),
  );
  return results;
}
