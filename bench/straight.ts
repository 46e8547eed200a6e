import { randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { dayOf, USERS } from './deliveries.ts';
import { loadRequests } from './load.ts';

/** A FHIR server on this machine. */
export interface Ehr {
  readonly port: number;
  readonly path: string;
  readonly base: string;
}

export function readEhr(base: string): Ehr {
  const { port, pathname } = new URL(base);
  return { port: Number(port), path: pathname.replace(/\/$/, ''), base: base.replace(/\/$/, '') };
}

interface TransactionEntry<Resource> {
  readonly resource?: Resource;
  readonly request: { readonly method: string; readonly url: string };
}

const readEntries = <Resource>(transaction: string): readonly TransactionEntry<Resource>[] =>
  (JSON.parse(transaction) as { entry: TransactionEntry<Resource>[] }).entry;

/** The gateway also asks, with a transaction that only reads, whether one may read at all. */
const writes = (transaction: string): boolean =>
  readEntries(transaction).some(({ request: { method } }) => method !== 'GET');

/** Passes everything on to the EHR and keeps the transactions that write. */
export async function startRecorder(
  ehr: Ehr,
): Promise<{ readonly base: string; readonly seen: string[]; readonly end: () => void }> {
  const seen: string[] = [];
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const body = Buffer.concat(parts);
      if (req.method === 'POST' && req.url === ehr.path && writes(body.toString())) seen.push(body.toString());
      const options = { host: '127.0.0.1', port: ehr.port, path: req.url, method: req.method, headers: req.headers };
      const onward = request(options, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      onward.on('error', () => res.destroy());
      onward.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  return {
    base: `http://127.0.0.1:${port}${ehr.path}`,
    seen,
    end() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What a recorded transaction was about: replaced by another patient and day in each copy. */
export interface Recorded {
  readonly transaction: string;
  readonly patient: string;
  readonly day: string;
}

/** Names, ids and digests of ours, whatever their length, UUIDs, and ids of deliveries. */
const OURS = /\b(?:[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|dlv_[0-9a-z]{26})\b/g;
/** Days that no delivery of the gateway's is about. */
const DAYS_LATER = 2_000 * USERS;

const freshAs = (old: string): string => {
  const digits = randomBytes(old.length).toString('hex');
  return old.startsWith('dlv_')
    ? `dlv_${digits.slice(0, 26)}`
    : old.replace(/[0-9a-f]/g, (_, at: number) => digits[at] ?? '0');
};

const writtenAddresses = (transaction: string): string[] =>
  readEntries(transaction)
    .filter(({ request: { method } }) => method !== 'GET')
    .map(({ request: { url } }) => url);

/**
 * Copies that make the EHR do the same work: new ids and names, digests that were never seen, another patient and day.
 */
export function makeCopies({ transaction, patient, day }: Recorded, patients: readonly string[]): () => string {
  let n = DAYS_LATER;
  const copy = (): string => {
    n += 1;
    const fresh = new Map<string, string>();
    return transaction
      .replace(OURS, (old) => {
        const known = fresh.get(old) ?? freshAs(old);
        fresh.set(old, known);
        return known;
      })
      .replaceAll(patient, patients[n % patients.length] ?? patient)
      .replaceAll(day, dayOf(n));
  };
  const written = new Set(writtenAddresses(transaction).filter((url) => url.includes('/') || url.includes('?')));
  if (writtenAddresses(copy()).some((url) => written.has(url)))
    throw new Error('a copy would be written over what it is a copy of');
  return copy;
}

interface Observation {
  readonly resourceType: string;
  readonly id: string;
  readonly category: readonly { readonly coding: readonly unknown[] }[];
  readonly code: { readonly coding: readonly unknown[] };
  readonly [other: string]: unknown;
}

/** The same measurements without anything that the gateway adds: Observations under ids of the client. */
export function withoutOurs(transaction: string): string {
  const plain = readEntries<Observation>(transaction)
    .flatMap(({ resource }) => (resource?.resourceType === 'Observation' ? [resource] : []))
    .map(({ resourceType, id, status, category, code, subject, effectivePeriod, valueQuantity }) => ({
      resource: {
        resourceType,
        id,
        status,
        category: category.slice(0, 1).map(({ coding }) => ({ coding: coding.slice(0, 1) })),
        code: { coding: code.coding.slice(0, 1) },
        subject,
        effectivePeriod,
        valueQuantity,
      },
      request: { method: 'PUT', url: `Observation/${id}` },
    }));
  return JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: plain });
}

/** Sends so many transactions straight to the EHR, `connections` at once; how many it took a second. */
export async function sendStraight(ehr: Ehr, next: () => string, connections: number, count: number): Promise<number> {
  const head = `POST ${ehr.path} HTTP/1.1\r\nHost: 127.0.0.1:${ehr.port}\r\nAccept: application/fhir+json\r\nPrefer: return=minimal\r\nContent-Type: application/fhir+json\r\nContent-Length: `;
  const requests = Array.from({ length: count }, () => {
    const body = Buffer.from(next());
    return Buffer.concat([Buffer.from(`${head}${body.length}\r\n\r\n`), body]);
  });
  const spare = (): Buffer => requests.pop() ?? Buffer.alloc(0);
  const { perSecond, statuses } = await loadRequests(ehr.port, spare, Math.min(connections, count), { count });
  if ([...statuses.keys()].some((status) => status !== 200))
    throw new Error(`the EHR refused a transaction: ${[...statuses.keys()].join()}`);
  return perSecond;
}
