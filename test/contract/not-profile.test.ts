import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import {
  makeFreshBodies,
  makeJudge,
  makePretranslations,
  processReceived,
  type LoadedTranslationContext,
} from '../../src/judge/index.ts';
import { buildTranslationContext } from '../../src/judge/translation-context.ts';
import { makeBudget, ok, systemClock, type Result } from '../../src/kernel/index.ts';
import { deliverSet } from '../../src/lanes/index.ts';
import type { MappingFiles } from '../../src/mappings/index.ts';
import type { Store } from '../../src/store/index.ts';
import { METHOD, someProfiles } from '../support/a-guide.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { edited, smallFiles } from '../support/mapping-files.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { aClinicalReadyOf, CLIENT } from '../support/payloads/index.ts';
import { TRANSLATION_SETTINGS } from '../support/translation-settings.ts';

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};
const tenant = 'default';
const act = { tenant, at: new Date('2026-11-16T00:00:00Z'), requestId: 'req_test', actor: 'ada' };
const profiles = someProfiles();

/** What a load of these files comes to beside a guide that holds the profiles. */
function loaded(files: MappingFiles): LoadedTranslationContext {
  const data = { files, templates: new Map(), guides: [] };
  const translationContext = { ...buildTranslationContext(TRANSLATION_SETTINGS, data), profiles };
  return { settings: TRANSLATION_SETTINGS, data, translationContext };
}
const PLAIN = loaded(smallFiles());
const ASKING = loaded(
  edited(smallFiles(), 'dialects/default.json', (dialect: Record<string, unknown>) => {
    dialect['profiles'] = [{ type: 'Observation', profile: METHOD }];
  }),
);

describe.each(PLACES)('a delivery that misses a profile, on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet] });
  });
  afterEach(() => place.remove());

  test('is parked with rule, place and profile, and goes its way once a replay judges it by other data', async () => {
    const user = 'user-1';
    const wanted = { id: 'lnk_1', client: CLIENT, user, mrnSystem: 'urn:mrn', mrn: '7', status: 'confirmed' } as const;
    must(
      await store.use(deliverSet).write('deliver.link', { ...act, wanted: { ...wanted, evidence: null }, limit: 9 }),
    );
    const payload = aClinicalReadyOf([{ code: 'weight', value: '71', unit: 'kg', ucum: 'kg' }], { userId: user });
    const put = { id: 'dlv_1', tenant, hook: 'data', at: act.at, requestId: 'r', receiver: 'i', sender: 's' } as const;
    const body = new TextEncoder().encode(JSON.stringify(payload));
    must(await store.use(inboxSet).write('inbox.put', { ...put, body }));

    const budget = makeBudget(Infinity);
    let current = ASKING;
    const judging = processReceived({
      tenant,
      instance: 'i',
      inbox: store.use(inboxSet),
      deliver: store.use(deliverSet),
      ...makeJudge({
        current: () => current,
        held: makePretranslations(budget),
        bodyBytesMax: 1024 * 1024,
        contentKey: 'a key',
        threads: 0,
      }),
      fresh: makeFreshBodies(budget),
      budget,
      clock: systemClock,
      log: collectLog(),
      isBusy: () => false,
      onSettled: () => undefined,
      onFinding: () => undefined,
      follow: () => Promise.resolve(ok([])),
    });
    const settled = () =>
      eventually(
        async () => {
          judging.wake();
          const found = must(await store.use(inboxSet).read('inbox.get', { tenant, id: put.id }));
          return [found?.state, found?.reason, found?.findings];
        },
        ([state]) => state !== 'received',
      );
    judging.start();
    try {
      const missed = ['parked', 'not-profile', [`output.profile-min Bundle.entry[1].resource ${METHOD}`]];
      expect(await settled()).toEqual(missed);
      const many = { ...act, state: 'parked', reason: 'not-profile', after: 0, limit: 10 } as const;
      expect(must(await store.use(inboxSet).write('inbox.replay-many', many))).toMatchObject({ count: 1 });
      expect(await settled()).toEqual(missed);
      current = PLAIN;
      must(await store.use(inboxSet).write('inbox.replay-many', many));
      expect(await settled()).toEqual(['queued', null, []]);
    } finally {
      await judging.stop();
    }
  });
});
