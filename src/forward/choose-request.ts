import { referencesIn, type Finished } from '../content/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { rewriteReferences, walkReferences } from '../r4/index.ts';
import { withoutReferences } from '../translate/index.ts';
import type { Item } from './build-items.ts';
import { entryFor, finishedEntryFor, requestFor, type EntryText, type ItemRequest } from './request-items.ts';
import { typePlanOf } from './settle-item.ts';
import type { Progress, WriteFacts, WriteRequest } from './write-state.ts';

/** What is written next. */
export type ChosenRequest =
  | { readonly kind: 'request'; readonly request: WriteRequest }
  | { readonly kind: 'nothing-left' }
  /** Two that refer to each other cannot be written one after the other. */
  | { readonly kind: 'stuck' };

/**
 * The addresses of what can be referred to. What stands somewhere is referred to by that, also where it was taken back
 * or only looking has found it: its entry has no other name.
 */
function addressesOf({ pending, conflicts, written }: Progress, facts: WriteFacts): ReadonlyMap<string, string> {
  const addresses = new Map(facts.known);
  addresses.set(facts.patient.urn, facts.patient.reference);
  for (const { reference, row } of written) addresses.set(reference, `${row.resourceType}/${row.id ?? ''}`);
  for (const { reference, resourceType, name, at } of [...pending, ...conflicts]) {
    const isNamed = typePlanOf(facts.plan, resourceType).identity === 'put-by-id';
    const id = at?.id ?? (isNamed ? name : null);
    if (id !== null && !addresses.has(reference)) addresses.set(reference, `${resourceType}/${id}`);
  }
  return addresses;
}

const referencesOf = (item: Item): readonly string[] =>
  item.finished === null
    ? walkReferences(item.statement.resource).map(({ reference }) => reference)
    : referencesIn(item.finished);

/** A Provenance tells of what was written, and so of nothing that was left alone. */
function withoutTargets(provenance: AnyResource, leftAlone: readonly Item[]): AnyResource {
  const names = new Set(leftAlone.map(({ reference }) => reference));
  const { target } = provenance;
  if (names.size === 0 || !Array.isArray(target)) return provenance;
  return {
    ...provenance,
    target: (target as { reference?: string }[]).filter(({ reference = '' }) => !names.has(reference)),
  };
}

export function chooseRequest(progress: Progress, facts: WriteFacts): ChosenRequest {
  const { pending, conflicts, written, entriesMax } = progress;
  const { plan } = facts;
  const isAlone = pending.every(({ resourceType }) => resourceType === 'Provenance');
  // Alone, what it was about turned out to be left alone.
  const isAnyChanged = written.some(({ row: { effect } }) => effect === 'created' || effect === 'updated');
  if (pending.length === 0 || (isAlone && !isAnyChanged)) return { kind: 'nothing-left' };
  const addresses = addressesOf(progress, facts);
  const leftOut = new Set(progress.leftOut);

  /** Outside a transaction nobody resolves references for us: what is referred to must have its address. */
  const isReady = (item: Item): boolean =>
    referencesOf(item).every(
      (reference) => !reference.startsWith('urn:uuid:') || addresses.has(reference) || leftOut.has(reference),
    );
  /** References to what has its address already; the others stay until it has. */
  const resolved = (resource: AnyResource): AnyResource =>
    rewriteReferences(withoutReferences(resource, leftOut), ({ reference }) => addresses.get(reference));
  const requestOf = (item: Item): ItemRequest => {
    const resource =
      item.resourceType === 'Provenance' ? withoutTargets(item.statement.resource, conflicts) : item.statement.resource;
    return requestFor(item, typePlanOf(plan, item.resourceType), resolved(resource));
  };
  /** Where nothing is to be taken out of it. */
  const finishedAsItIs = (item: Item): Finished | null => {
    const { finished, resourceType } = item;
    if (finished === null || (resourceType === 'Provenance' && conflicts.length > 0)) return null;
    return leftOut.size === 0 || referencesIn(finished).every((reference) => !leftOut.has(reference)) ? finished : null;
  };
  function entryOf(item: Item): EntryText {
    const typePlan = typePlanOf(plan, item.resourceType);
    const finished = finishedAsItIs(item);
    return finished === null
      ? entryFor(item, typePlan, requestOf(item))
      : finishedEntryFor(item, typePlan, finished, (reference) => addresses.get(reference));
  }
  /** As many as fit. Each is written as text once: its length decides how many go together. */
  function entriesOf(items: readonly Item[]): EntryText[] {
    const taken: EntryText[] = [];
    let length = 0;
    for (const item of items) {
      if (taken.length >= entriesMax) break;
      const entry = entryOf(item);
      length += entry.text.length + 1;
      if (taken.length > 0 && length > plan.bytesMax) break;
      taken.push(entry);
    }
    return taken;
  }

  // Where a transaction may be carried out as a batch, what tells of the others waits until they are written.
  const ready =
    plan.references === 'in-bundle'
      ? pending
      : pending.filter((item) => isReady(item) && (isAlone || item.resourceType !== 'Provenance'));
  const [first] = ready;
  if (first === undefined) return { kind: 'stuck' };
  if (plan.bundle === 'none')
    return { kind: 'request', request: { kind: 'single', items: [first], ...requestOf(first) } };
  const entries = entriesOf(ready);
  const showsPatient = plan.bundle === 'transaction' && progress.patient === 'to-be-seen';
  const items = entries.map(({ item }) => item);
  return { kind: 'request', request: { kind: 'bundle', items, type: plan.bundle, entries, showsPatient } };
}
