import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { faultFields, ok, safeError, type Clock, type Log, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { AuditReads, AuditWrites, Dropped } from './commands.ts';
import { readExport, writeSegment } from './export-records.ts';
import { makeCheckpoint, type Checkpoints } from './sign-checkpoints.ts';
import { findTrail } from './key-trail.ts';
import type { Head } from './note.ts';
import type { SigningKey, VerifyingKey } from './signing-key.ts';
import { segmentName } from './segment-name.ts';
import { SourceLost, storeSource } from './store-source.ts';
import { verifyAudit, type AuditSource } from './verify.ts';

const EVERY_MS = 3_600_000;
const FIRST_MS = 120_000;
const DAY_MS = 86_400_000;
const PAGE = 500;
const DROP_AT_ONCE = 500;

interface Due {
  readonly checkpoint: number;
  readonly note: string;
  readonly heads: readonly Head[];
  /** All that have signed so far: what was exported may be of an older one than what names it. */
  readonly keys: readonly VerifyingKey[];
}

/** The last checkpoint that is old enough, and how far each chain had come by then. */
async function findDue(source: AuditSource, key: SigningKey, before: Date): Promise<Due | null> {
  const heads = new Map<string, Head>();
  const trail = await findTrail(source, [key]);
  if (trail === null) return null;
  let due: Due | null = null;
  for (let after = 0; ;) {
    const page = await source.checkpoints(after, PAGE);
    for (const { n, atMs, note } of page) {
      if (atMs >= before.getTime()) return due;
      const read = trail.read(note);
      if ('wrong' in read) return null;
      for (const head of read.checkpoint.heads) heads.set(head.chain, head);
      due = { checkpoint: n, note, heads: [...heads.values()], keys: [...trail.keys, key] };
    }
    const last = page.at(-1);
    if (last === undefined) return due;
    after = last.n;
  }
}

/**
 * Closes what has been kept long enough: written to a file with its proofs, read back and verified, named by a signed
 * checkpoint, and only then removed. Without a folder outside the database nothing is ever removed.
 */
export function exportSegments(deps: {
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly key: SigningKey;
  /** Looked up each time: a folder may be made meanwhile. */
  readonly folder: () => Promise<string | null>;
  readonly days: number;
  readonly instance: string;
  readonly checkpoints: Pick<Checkpoints, 'anchor'>;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { audit, key } = deps;
  const source = storeSource(audit);
  let isStopped = false;

  /** The file's digest; null where what was written does not prove itself. */
  async function exportTo(path: string, due: Due, dropped: Dropped | null): Promise<string | null> {
    const part = `${path}.${deps.instance}.part`;
    const digest = createHash('sha256');
    const file = await open(part, 'w');
    try {
      for await (const line of writeSegment(source, due, dropped)) {
        digest.update(line);
        await file.write(line);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    const read = await readExport(createInterface({ input: createReadStream(part, 'utf8'), crlfDelay: Infinity }));
    const isSound = 'source' in read && (await verifyAudit(read.source, due.keys, [due.note])).sound;
    if (isSound) await rename(part, path);
    else await rm(part, { force: true });
    return isSound ? digest.digest('hex') : null;
  }

  async function drop(): Promise<Result<number>> {
    let count = 0;
    while (!isStopped) {
      const some = await audit.write('audit.drop', { limit: DROP_AT_ONCE });
      if (!some.ok) return some;
      count += some.value.count;
      if (some.value.count < DROP_AT_ONCE) break;
    }
    return ok(count);
  }

  /** How many records went. */
  async function close(): Promise<Result<number>> {
    const folder = await deps.folder();
    if (folder === null) return ok(0);
    const dropped = await source.dropped();
    const due = await findDue(source, key, new Date(deps.clock.now().getTime() - deps.days * DAY_MS));
    if (due === null || due.checkpoint <= (dropped?.checkpoint ?? 0)) return drop();
    await mkdir(folder, { recursive: true });
    const digest = await exportTo(join(folder, segmentName(due.checkpoint)), due, dropped);
    if (digest === null) throw new Error('the exported segment does not prove itself');
    const named = await makeCheckpoint(deps, { digest, upto: due.checkpoint });
    if (!named.ok) return named;
    if (named.value === null) return ok(0);
    await deps.checkpoints.anchor(named.value);
    const closed = await audit.write('audit.close-segment', {
      checkpoint: due.checkpoint,
      namedBy: named.value.n,
      digest,
      heads: due.heads.map(({ chain, seq }) => ({ chain, seq })),
    });
    return closed.ok ? drop() : closed;
  }

  async function run(): Promise<void> {
    try {
      const count = await close();
      if (!count.ok) deps.log.warn('audit.closed', faultFields(count.fault));
      else if (count.value > 0) deps.log.info('audit.closed', { count: count.value });
    } catch (thrown) {
      if (thrown instanceof SourceLost) deps.log.warn('audit.closed', faultFields(thrown.result.fault));
      else deps.log.error('audit.closed', { error: safeError(thrown) });
    }
  }

  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    close,
    start(): void {
      first = setTimeout(() => void run(), FIRST_MS).unref();
      timer = setInterval(() => void run(), EVERY_MS).unref();
    },
    stop: (): void => {
      isStopped = true;
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}
