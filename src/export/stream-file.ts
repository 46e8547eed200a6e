import { dropBytes, fail, fault, safeError, type Log, type Outlet, type Result } from '../kernel/index.ts';
import type { ExportFile, SegmentPlace } from './commands.ts';
import { makeGzip, unpack } from './packed.ts';

type ReadSegments = Result<readonly (SegmentPlace & { readonly data: Uint8Array })[]>;

export interface StreamFileDeps {
  /** The next few segments behind this place. */
  readonly read: (file: Pick<ExportFile, 'type' | 'part'>, after: SegmentPlace | null) => Promise<ReadSegments>;
  /** Whether the client may still have it; asked while it goes on. */
  readonly stillMay: () => Promise<boolean>;
  readonly log: Log;
}

/** How a client wants its files: packed where it says that it takes that, else as they are. */
export const encodingFor = (acceptEncoding: string): 'gzip' | 'identity' =>
  acceptEncoding.split(',').some((one) => /^\s*(x-)?gzip\s*(;\s*q=(1|0?\.0*[1-9])[\d.]*\s*)?$/i.test(one))
    ? 'gzip'
    : 'identity';

/**
 * Sends a file as it is read: some segments at a time, no more than the client takes; to one that takes gzip they go as
 * they are kept. Whatever goes wrong in the middle cuts the connection, so that nobody takes what has arrived for the
 * whole.
 */
export async function streamFile(
  { read, stillMay, log }: StreamFileDeps,
  file: Pick<ExportFile, 'type' | 'part'>,
  encoding: 'gzip' | 'identity',
  outlet: Outlet,
): Promise<void> {
  let isGone = false;
  outlet.onClose(() => (isGone = true));
  const gone = (): boolean => isGone;
  const gzip = encoding === 'gzip' ? makeGzip() : null;
  if (gzip !== null) outlet.write(gzip.head);
  try {
    for (let after: SegmentPlace | null = null; ;) {
      const some: ReadSegments = (await stillMay()) ? await read(file, after) : fail(fault('export.not-found'));
      if (!some.ok) break;
      for (const { data } of some.value) {
        const sent = gzip === null ? await unpack(data) : gzip.add(data);
        if (gone()) return;
        const isBehind = outlet.write(sent) === 'behind';
        await outlet.drained();
        if (gone()) return;
        // What was not waited for may still be on its way.
        if (gzip === null || isBehind) dropBytes(data);
        if (isBehind) dropBytes(sent);
      }
      const last: SegmentPlace | undefined = some.value.at(-1);
      if (last === undefined) {
        if (gzip !== null) outlet.write(gzip.end());
        outlet.end();
        return;
      }
      after = { patient: last.patient, n: last.n };
    }
  } catch (thrown) {
    log.error('export.failed', { error: safeError(thrown) });
  }
  outlet.cut();
}
