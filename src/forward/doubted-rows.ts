import { UNWRITTEN_DIGEST } from './decide-changes.ts';
import { NO_CONTENT, type WrittenRow } from '../lanes/index.ts';
import type { Planned } from './plan-job.ts';

/**
 * What an attempt may have done and nobody knows goes into the ledger as such: whatever comes next, a newer version, a
 * withdrawal or a re-link, then looks there before it believes anything.
 */
export function doubtedRows({ items, gone, saidAt }: Pick<Planned, 'items' | 'gone' | 'saidAt'>): WrittenRow[] {
  const doubted = { contentDigest: UNWRITTEN_DIGEST, said: null, saidAt, effect: 'doubted' } as const;
  return [
    ...items.map(
      ({ name, resourceType, ledgerDocument, at, knownFingerprint, wanted: { group, chartDay, shelf } }) => ({
        ...{ name, resourceType, group, chartDay, shelf, ledgerDocument, ...doubted },
        id: at?.id ?? null,
        versionId: at?.versionId ?? null,
        fingerprint: knownFingerprint ?? NO_CONTENT,
      }),
    ),
    ...gone.map(({ name, resourceType, group, chartDay, shelf, ledgerDocument, id, versionId, fingerprint }) => ({
      ...{ name, resourceType, group, chartDay, shelf, ledgerDocument, ...doubted },
      id,
      versionId,
      fingerprint: fingerprint ?? NO_CONTENT,
    })),
  ];
}
