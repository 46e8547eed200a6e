import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  auditSet,
  makeCheckpoint,
  storeSource,
  verifyAudit,
  type AuditDraft,
  type AuditRecord,
} from '../../src/audit/index.ts';
import { systemClock, type Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { chainSet, ENDINGS, REFUSED_AT_COMMIT, type Ending } from '../support/chain-commands/index.ts';
import { eventually } from '../support/eventually.ts';
import { howMany } from '../support/how-much.ts';
import { aDraft, auditKey } from '../support/memory-audit.ts';
import { PLACES, withClient, type Place } from '../support/new-store.ts';

const key = auditKey(7);

/** By themselves, as what is read is recorded: PostgreSQL puts neighbours into one statement. */
type Way = Ending | 'alone' | 'unfit';

/** A command appends so many records; what is `lost` is the connection of a writer, or else the whole process. */
type Step =
  | { readonly kind: 'batch'; readonly commands: readonly { readonly count: number; readonly way: Way }[] }
  | { readonly kind: 'lost' }
  | { readonly kind: 'checkpoint' };

const ways: fc.Arbitrary<Way> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Way>('returns', 'alone') },
  { weight: 3, arbitrary: fc.constantFrom<Way>(...ENDINGS, 'unfit') },
);
const batch = fc.record({
  kind: fc.constant('batch' as const),
  commands: fc.array(fc.record({ count: fc.integer({ min: 1, max: 3 }), way: ways }), {
    minLength: 1,
    maxLength: 12,
  }),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: batch },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'lost' }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'checkpoint' }) },
  ),
  { minLength: 1, maxLength: 12 },
);

describe.each(PLACES)('the chains of writers on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  const sets = [auditSet, chainSet];
  /** By the request that each record names. */
  const stored = new Set<string>();
  const refused = new Set<string>();

  beforeEach(async () => {
    n = 0;
    stored.clear();
    refused.clear();
    place = await makePlace();
    store = await place.open({ sets });
    await place.tamper(REFUSED_AT_COMMIT);
  });
  afterEach(() => place.remove());

  /** Few people and charts, so that many records say what others said before. */
  function nextDraft(): AuditDraft {
    n += 1;
    const toSeal = { patient: { system: 'urn:mrn', mrn: String(n % 3) }, chart: `p${n % 5}` };
    return aDraft(n, { type: 'ehr.write', ...(n % 2 === 0 ? { toSeal } : {}) });
  }

  async function note(drafts: readonly AuditDraft[], asked: Promise<Result<null>>): Promise<void> {
    const answer = await asked.catch((thrown: unknown) => thrown as Error);
    const isUnknown = !(answer instanceof Error) && !answer.ok && answer.fault.code === 'store.commit-unknown';
    if (isUnknown) return;
    const isStored = !(answer instanceof Error) && answer.ok;
    for (const { requestId } of drafts) (isStored ? stored : refused).add(requestId);
  }

  async function append(count: number, way: Way): Promise<void> {
    const drafts = Array.from({ length: count }, nextDraft);
    if (way !== 'alone' && way !== 'unfit') {
      await note(drafts, store.use(chainSet).write('chain.append', { drafts, ending: way }));
      return;
    }
    const audit = store.use(auditSet);
    const told = drafts.map((draft) => (way === 'unfit' ? { ...draft, at: new Date(Number.NaN) } : draft));
    await Promise.all(told.map((draft) => note([draft], audit.write('audit.append', draft))));
  }

  async function lose(): Promise<void> {
    if (place.database.engine === 'postgres') {
      await withClient(place.database.url.reveal(), (client) =>
        client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1', [
          'ins_test%.0',
        ]),
      );
      return;
    }
    await store.close();
    store = await place.open({ sets });
  }

  async function play(step: Step): Promise<void> {
    if (step.kind === 'lost') await lose();
    else if (step.kind === 'checkpoint') await makeCheckpoint({ audit: store.use(auditSet), key, clock: systemClock });
    else await Promise.all(step.commands.map(({ count, way }) => append(count, way)));
  }

  const isReady = (): Promise<boolean> =>
    store
      .use(chainSet)
      .write('chain.append', { drafts: [nextDraft()], ending: 'returns' })
      .then(({ ok }) => ok);

  test('go on without a gap whatever was undone between, and hold what was acknowledged and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        for (const step of played) await play(step);
        await eventually(isReady, Boolean);
        const audit = store.use(auditSet);
        await makeCheckpoint({ audit, key, clock: systemClock });
        expect(await verifyAudit(storeSource(audit), key)).toMatchObject({ flaw: null, sound: true, unproven: [] });
        const found = new Set<string>();
        const source = storeSource(audit);
        for (const { chain } of await source.chains())
          for (const { record } of await source.records(chain, 0, 100_000))
            found.add((JSON.parse(record) as AuditRecord).requestId);
        expect([...stored].filter((id) => !found.has(id))).toEqual([]);
        expect([...refused].filter((id) => found.has(id))).toEqual([]);
      }),
      // One database for all of them: a shorter case would not begin where the failed one did.
      { numRuns: howMany(12, 150), endOnFailure: true },
    );
  });
});
