import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../src/kernel/index.ts';
import { DEMO_MRN_SYSTEM, demoPatients, seedEhr, startEhr } from '../../../sandbox/index.ts';
import { isWithdrawn } from '../../support/check-delivery.ts';
import { openDirect, type ForeignEhr } from '../../support/foreign-ehr.ts';
import type { Json } from '../../support/payloads/index.ts';

/** Where a simulated population is written to, and how it is read back past the gateway. */
export interface Charts {
  /** What the gateway must be told. */
  readonly settings: Readonly<Record<string, string>>;
  /** One for each person, in their order. */
  readonly patients: readonly { readonly mrn: string; readonly reference: string }[];
  /** Every Observation as it stands. */
  observations(): Promise<Json[]>;
  readonly isWithdrawn: (observation: Json) => boolean;
  close(): Promise<void>;
}

/** The demo EHR in this process; its write log tells what stands. */
export async function demoCharts(users: number): Promise<Charts> {
  const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  seedEhr(ehr, users);
  return {
    settings: { CHARTGATE_EHR_URL: ehr.url, CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM },
    patients: demoPatients(users).map(({ id, mrn }) => ({ mrn, reference: `Patient/${id}` })),
    observations() {
      const writes = ehr.log.writes().filter(({ type }) => type === 'Observation');
      const last = new Map(writes.map(({ id, json }) => [id, json]));
      return Promise.resolve([...last.values()].flatMap((json) => (json === null ? [] : [JSON.parse(json) as Json])));
    },
    isWithdrawn,
    close: () => ehr.stop(),
  };
}

/**
 * Any other, whose patients are new ones under an identifier system of this run, so that nothing that it holds already
 * counts.
 */
export async function foreignCharts(ehr: ForeignEhr, users: number): Promise<Charts> {
  const mrnSystem = `urn:example:chartgate:simulated:${randomBytes(4).toString('hex')}`;
  const direct = openDirect(ehr);
  const patients: { mrn: string; reference: string }[] = [];
  for (const { mrn, name } of demoPatients(users)) {
    const identifier = [{ system: mrnSystem, value: mrn }];
    const { id } = await direct.create({ resourceType: 'Patient', active: true, identifier, name: [{ text: name }] });
    patients.push({ mrn, reference: `Patient/${id}` });
  }
  return {
    settings: { ...ehr.settings, CHARTGATE_EHR_URL: ehr.url, CHARTGATE_MRN_SYSTEM: mrnSystem },
    patients,
    async observations() {
      const all: Json[] = [];
      for (const { reference } of patients) all.push(...(await direct.search('Observation', [['subject', reference]])));
      return all;
    },
    // Tags add up at some servers, so that our mark proves nothing.
    isWithdrawn: ({ status }) => status === 'entered-in-error',
    close: () => direct.close(),
  };
}
