import { ok, type Result } from '../kernel/index.ts';
import type { Claimed, LedgerRow } from '../lanes/index.ts';
import { UNWRITTEN_DIGEST } from './decide-changes.ts';
import { readIntents } from './intents.ts';
import type { JobDeps } from './job.ts';
import type { Intent } from './judge-chart.ts';

/**
 * What attempts of unknown outcome, of this document or of others about the same measurements, meant to make of its
 * resources.
 */
export async function readDoubt(
  { doubtAt, delivery, patient }: Claimed,
  ledger: readonly LedgerRow[],
  { lanes, tenant }: JobDeps,
): Promise<Result<(name: string) => readonly Intent[]>> {
  const doubters = ledger
    .filter(({ contentDigest }) => contentDigest === UNWRITTEN_DIGEST)
    .map(({ deliverySeq }) => deliverySeq);
  const deliverySeqs = [...new Set([...(doubtAt === null ? [] : [delivery.seq]), ...doubters])];
  if (deliverySeqs.length === 0) return ok(readIntents([]));
  const packed = await lanes.read('lane.intents', { tenant, deliverySeqs, patient });
  return packed.ok ? ok(readIntents(packed.value)) : packed;
}
