import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import type { Store } from '../../src/store/index.ts';
import { must } from '../support/lane-tools.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';

const tenant = 'default';
const at = new Date('2026-01-02T03:04:05.678Z');
const patientOf = (mrn: string) => ({ mrnSystem: 'urn:mrn', mrn });

describe.each(PLACES)('restricted patients on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, identitySet, readAuditSet] });
  });
  afterEach(() => place.remove());
  const identity = () => store.use(identitySet);
  const mark = async (mrn: string, to: 'restricted' | 'open', reason: string | null = null) =>
    must(
      await identity().write('identity.restrict', {
        tenant,
        at,
        requestId: 'r',
        actor: 'ann',
        patient: patientOf(mrn),
        to,
        reason,
      }),
    );
  const among = async (...mrns: readonly string[]) =>
    must(await identity().read('identity.restricted-among', { tenant, patients: mrns.map(patientOf) })).map(
      ({ mrn }) => mrn,
    );

  test('are those who were marked and not freed, however often', async () => {
    expect(await mark('0001', 'restricted')).toBe('changed');
    expect(await mark('0001', 'restricted')).toBe('unchanged');
    expect(await mark('0002', 'restricted')).toBe('changed');
    expect((await among('0001', '0002', '0003')).sort()).toEqual(['0001', '0002']);
    expect(await among()).toEqual([]);
    expect(await mark('0001', 'open')).toBe('changed');
    expect(await mark('0001', 'open')).toBe('unchanged');
    expect(await among('0001')).toEqual([]);
  });

  test('are listed newest first, page by page', async () => {
    for (const mrn of ['a', 'b', 'c']) await mark(mrn, 'restricted');
    const page = async (before: number | null) =>
      must(await identity().read('identity.restricted', { tenant, before, limit: 2 }));
    const first = await page(null);
    expect(first.map(({ mrn, actor, madeAt }) => [mrn, actor, madeAt])).toEqual([
      ['c', 'ann', at.getTime()],
      ['b', 'ann', at.getTime()],
    ]);
    expect((await page(first.at(-1)?.seq ?? 0)).map(({ mrn }) => mrn)).toEqual(['a']);
  });

  test('stand nowhere in clear; who marked them and why stands in the audit', async () => {
    await mark('MarkerMrn', 'restricted', 'Asked for by the patient');
    const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
    const said = JSON.stringify(records);
    expect(said).not.toContain('MarkerMrn');
    expect(JSON.parse(records.at(-1)?.record ?? '{}')).toMatchObject({
      type: 'admin',
      why: 'restrict',
      actor: 'ann',
      reason: 'Asked for by the patient',
      patientHash: expect.any(String),
    });
  });
});
