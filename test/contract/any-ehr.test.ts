import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { startEhr } from '../../sandbox/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { eventually } from '../support/eventually.ts';
import { foreignEhr, openDirect, type Direct, type ForeignEhr, type Kept } from '../support/foreign-ehr.ts';
import { aClinicalReady, anAlertSummary } from '../support/payloads/index.ts';
import { startHookGateway, type HookGateway } from '../http/webhooks/hook-gateway.ts';

/**
 * What must hold at any EHR: at the demo EHR, or at the server that EHR_TEST_URL names (its credentials are given as to
 * `serve`), whose data this suite adds to: patients and Observations of its own, under random MRNs.
 */
const REAL = foreignEhr();
const SERVERS: readonly (readonly [string, ForeignEhr | null])[] = [
  REAL === null ? ['the demo EHR', null] : ['the server of EHR_TEST_URL', REAL],
];
const MRN_SYSTEM = 'urn:example:chartgate:contract';
const NAMES = 'urn:chartgate:measurement';

interface Found extends Kept {
  readonly status: string;
  readonly meta: { readonly versionId: string };
  readonly identifier: readonly { readonly system: string; readonly value: string }[];
  readonly code: { readonly coding: readonly { readonly code: string }[] };
  readonly valueQuantity?: { readonly value: number };
}

describe.each(SERVERS)('at %s', (_, foreign) => {
  const run = randomBytes(4).toString('hex');
  let stopEhr = (): Promise<void> => Promise.resolve();
  let direct: Direct;
  let hooks: HookGateway;
  beforeAll(async () => {
    let server = foreign;
    if (server === null) {
      const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
      server = { url: ehr.url, settings: {} };
      stopEhr = () => ehr.stop();
    }
    direct = openDirect(server);
    hooks = await startHookGateway({
      ...server.settings,
      CHARTGATE_EHR_URL: server.url,
      CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
      CHARTGATE_PATIENT_MODE: 'create',
    });
  });
  afterAll(async () => {
    await hooks.stop();
    await direct.close();
    await stopEhr();
  });

  const delivered = (id: string) =>
    eventually(
      () => hooks.read(id),
      ({ state }) => state === 'delivered' || state === 'parked',
      foreign === null ? undefined : 60_000,
    );
  const chart = async (mrn: string): Promise<Found[]> => {
    const [patient] = await direct.search('Patient', [['identifier', `${MRN_SYSTEM}|${mrn}`]]);
    if (patient === undefined) return [];
    return (await direct.search('Observation', [['subject', `Patient/${patient.id}`]])) as Found[];
  };
  const live = async (mrn: string) => (await chart(mrn)).filter(({ status }) => status !== 'entered-in-error');
  const valueOf = (all: readonly Found[], code: string) =>
    all.find(({ code: { coding } }) => coding.some((one) => one.code === code))?.valueQuantity?.value;

  test('a document is written once, changed where it changed, and moved when its MRN was wrong', async () => {
    const [user, mrn, right] = [`user-${run}`, `A${run}`, `B${run}`];
    const first = await hooks.deliver(aClinicalReady({ userId: user, bundleId: `b-${run}` }));
    await hooks.put(`links/${user}`, { mrn });
    expect((await delivered(first.id)).state).toBe('delivered');
    const written = await chart(mrn);
    expect([written.length, valueOf(written, '29463-7')]).toEqual([15, 71.25]);
    expect(
      new Set(
        written.flatMap(({ identifier }) =>
          identifier.filter(({ system }) => system === NAMES).map(({ value }) => value),
        ),
      ).size,
    ).toBe(15);

    const second = await hooks.deliver(
      aClinicalReady({ userId: user, bundleId: `b-${run}`, documentVersion: 2, values: { weight: 70.5 } }),
    );
    expect((await delivered(second.id)).state).toBe('delivered');
    const changed = await chart(mrn);
    expect([changed.length, valueOf(changed, '29463-7')]).toEqual([15, 70.5]);
    const versions = new Map(written.map(({ id, meta }) => [id, meta.versionId]));
    expect(changed.filter(({ id, meta }) => versions.get(id) !== meta.versionId)).toHaveLength(1);

    await hooks.put(`links/${user}`, { mrn: right });
    await eventually(
      () => live(right),
      (all) => all.length === 15,
      foreign === null ? undefined : 60_000,
    );
    expect([(await live(mrn)).length, (await chart(mrn)).length]).toEqual([0, 15]);
  }, 180_000);

  test('alerts of a day are withdrawn when it is evaluated again without any', async () => {
    const [user, mrn] = [`alert-${run}`, `C${run}`];
    await hooks.put(`links/${user}`, { mrn });
    const first = await hooks.deliver(anAlertSummary({ userId: user }));
    expect((await delivered(first.id)).state).toBe('delivered');
    expect(await live(mrn)).toHaveLength(2);
    const second = await hooks.deliver(anAlertSummary({ userId: user, documentVersion: 2, restingHeartRate: null }));
    expect((await delivered(second.id)).state).toBe('delivered');
    expect((await live(mrn)).map(({ status }) => status)).toEqual(['final']);
  });
});
