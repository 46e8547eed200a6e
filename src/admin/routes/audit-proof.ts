import {
  proveRecord,
  SourceLost,
  storeSource,
  verifyAudit,
  type AuditReads,
  type AuditRecord,
  type AuditSource,
  type AuditWrites,
  type Flaw,
  type Verified,
  type VerifyingKey,
} from '../../audit/index.ts';
import { errorCode, fail, fault, ok, type Result } from '../../kernel/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** As the API shows a record: without what was sealed, and with the word that something was. */
export const shownRecord = (record: string) => {
  const { v: _form, sealed, ...told } = JSON.parse(record) as AuditRecord;
  return { ...told, hasSealed: sealed !== undefined };
};

/** Work on the whole log; a store that is away is a fault. */
export async function orLost<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof SourceLost) return thrown.result;
    throw thrown;
  }
}

/** How far the verification is that began last in this process. */
interface Progress {
  readonly total: number;
  records: number;
}

/** The proof of one record, and of all of them. */
export function makeAuditProofRoutes(deps: {
  readonly tenant: string;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly key: VerifyingKey;
  /** What is kept elsewhere; null where nothing is. Rejects where it cannot be read. */
  readonly outside: {
    notes(): Promise<readonly string[]>;
    checkSegments(named: Verified['segments']): Promise<Flaw | null>;
  } | null;
}): AdminRoute[] {
  const { audit, key, outside } = deps;
  const source = storeSource(audit);
  let progress: Progress | null = null;

  const counting = (own: Progress): AuditSource => ({
    ...source,
    async records(chain, after, limit) {
      const found = await source.records(chain, after, limit);
      own.records += found.length;
      return found;
    },
  });

  /** About: what came after the last checkpoint is left out. */
  async function totalOf(): Promise<number> {
    const uncovered = await audit.read('audit.uncovered', { limit: 1 });
    if (!uncovered.ok) throw new SourceLost(uncovered);
    const gone = (await source.dropped())?.ends ?? [];
    return (uncovered.value.last?.records ?? 0) - gone.reduce((sum, { seq }) => sum + seq - 1, 0);
  }

  /** With what stands outside, where something does and can be read. */
  async function verifyAll(own: Progress): Promise<Verified & { readonly anchor: 'none' | 'read' | 'unreadable' }> {
    const verify = (notes?: readonly string[]): Promise<Verified> => {
      own.records = 0;
      return verifyAudit(counting(own), key, notes);
    };
    if (outside === null) return { ...(await verify()), anchor: 'none' };
    try {
      const verified = await verify(await outside.notes());
      const flaw = verified.flaw ?? (await outside.checkSegments(verified.segments));
      return { ...verified, sound: flaw === null, flaw, anchor: 'read' };
    } catch (thrown) {
      if (errorCode(thrown) === null || thrown instanceof SourceLost) throw thrown;
      return { ...(await verify()), anchor: 'unreadable' };
    }
  }

  return [
    defineRoute('audit.get', ({ params: { chain, seq } }, { record }) =>
      orLost(async () => {
        const place = { tenant: deps.tenant, chain, seq: Number(seq) };
        const proof = await proveRecord(audit, key, place);
        const written = await record({ action: 'R', outcome: proof === null ? '4' : '0' });
        if (!written.ok) return written;
        if (proof === null) return fail(fault('audit.not-found'));
        const { state, leaf, previous, link, checkpoint } = proof;
        return ok({
          record: shownRecord(proof.record),
          proof: {
            state,
            leaf: hex(leaf),
            previous: previous === null ? null : hex(previous),
            link: hex(link),
            checkpoint:
              checkpoint === null
                ? null
                : {
                    n: checkpoint.n,
                    at: iso(checkpoint.atMs),
                    records: checkpoint.records,
                    root: checkpoint.root === null ? null : hex(checkpoint.root),
                    note: checkpoint.note,
                  },
          },
        });
      }),
    ),

    defineRoute('audit.verify', (_input, { record }) =>
      orLost(async () => {
        const own: Progress = { total: await totalOf(), records: 0 };
        progress = own;
        try {
          const verified = await verifyAll(own);
          const outcome = verified.sound ? '0' : '12';
          const written = await record({ action: 'R', outcome, count: verified.records });
          return written.ok ? ok(verified) : written;
        } finally {
          if (progress === own) progress = null;
        }
      }),
    ),

    defineRoute('audit.verifying', () =>
      ok({
        running: progress === null ? null : { ...progress, records: Math.min(progress.records, progress.total) },
      }),
    ),
  ];
}
