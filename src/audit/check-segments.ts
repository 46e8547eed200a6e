import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../kernel/index.ts';
import { folderOf } from './anchor.ts';
import type { Flaw } from './flaw.ts';
import { segmentName } from './segment-name.ts';
import type { Verified } from './verify.ts';

/**
 * Whether every exported segment that a signed checkpoint names still stands beside the anchor, as it was. Null where
 * all do.
 */
export async function checkSegments(anchor: string, segments: Verified['segments']): Promise<Flaw | null> {
  const folder = (await folderOf(anchor)) ?? dirname(anchor);
  for (const { upto, digest } of segments) {
    const found = createHash('sha256');
    const flaw = { chain: null, seq: null, checkpoint: upto };
    try {
      await pipeline(createReadStream(join(folder, segmentName(upto))), found);
    } catch (thrown) {
      if (errorCode(thrown) !== 'ENOENT') throw thrown;
      return { what: 'segment-missing', ...flaw };
    }
    if (found.digest('hex') !== digest) return { what: 'segment-changed', ...flaw };
  }
  return null;
}
