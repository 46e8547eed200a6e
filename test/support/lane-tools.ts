import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { deliverSet, laneSet, packDone, type Finish, type LaneWrites, type WrittenRow } from '../../src/lanes/index.ts';
import { inboxSet, type Facts, type State } from '../../src/inbox/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
export const tenant = 'default';
export const at = new Date();
export const act = { tenant, at, requestId: 'r', actor: 'test' };
export type Claimed = LaneWrites['lane.claim']['out']['claimed'][number];
export const HEX = createHash('sha256').update('x').digest('hex');

/** What happens to lanes, command by command, on a store with the sets of deliveries, links and lanes. */
export function laneTools(store: () => Store) {
  let n = 0;
  const lanes = () => store().use(laneSet);

  async function link(user: string, mrn: string): Promise<void> {
    const wanted = {
      id: `lnk_${user}_${mrn}`,
      client: 'c',
      user,
      mrnSystem: 'urn:mrn',
      mrn,
      status: 'confirmed',
      evidence: null,
    } as const;
    must(
      await store()
        .use(deliverSet)
        .write('deliver.link', { ...act, wanted, limit: 100 }),
    );
  }
  /** Into its lane, as a sound document; the last that arrived keeps its key. */
  async function settle(id: string, seq: number, user: string, key = `lane doc ${n}`): Promise<void> {
    const facts: Facts = {
      dataStructure: 'x',
      client: 'c',
      user,
      documentVersion: 1,
      contentDigest: null,
      findings: [],
      unmapped: [],
    };
    const clinicalDigest = createHash('sha256').update(id).digest();
    const document = { key, version: n, clinicalDigest, order: 'version' } as const;
    must(
      await store()
        .use(deliverSet)
        .write('deliver.settle', {
          tenant,
          seq,
          at,
          requestId: 'r',
          facts,
          verdict: { kind: 'sound', trouble: null, document },
        }),
    );
  }
  async function arrive(user: string, key?: string): Promise<string> {
    n += 1;
    const id = `dlv_lane_${n}`;
    const body = new TextEncoder().encode(`lane body ${n}`);
    must(
      await store()
        .use(inboxSet)
        .write('inbox.put', { id, tenant, hook: 'data', at, requestId: 'r', receiver: 'i', sender: 's', body }),
    );
    const { seq } = must(await store().use(inboxSet).read('inbox.get', { tenant, id })) ?? { seq: 0 };
    await settle(id, seq, user, key);
    return id;
  }
  const claim = async (owner: string, leaseMs = 15_000, limit = 10): Promise<readonly Claimed[]> =>
    must(await lanes().write('lane.claim', { tenant, owner, at: new Date(), leaseMs, limit })).claimed;
  const fenceOf = (owner: string, { patient, epoch }: Claimed) => ({ tenant, owner, patient, epoch });
  const begin = async (owner: string, one: Claimed, leaseMs = 15_000, chart: string | null = null): Promise<string> => {
    const attemptId = `att_${one.delivery.id}_${one.epoch}`;
    return must(
      await lanes().write('lane.begin', {
        fence: fenceOf(owner, one),
        jobSeq: one.job.seq,
        attemptId,
        requestDigest: HEX,
        intents: Buffer.from(one.delivery.id),
        chart,
        mode: 'write',
        leaseMs,
        at: new Date(),
      }),
    );
  };
  const finish = async (
    owner: string,
    one: Claimed,
    {
      written = [],
      retracted = [],
      ...more
    }: Pick<Finish, 'outcome'> & Partial<Omit<Finish, 'written'>> & { readonly written?: readonly WrittenRow[] },
  ): Promise<string> =>
    must(
      await lanes().write('lane.finish', {
        fence: fenceOf(owner, one),
        jobSeq: one.job.seq,
        attemptId: `att_${one.delivery.id}_${one.epoch}`,
        httpStatus: 200,
        retracted,
        ...packDone({ written, retracted }, new Date(), one.delivery.seq),
        isResolved: false,
        ...more,
      }),
    );
  const stateOf = async (id: string): Promise<State | undefined> =>
    must(await store().use(inboxSet).read('inbox.get', { tenant, id }))?.state;
  const soundness = async (): Promise<void> =>
    expect(must(await store().use(inboxSet).read('inbox.ledger', { tenant }))).toEqual(
      must(await store().use(inboxSet).read('inbox.recount', { tenant })),
    );
  const only = (claimed: readonly Claimed[]): Claimed => {
    const [one] = claimed;
    if (one === undefined || claimed.length !== 1) throw new Error(`${claimed.length} claimed`);
    return one;
  };

  return { lanes, link, arrive, settle, claim, begin, finish, stateOf, soundness, only };
}
