import type { Chance } from '../kernel/index.ts';
import { askInTransaction } from './fhir-client.ts';
import type { Ehr } from './open-ehr.ts';

interface Entry {
  readonly resource?: { readonly resourceType?: unknown; readonly type?: unknown };
}

/**
 * Whether a transaction may also read, and shows what it read although it is asked for a minimal answer. Seen by a
 * transaction that looks for a patient who cannot be there, and does nothing else.
 */
export async function readsInTransaction(
  ehr: Ehr,
  deps: { readonly chance: Chance; readonly newRequestId: () => string },
): Promise<boolean> {
  const nobody = `probe-${Buffer.from(deps.chance(16)).toString('hex')}`;
  const entries = [{ request: { method: 'GET', url: `Patient?_id=${nobody}` } }];
  const answer = await askInTransaction(ehr, entries, { requestId: deps.newRequestId() });
  if (!answer.ok || answer.value.body.kind !== 'json') return false;
  const { type, entry } = answer.value.body.value as { readonly type?: unknown; readonly entry?: unknown };
  const [only] = Array.isArray(entry) && entry.length === 1 ? (entry as (Entry | null)[]) : [];
  const shown = only?.resource;
  return type === 'transaction-response' && shown?.resourceType === 'Bundle' && shown.type === 'searchset';
}
