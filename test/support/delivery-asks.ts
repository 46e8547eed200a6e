import { createHash } from 'node:crypto';
import { packDone, type Fingerprint, type LaneWrites, type WrittenRow } from '../../src/lanes/index.ts';
import type { Ask } from '../../src/store/write-queue.ts';

/* What the commands of a delivery are asked, from its acknowledgement to its end: delivery `n`, of one of a few users. */

export const USERS = 64;
/** In the ledger, for one delivery. */
export const ROWS = 15;
export const tenant = 'default';
export const owner = 'process';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const bytesOf = (text: string): Uint8Array => createHash('sha256').update(text).digest();

export type Claimed = LaneWrites['lane.claim']['out']['claimed'][number];
type Begun = Pick<Claimed, 'patient' | 'epoch' | 'job' | 'delivery'> & { readonly attemptId: string };

const userOf = (n: number): string => `user-${n % USERS}`;

export function linkAsk(n: number): Ask {
  const wanted = { id: `lnk_${n}`, client: 'client', user: userOf(n), mrnSystem: 'urn:mrn', mrn: userOf(n) };
  const act = { tenant, at: new Date(), requestId: 'req_link', actor: 'test', limit: 100 };
  return { name: 'deliver.link', args: { ...act, wanted: { ...wanted, status: 'confirmed', evidence: null } } };
}

/** Each delivery of a user is about another day. */
const dayOf = (n: number): string =>
  new Date(Date.UTC(2010, 0, 1) + Math.floor(n / USERS) * 86_400_000).toISOString().slice(0, 10);
const namesOf = (n: number): string[] => Array.from({ length: ROWS }, (_, i) => digestOf(`name ${n} ${i}`));
export const putAsk = (n: number, body: Uint8Array): Ask => ({
  name: 'inbox.put',
  args: {
    id: `dlv_${n}`,
    tenant,
    hook: 'data',
    at: new Date(),
    requestId: `req_${n}`,
    receiver: 'ins_test',
    sender: 'secret',
    body,
  },
});
const attemptOf = (n: number) => ({
  requestDigest: digestOf(`request ${n}`),
  intents: Buffer.alloc(900, n),
  chart: `Patient/${userOf(n)}`,
});
export const settleAsk = (n: number, seq: number): Ask => ({
  name: 'deliver.settle',
  args: {
    tenant,
    seq,
    at: new Date(),
    requestId: `req_${n}`,
    facts: {
      dataStructure: 'clinical_ready',
      client: 'client',
      user: userOf(n),
      documentVersion: 1,
      contentDigest: bytesOf(`content ${n}`),
      findings: [],
      unmapped: [],
    },
    verdict: {
      kind: 'sound',
      trouble: null,
      document: { key: `document ${n}`, version: 1, clinicalDigest: bytesOf(`clinical ${n}`), order: 'version' },
    },
    claim: {
      owner,
      leaseMs: 60_000,
      patient: { mrnSystem: 'urn:mrn', mrn: userOf(n) },
      names: JSON.stringify(namesOf(n)),
      shelves: [dayOf(n)],
      alertsOf: null,
      attempt: { id: `att_${n}`, ...attemptOf(n) },
    },
  },
});
const fenceOf = ({ patient, epoch }: Pick<Claimed, 'patient' | 'epoch'>) => ({ tenant, owner, patient, epoch });
export const finishAsk = (n: number, { attemptId, job, delivery, ...one }: Begun): Ask => ({
  name: 'lane.finish',
  args: {
    fence: fenceOf(one),
    jobSeq: job.seq,
    attemptId,
    outcome: { kind: 'delivered' },
    httpStatus: 200,
    ...packDone({ written: rowsOf(n), retracted: [] }, new Date(), delivery.seq),
    retracted: [],
    isResolved: false,
  },
});
const rowsOf = (n: number): WrittenRow[] =>
  namesOf(n).map((name, i) => ({
    name,
    resourceType: 'Observation',
    id: name,
    versionId: '1',
    fingerprint: digestOf(`print ${n} ${i}`).padEnd(88, '0') as Fingerprint,
    contentDigest: digestOf(`content ${n} ${i}`),
    said: { status: 'final', meaning: digestOf(`meaning ${n} ${i}`) },
    group: 'body',
    chartDay: dayOf(n),
    shelf: dayOf(n),
    ledgerDocument: null,
    saidAt: n,
    effect: 'created',
  }));

interface FastClaimed {
  readonly claimed: Claimed;
  readonly attemptId: string | null;
}
/** What `deliver.settle` has begun at once. */
export const begunBy = (out: unknown): Begun => {
  const { fastClaim } = out as { readonly fastClaim?: FastClaimed };
  if (fastClaim === undefined || fastClaim.attemptId === null) throw new Error('it was not begun at once');
  return { ...fastClaim.claimed, attemptId: fastClaim.attemptId };
};
