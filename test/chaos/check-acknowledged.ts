import { createHash } from 'node:crypto';

export interface FoundDelivery {
  readonly seq: number;
  readonly id: string;
  readonly state: string;
  /** What the row says that the body's digest is. */
  readonly rawDigest: string;
  /** The digest of the body that is really there, decrypted; null where there is none or it does not open. */
  readonly bodyDigest: string | null;
  readonly duplicateOf: number | null;
}
export interface FoundChain {
  readonly chain: string;
  readonly previous: string | null;
  readonly firstLink: Uint8Array;
}
export interface FoundRecord {
  readonly chain: string;
  readonly seq: number;
  readonly record: string;
  readonly leaf: Uint8Array;
  readonly link: Uint8Array;
}
export interface Counts {
  readonly acknowledged: number;
  readonly byState: Readonly<Record<string, number>>;
}

/** One moment of the database. */
export interface Found {
  readonly deliveries: readonly FoundDelivery[];
  readonly ledger: Counts;
  readonly chains: readonly FoundChain[];
  /** In the order of their places, chain by chain. */
  readonly records: readonly FoundRecord[];
  /** What the engine itself says is wrong with its file. */
  readonly damage: readonly string[];
}

export interface Violation {
  readonly kind:
    | 'lost'
    | 'other-body'
    | 'body-missing'
    | 'ledger'
    | 'audit-missing'
    | 'audit-state'
    | 'audit-of-nothing'
    | 'audit-chain'
    | 'damage'
    /** A start says that something which was acknowledged is missing, and goes no further. */
    | 'refused';
  readonly about: string;
}

interface Recorded {
  readonly v: number;
  readonly chain: string;
  readonly seq: number;
  readonly type: string;
  readonly deliveryId?: string;
  readonly bodyDigest?: string;
  readonly from?: string;
  readonly to?: string;
}

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const isSame = (a: Uint8Array | undefined, b: Uint8Array): boolean => a !== undefined && Buffer.compare(a, b) === 0;

function checkBodies(acknowledged: ReadonlyMap<string, string>, { deliveries }: Found): Violation[] {
  const out: Violation[] = [];
  const byId = new Map(deliveries.map((one) => [one.id, one]));
  const bySeq = new Map(deliveries.map((one) => [one.seq, one]));
  for (const [id, digest] of acknowledged) {
    const found = byId.get(id);
    if (found === undefined) out.push({ kind: 'lost', about: id });
    else if (found.rawDigest !== digest) out.push({ kind: 'other-body', about: id });
  }
  for (const one of deliveries) {
    // The same bytes are kept once, with the delivery that brought them first.
    const original = one.duplicateOf === null ? undefined : bySeq.get(one.duplicateOf);
    if (one.bodyDigest !== one.rawDigest && original?.bodyDigest !== one.rawDigest)
      out.push({ kind: 'body-missing', about: one.id });
  }
  return out;
}

function checkLedger({ deliveries, ledger }: Found, shown: Counts): Violation[] {
  const out: Violation[] = [];
  const wrong = (about: string) => out.push({ kind: 'ledger', about });
  for (const [name, counts] of Object.entries({ ledger, shown })) {
    const sum = Object.values(counts.byState).reduce((all, n) => all + n, 0);
    if (sum !== counts.acknowledged) wrong(`${name}: states are ${sum}, acknowledged ${counts.acknowledged}`);
    if (counts.acknowledged !== deliveries.length)
      wrong(`${name}: ${counts.acknowledged} for ${deliveries.length} rows`);
  }
  const rows = Object.groupBy(deliveries, ({ state }) => state);
  for (const state of new Set([...Object.keys(rows), ...Object.keys(ledger.byState)])) {
    const counted = rows[state]?.length ?? 0;
    if ((ledger.byState[state] ?? 0) !== counted) wrong(`${state}: ${ledger.byState[state] ?? 0} for ${counted} rows`);
  }
  return out;
}

/**
 * Leaf, link and first link as src/audit/record.ts defines them, written here again: the checker shares nothing with
 * the checked.
 */
function checkChains({ chains, records }: Found): Violation[] {
  const out: Violation[] = [];
  const wrong = (about: string) => out.push({ kind: 'audit-chain', about });
  const last = new Map(records.map(({ chain, link }) => [chain, link]));
  const head = new Map<string, { seq: number; link: Uint8Array }>();
  for (const { chain, previous, firstLink } of chains) {
    const before = previous === null ? new Uint8Array(32) : last.get(previous);
    if (before === undefined) wrong(`${chain}: follows ${previous ?? ''}, which is empty or missing`);
    else if (!isSame(firstLink, sha256(`chartgate-audit-v1\n${chain}\n`, before))) wrong(`${chain}: first link`);
    if (!last.has(chain)) wrong(`${chain}: has no record`);
    head.set(chain, { seq: 0, link: firstLink });
  }
  for (const { chain, seq, record, leaf, link } of records) {
    const at = `${chain}/${seq}`;
    const before = head.get(chain);
    const said = JSON.parse(record) as Recorded;
    if (before === undefined) wrong(`${at}: chain was not opened`);
    else if (seq !== before.seq + 1) wrong(`${at}: follows ${before.seq}`);
    else if (!isSame(link, sha256('\u0002', before.link, leaf))) wrong(`${at}: link`);
    if (!isSame(leaf, sha256('\u0000', record))) wrong(`${at}: leaf`);
    if (said.v !== 1 || said.chain !== chain || said.seq !== seq) wrong(`${at}: is the record of another place`);
    head.set(chain, { seq, link });
  }
  return out;
}

/** Every delivery was recorded when it came, and at every change of its state. */
function checkRecords({ deliveries, records }: Found): Violation[] {
  const out: Violation[] = [];
  const accepted = new Map<string, string | undefined>();
  /** By delivery and state: how often it came into the state less how often it left it. */
  const balance = new Map<string, number>();
  const count = (id: string, state: string | undefined, by: number): void => {
    if (state !== undefined) balance.set(`${id} ${state}`, (balance.get(`${id} ${state}`) ?? 0) + by);
  };
  for (const { record } of records) {
    const { type, deliveryId: id, bodyDigest, from, to } = JSON.parse(record) as Recorded;
    if (id === undefined) continue;
    if (type === 'hook.accept') accepted.set(id, bodyDigest);
    count(id, to, 1);
    count(id, from, -1);
  }
  for (const { id, rawDigest, state } of deliveries) {
    if (accepted.get(id) !== rawDigest) out.push({ kind: 'audit-missing', about: id });
    else if (balance.get(`${id} ${state}`) !== 1) out.push({ kind: 'audit-state', about: `${id} ${state}` });
    accepted.delete(id);
  }
  for (const id of accepted.keys()) out.push({ kind: 'audit-of-nothing', about: id });
  return out;
}

/**
 * Everything that is wrong with a database after a restart. `acknowledged` is what senders were told, id and digest of
 * the body; `shown` is the ledger as the gateway answers it.
 */
export function checkAcknowledged(acknowledged: ReadonlyMap<string, string>, found: Found, shown: Counts): Violation[] {
  return [
    ...found.damage.map((about): Violation => ({ kind: 'damage', about })),
    ...checkBodies(acknowledged, found),
    ...checkLedger(found, shown),
    ...checkChains(found),
    ...checkRecords(found),
  ];
}
