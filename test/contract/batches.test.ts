import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { auditSet, makeCheckpoint, storeSource, verifyAudit } from '../../src/audit/index.ts';
import { inboxSet, type InboxWrites } from '../../src/inbox/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { batchSet } from '../support/batch-commands/index.ts';
import { howMany } from '../support/how-much.ts';
import { must, tenant } from '../support/lane-tools.ts';
import { auditKey } from '../support/memory-audit.ts';
import { PLACES, type Place } from '../support/new-store.ts';

/** Its memory is its own, and large enough to be given back as soon as nobody needs it. */
const bodyOf = (text: string): Uint8Array<ArrayBuffer> => {
  const body = new Uint8Array(new ArrayBuffer(16 * 1024));
  body.set(new TextEncoder().encode(text));
  return body;
};

type Put = InboxWrites['inbox.put']['args'];
const putOf = (id: string, text: string): Put & { readonly body: Uint8Array<ArrayBuffer> } => ({
  id,
  tenant,
  hook: 'data',
  at: new Date(),
  requestId: 'r',
  receiver: 'i',
  sender: 's',
  body: bodyOf(text),
});

const MANNERS = ['put', 'put', 'put', 'same bytes', 'same id', 'throws', 'swallows'] as const;

describe.each(PLACES)('commands of one batch on %s', (engine, makePlace) => {
  let places = 1_000_000;
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, inboxSet, batchSet] });
  });
  afterEach(() => place.remove());

  const put = (id: string, text: string) => store.use(inboxSet).write('inbox.put', putOf(id, text));
  const write = (manner: (typeof MANNERS)[number], id: string, before: string) => {
    switch (manner) {
      case 'put':
        return put(id, id);
      case 'same bytes':
        return put(id, before);
      case 'same id':
        return put(before, id);
      case 'throws':
        return store.use(batchSet).write('batch.put-and-throw', { ...putOf(id, id), place: (places += 1) });
      case 'swallows':
        return store.use(batchSet).write('batch.put-and-swallow', { ...putOf(id, id), place: (places += 1) });
    }
  };
  const found = async (id: string) => must(await store.use(inboxSet).read('inbox.get', { tenant, id }));
  const storedBody = async (id: string): Promise<Buffer> =>
    Buffer.from(must(await store.use(inboxSet).read('inbox.body', { tenant, id }))?.body as Uint8Array);

  test('a delivery keeps its bytes whatever becomes of those beside it', async () => {
    const outcomes = await Promise.allSettled([
      put('dlv_a', 'a'),
      write('swallows', 'dlv_x', ''),
      put('dlv_b', 'b'),
      write('throws', 'dlv_y', ''),
    ]);
    expect([outcomes[0].status, outcomes[2].status]).toEqual(['fulfilled', 'fulfilled']);
    expect([await storedBody('dlv_a'), await storedBody('dlv_b')]).toEqual(
      ['a', 'b'].map((text) => Buffer.from(bodyOf(text))),
    );
  });

  test('are stored as if each had come alone: those that throw leave nothing, and the ledger and the audit add up', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...MANNERS), { minLength: 1, maxLength: 30 }), async (manners) => {
        const first = `dlv_${(n += 1)}`;
        must(await put(first, first));
        const ids = manners.map(() => `dlv_${(n += 1)}`);
        const outcomes = await Promise.allSettled(manners.map((manner, i) => write(manner, ids[i] ?? '', first)));
        for (const [i, manner] of manners.entries()) {
          const id = ids[i] ?? '';
          const isDone = outcomes[i]?.status === 'fulfilled';
          // What is journaled is answered before it is carried out; one that cannot be is put aside.
          const isAside = manner === 'same id' && engine === 'sqlite';
          if (manner !== 'swallows')
            expect([manner, isDone]).toEqual([manner, manner !== 'throws' && (manner !== 'same id' || isAside)]);
          const state = isDone && !isAside ? (manner === 'same bytes' ? 'duplicate' : 'received') : undefined;
          expect([manner, (await found(id))?.state]).toEqual([manner, state]);
          if (state === 'received') expect(await storedBody(id)).toEqual(Buffer.from(bodyOf(id)));
        }
        const inbox = store.use(inboxSet);
        expect(await inbox.read('inbox.ledger', { tenant })).toEqual(await inbox.read('inbox.recount', { tenant }));
      }),
      { numRuns: howMany(12, 60) },
    );
    const [audit, key] = [store.use(auditSet), auditKey(7)];
    must(await makeCheckpoint({ audit, key, clock: systemClock }));
    const { acknowledged } = must(await store.use(inboxSet).read('inbox.ledger', { tenant }));
    expect(await verifyAudit(storeSource(audit), key, [])).toMatchObject({
      sound: true,
      records: acknowledged,
      proven: acknowledged,
    });
  });
});
