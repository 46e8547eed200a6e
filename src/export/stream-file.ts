import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { fail, fault, safeError, type Log, type Outlet, type Result } from '../kernel/index.ts';
import type { ExportFile, SegmentPlace } from './commands.ts';

const decompress = promisify(gunzip);

type ReadSegments = Result<readonly (SegmentPlace & { readonly data: Uint8Array })[]>;

export interface StreamFileDeps {
  /** The next few segments behind this place. */
  readonly read: (file: Pick<ExportFile, 'type' | 'part'>, after: SegmentPlace | null) => Promise<ReadSegments>;
  /** Whether the client may still have it; asked while it goes on. */
  readonly stillMay: () => Promise<boolean>;
  readonly log: Log;
}

/**
 * Sends a file as it is read: some segments at a time, no more than the client takes. Whatever goes wrong in the middle
 * cuts the connection, so that nobody takes what has arrived for the whole.
 */
export async function streamFile(
  { read, stillMay, log }: StreamFileDeps,
  file: Pick<ExportFile, 'type' | 'part'>,
  outlet: Outlet,
): Promise<void> {
  let isGone = false;
  outlet.onClose(() => (isGone = true));
  const gone = (): boolean => isGone;
  try {
    for (let after: SegmentPlace | null = null; ;) {
      const some: ReadSegments = (await stillMay()) ? await read(file, after) : fail(fault('export.not-found'));
      if (!some.ok) break;
      for (const { data } of some.value) {
        const lines = await decompress(data);
        if (gone()) return;
        outlet.write(lines);
        await outlet.drained();
      }
      const last: SegmentPlace | undefined = some.value.at(-1);
      if (last === undefined) {
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
