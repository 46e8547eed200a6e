import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr, type Switches } from '../../../sandbox/index.ts';
import { checkDelivery, type DeliveryViolation, type Said } from '../../support/check-delivery.ts';
import { eventually } from '../../support/eventually.ts';
import type { Place } from '../../support/new-store.ts';
import { CLIENT, type Json } from '../../support/payloads/index.ts';
import { serveSettings } from '../../support/run-process.ts';
import { startReplica, type Replica } from './replica.ts';
import { aPatient, mergedInto, MRN_SYSTEM, saidOf, type Shown } from './rig.ts';

/** A demo EHR, a database, and gateways in processes of their own, all of which are gone afterwards. */
export interface Stage {
  readonly ehr: DemoEhr;
  /** `more`: of the environment; `args`: what else `serve` is given. */
  start(more?: Readonly<Record<string, string>>, args?: readonly string[]): Promise<Replica>;
  /** A patient at the EHR, and a link of the user to it. `chart`: another patient, into whom this one was merged. */
  enrol(replica: Replica, user: string, chart?: string): Promise<void>;
  /** Null where it was not acknowledged. */
  send(replica: Replica, payload: Json): Promise<string | null>;
  show(replica: Replica, id: string): Promise<Shown>;
  delivered(replica: Replica, id: string): Promise<Shown>;
  /** How many Observations were written, in all versions. */
  written(): number;
  said(): readonly Said[];
  check(replica: Replica): Promise<DeliveryViolation[]>;
}

export async function withStage<T>(
  makePlace: () => Promise<Place>,
  traits: Switches,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  ehr.board.setTraits(traits);
  const place = await makePlace();
  const { database } = place;
  const settings = {
    ...serveSettings(database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal()),
    CHARTGATE_EHR_URL: ehr.url,
    CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
    CHARTGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef0123456789',
    CHARTGATE_CLIENT_UUID: CLIENT,
  };
  const replicas: Replica[] = [];
  const said: Said[] = [];
  const links = new Map<string, readonly string[]>();
  const show = async (replica: Replica, id: string): Promise<Shown> =>
    (await replica.admin('GET', `deliveries/${id}`)) as unknown as Shown;
  try {
    return await work({
      ehr,
      async start(more = {}, args = []) {
        const replica = await startReplica({ ...settings, ...more }, args);
        replicas.push(replica);
        return replica;
      },
      async enrol(replica, user, chart) {
        ehr.put(aPatient(`pat-${user}`, `MRN-${user}`, chart === undefined ? {} : mergedInto(chart)));
        await replica.admin('PUT', `links/${user}`, { mrn: `MRN-${user}` });
        links.set(user, [chart ?? `Patient/pat-${user}`]);
      },
      async send(replica, payload) {
        const id = await replica.send(payload);
        if (id !== null) said.push(saidOf(id, payload));
        return id;
      },
      show,
      delivered: (replica, id) =>
        eventually(
          () => show(replica, id),
          ({ state }) => state === 'delivered',
          30_000,
        ),
      written: () => ehr.log.writes().filter(({ type }) => type === 'Observation').length,
      said: () => said,
      async check(replica) {
        const standing = new Map<string, Shown>();
        for (const { id } of said) {
          const shown = await show(replica, id);
          if (shown.id === id) standing.set(id, shown);
        }
        return checkDelivery({ said, standing, links, writes: ehr.log.writes(), requests: ehr.log.requests() });
      },
    });
  } finally {
    for (const replica of replicas) replica.signal('SIGKILL');
    await Promise.all(replicas.map(({ ended }) => ended));
    await ehr.stop();
    await place.remove();
  }
}
