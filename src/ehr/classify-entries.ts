import { fault, type Fault } from '../kernel/index.ts';
import { classifyAnswer, type Asked, type Verdict } from './classify-answer.ts';
import type { AddressGuard, Located } from './guard-address.ts';
import { readLocation } from './guard-address.ts';
import { readOutcome } from './read-outcome.ts';

/** What became of one entry of a Bundle. */
export interface EntryAnswer {
  readonly verdict: Verdict;
  readonly located: Located | null;
  readonly status: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** What the EHR made of it, where it was asked to show that. */
  readonly resource: unknown;
}

export type BundleVerdict =
  | { readonly kind: 'all-ok'; readonly entries: readonly EntryAnswer[] }
  /** Some were done. Also what a server that treats transactions as batches gives. */
  | { readonly kind: 'partial'; readonly entries: readonly EntryAnswer[]; readonly fault: Fault }
  /** The answer cannot be laid beside what was sent: read all of it back. */
  | { readonly kind: 'ambiguous'; readonly fault: Fault };

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function readEntry(entry: unknown, request: Asked, guard: AddressGuard, now: Date): EntryAnswer | null {
  const response = ((entry as { response?: unknown } | null)?.response ?? {}) as Record<string, unknown>;
  const status = /^([1-5]\d\d)(?!\d)/.exec(text(response['status']) ?? '')?.[1];
  if (status === undefined) return null;
  const location = text(response['location']);
  return {
    verdict: classifyAnswer(
      { status: Number(status), headers: {}, outcome: readOutcome(response['outcome']), body: 'json', request },
      now,
    ),
    located: location === null ? null : readLocation(guard, location),
    status: Number(status),
    etag: text(response['etag']),
    lastModified: text(response['lastModified']),
    resource: (entry as { resource?: unknown }).resource ?? null,
  };
}

const ANSWERS: ReadonlySet<unknown> = new Set(['transaction-response', 'batch-response']);

/**
 * Looks at every entry of a Bundle's answer, since a 200 says nothing about them: as many as were sent, each with a
 * status of its own. A transaction that comes back as a batch was carried out as one (Medplum without
 * `transaction-bundles`): each entry is an answer.
 */
export function classifyEntries(
  requests: readonly Asked[],
  body: unknown,
  guard: AddressGuard,
  now: Date,
): BundleVerdict {
  const bundle = body as { resourceType?: unknown; type?: unknown; entry?: unknown } | null;
  const ambiguous: BundleVerdict = { kind: 'ambiguous', fault: fault('ehr.partial') };
  if (bundle?.resourceType !== 'Bundle' || !ANSWERS.has(bundle.type) || !Array.isArray(bundle.entry)) return ambiguous;
  if (bundle.entry.length !== requests.length) return ambiguous;
  const entries: EntryAnswer[] = [];
  for (const [at, request] of requests.entries()) {
    const entry = readEntry(bundle.entry[at], request, guard, now);
    if (entry === null) return ambiguous;
    entries.push(entry);
  }
  return entries.every(({ verdict }) => verdict.kind === 'ok')
    ? { kind: 'all-ok', entries }
    : { kind: 'partial', entries, fault: fault('ehr.partial') };
}
