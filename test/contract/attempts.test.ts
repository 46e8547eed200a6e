import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { deliverSet, laneSet } from '../../src/lanes/index.ts';
import type { Store } from '../../src/store/index.ts';
import { eventually } from '../support/eventually.ts';
import { laneTools, must, tenant } from '../support/lane-tools.ts';
import { PLACES, withClient, type Place } from '../support/new-store.ts';
import { DatabaseSync } from 'node:sqlite';

describe.each(PLACES)('the attempts of a delivery on %s', (_engine, newPlace) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
  });
  afterAll(() => place.remove());
  const { lanes, link, arrive, claim, begin, finish } = laneTools(() => store);

  const history = async (deliveryId: string) => must(await lanes().read('lane.history', { tenant, deliveryId }));
  /** Of how many attempts it is stored what the EHR said. */
  async function storedIssues(): Promise<number> {
    const text = 'SELECT count(*) AS n FROM attempt WHERE issues IS NOT NULL';
    if (place.database.engine === 'postgres')
      return withClient(place.database.url.reveal(), async (client) => {
        const { rows } = await client.query<{ n: string }>(text);
        return Number(rows[0]?.n);
      });
    const db = new DatabaseSync(place.database.file, { readOnly: true });
    const found = db.prepare(text).get();
    db.close();
    return Number(found?.['n']);
  }

  test('are shown newest first with what the EHR said, which is kept of the last twenty and for a time', async () => {
    await link('u1', '0001');
    const id = await arrive('u1');
    for (let n = 0; n < 23; n += 1) {
      const [one] = await eventually(
        () => claim('a'),
        (claimed) => claimed.length > 0,
      );
      if (one === undefined) throw new Error('not claimed');
      expect(await begin('a', one)).toBe('begun');
      await finish('a', one, {
        outcome: { kind: 'retry', afterMs: 0, faultCode: 'ehr.failed', patience: 'long' },
        httpStatus: 500 + n,
        issues: [{ code: 'exception', at: `Bundle.entry[${n}]` }],
      });
    }
    const { attempts, wrote } = await history(id);
    expect(wrote).toEqual([]);
    expect(attempts.map(({ httpStatus }) => httpStatus)).toEqual(Array.from({ length: 20 }, (_, n) => 522 - n));
    expect(attempts[0]).toMatchObject({
      kind: 'deliver',
      outcome: 'retry',
      faultCode: 'ehr.failed',
      issues: [{ code: 'exception', at: 'Bundle.entry[22]' }],
    });
    expect(await storedIssues()).toBe(20);
    expect(must(await lanes().write('lane.forget-issues', { tenant, before: new Date(0) }))).toBe(0);
    const later = new Date(Date.now() + 60_000);
    expect(must(await lanes().write('lane.forget-issues', { tenant, before: later }))).toBe(20);
    expect((await history(id)).attempts.flatMap(({ issues }) => issues)).toEqual([]);
  });

  test('of a delivery that is not there are none', async () => {
    expect(await history('dlv_none')).toEqual({ attempts: [], wrote: [] });
  });
});
