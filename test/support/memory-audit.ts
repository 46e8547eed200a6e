import { ok, secret, systemClock, type Result } from '../../src/kernel/index.ts';
import {
  makeCheckpoint,
  makeSigningKey,
  memorySource,
  type AuditDraft,
  type AuditSource,
  type SigningKey,
} from '../../src/audit/index.ts';
import type {
  AuditReads,
  AuditWrites,
  Dropped,
  StoredChain,
  StoredCheckpoint,
  StoredRecord,
} from '../../src/audit/commands.ts';
import { extendChain, firstLink } from '../../src/audit/record.ts';
import type { Operate } from '../../src/store/index.ts';
import { makeVault } from '../../src/store/vault.ts';

export const auditKey = (n: number) => makeSigningKey(secret(Buffer.alloc(32, n).toString('base64')));
export const memoryVault = makeVault({ data: [Buffer.alloc(32, 1)], pseudonym: Buffer.alloc(32, 2) });

export interface AuditRows {
  chains: StoredChain[];
  records: Map<string, StoredRecord[]>;
  checkpoints: StoredCheckpoint[];
}

export const sourceOf = (rows: AuditRows, dropped: Dropped | null = null): AuditSource => {
  const known = new Set(rows.chains.map(({ chain }) => chain));
  const stray = [...rows.records].find(([chain]) => !known.has(chain));
  const sorted = new Map([...rows.records].map(([chain, list]) => [chain, [...list].sort((a, b) => a.seq - b.seq)]));
  return memorySource({
    ...rows,
    dropped,
    records: sorted,
    stray: stray === undefined ? null : { chain: stray[0], seq: 1 },
  });
};

export const aDraft = (n: number, more: Partial<AuditDraft> = {}): AuditDraft => ({
  at: new Date(Date.UTC(2026, 0, 1) + n),
  type: 'hook.accept',
  tenant: 'default',
  requestId: `req_${n}`,
  action: 'C',
  outcome: '0',
  deliveryId: `dlv_${n}`,
  ...more,
});

/**
 * An audit whose rows can be reached, as the stored ones can by whoever has the database. One writer at a time, like
 * SQLite.
 */
export function makeMemoryAudit(first = auditKey(7)) {
  let key = first;
  const rows: AuditRows = { chains: [], records: new Map(), checkpoints: [] };
  const covered = new Map<string, number>();
  const anchored: string[] = [];
  let writer = '';

  const linkAtEnd = (chain: StoredChain): Uint8Array => rows.records.get(chain.chain)?.at(-1)?.link ?? chain.firstLink;

  const audit = {
    read: (name: string): Promise<Result<unknown>> => {
      if (name !== 'audit.uncovered') throw new Error(name);
      const records = [...rows.records]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([chain, list]) =>
          list.slice(covered.get(chain) ?? 0).map(({ seq, leaf, link }) => ({ chain, seq, leaf, link })),
        );
      return Promise.resolve(ok({ last: rows.checkpoints.at(-1) ?? null, records }));
    },
    write: (name: string, args: AuditWrites['audit.checkpoint']['args']): Promise<Result<unknown>> => {
      if (name !== 'audit.checkpoint') throw new Error(name);
      const { n, at, records, note, frontier, heads } = args;
      rows.checkpoints.push({ n, atMs: at.getTime(), records, note, frontier });
      for (const { chain, seq } of heads) covered.set(chain, seq);
      rows.chains = rows.chains.map((one) => ({ ...one, covered: covered.get(one.chain) ?? 0 }));
      return Promise.resolve(ok('stored'));
    },
  } as unknown as Operate<AuditWrites, AuditReads>;

  return {
    rows,
    anchored,
    get key() {
      return key;
    },
    source: () => sourceOf(rows),
    /** A process begins: its chain is opened by its first record. */
    start: (name: string): void => void (writer = name),
    append(draft: AuditDraft): void {
      let list = rows.records.get(writer);
      if (list === undefined) {
        const before = rows.chains.at(-1);
        rows.chains.push({
          chain: writer,
          previous: before?.chain ?? null,
          firstLink: firstLink(writer, before === undefined ? null : linkAtEnd(before)),
          covered: 0,
        });
        list = [];
        rows.records.set(writer, list);
      }
      const chain = rows.chains.at(-1);
      if (chain === undefined) throw new Error('no chain');
      const { seq, record, leaf, link, columns } = extendChain(
        memoryVault,
        writer,
        list.length + 1,
        linkAtEnd(chain),
        draft,
      );
      list.push({ seq, record, leaf, link, columns });
    },
    /** From here on another key signs, as a start with both of them has it. */
    async rotate(to: SigningKey): Promise<void> {
      const made = await makeCheckpoint({ audit, key: to, clock: systemClock }, null, key);
      key = to;
      if (made.ok && made.value !== null) anchored.push(made.value.note);
    },
    /** A checkpoint that says that everything up to another was exported. */
    async nameExport(upto: number): Promise<string> {
      const made = await makeCheckpoint({ audit, key, clock: systemClock }, { digest: 'd'.repeat(64), upto });
      if (!made.ok || made.value === null) throw new Error('no checkpoint');
      anchored.push(made.value.note);
      return made.value.note;
    },
    async checkpoint(mode: 'anchored' | 'not-anchored' = 'anchored'): Promise<void> {
      const made = await makeCheckpoint({ audit, key, clock: systemClock });
      if (made.ok && made.value !== null && mode === 'anchored') anchored.push(made.value.note);
    },
  };
}
