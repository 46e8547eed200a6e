import { fault } from '../kernel/index.ts';
import { classifyEntries, readLocation } from '../ehr/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { rewriteReferences } from '../r4/index.ts';
import { withoutReferences, type Wanted } from '../translate/index.ts';
import type { Item } from './build-items.ts';
import type { WrittenRow } from '../lanes/index.ts';
import { later, openChart, stopped, type Settled } from './open-chart.ts';
import type { WriteDeps } from './write-deps.ts';
import {
  entryFor,
  patientEntry,
  provenanceItem,
  requestFor,
  type EntryText,
  type ItemRequest,
} from './request-items.ts';
import { graver, type Stop } from './stop.ts';

export interface WroteItems {
  readonly written: readonly WrittenRow[];
  /**
   * What somebody else changed, or a person keeps: left alone, for a person to decide on. Everything else was written.
   */
  readonly conflicts: readonly Item[];
  /** What was not come to, as it is known by now. */
  readonly unsettled: readonly Item[];
  readonly stop: Stop | null;
  readonly httpStatus: number | null;
  /** Whatever an earlier attempt may have written was found out. */
  readonly isLookedUp: boolean;
}

/**
 * Writes what a document wants in as few requests as the EHR allows. What was written is told also where the rest was
 * not.
 */
export async function writeItems(
  all: readonly Item[],
  provenance: Wanted | null,
  deps: WriteDeps,
): Promise<WroteItems> {
  const { plan, ehr, reader, habits } = deps;
  const chart = openChart(deps);
  const { addresses, written, typePlan } = chart;
  const conflicts: Item[] = [];
  /** References to what this EHR takes none of. */
  const leftOut = new Set<string>(deps.removed);
  let pending: Item[] = [];
  let httpStatus: number | null = null;
  let isLookedUp = false;
  let entriesMax = Math.max(1, plan.entriesMax);
  /** The patient is shown once by what is written, where that was looked up a while ago. */
  let { remembered } = deps.patient;

  const ended = (stop: Stop | null): WroteItems => {
    const settled = new Set([...written, ...conflicts].map(({ name }) => name));
    const found = new Map(pending.map((item) => [item.name, item]));
    const unsettled = all.filter(({ name }) => !settled.has(name)).map((item) => found.get(item.name) ?? item);
    return { written, conflicts, unsettled, stop, httpStatus, isLookedUp };
  };
  function leaveAlone(item: Item, found: 'there' | 'gone'): void {
    conflicts.push(item);
    if (found === 'gone') leftOut.add(item.reference);
  }

  /** References to what has its address already; the others stay until it has. */
  const resolved = (resource: AnyResource): AnyResource =>
    rewriteReferences(withoutReferences(resource, leftOut), ({ reference }) => addresses.get(reference));

  const requestOf = (item: Item): ItemRequest => {
    const resource = item.resourceType === 'Provenance' ? withoutTargets(item.resource, conflicts) : item.resource;
    return requestFor(item, typePlan(item.resourceType), resolved(resource));
  };

  const preferOf = (isToBeSeen: boolean): 'return=minimal' | 'return=representation' =>
    isToBeSeen || plan.answer === 'representation' || habits.current().minimal === 'empty'
      ? 'return=representation'
      : 'return=minimal';

  /** Whether the EHR is asked to show what it makes of these. */
  const wantsToSee = (items: readonly Item[]): boolean =>
    habits.wantsToSee(
      items
        .filter(({ at, resourceType }) => at === null && resourceType !== 'Provenance')
        .map(({ resourceType, resource }) => ({ type: resourceType, content: reader.contentOf(resource) })),
    );

  async function writeOne(item: Item): Promise<Settled> {
    const { asked, resource } = requestOf(item);
    const isToBeSeen = wantsToSee([item]);
    const { exchange, verdict } = await deps.send({
      ...asked,
      body: JSON.stringify(resource),
      prefer: preferOf(isToBeSeen),
      requestId: deps.requestId,
      signal: deps.signal,
    });
    const answered = exchange?.kind === 'answered' ? exchange : null;
    if (answered !== null) httpStatus = answered.status;
    const headers = answered?.headers ?? {};
    const located = headers.location === undefined ? null : readLocation(ehr.guard, headers.location);
    const shown = answered?.body.kind === 'json' ? answered.body.value : null;
    const answer = { verdict, located, etag: headers.etag ?? null, status: answered?.status ?? null, resource: shown };
    return chart.settleEntry(item, answer, isToBeSeen);
  }

  /** Each item is written as text once: its length decides how many go together. */
  async function writeTogether(
    entries: readonly EntryText[],
    type: 'transaction' | 'batch',
  ): Promise<readonly Settled[] | 'smaller'> {
    const items = entries.map(({ item }) => item);
    const isToBeSeen = wantsToSee(items);
    const prefer = preferOf(isToBeSeen);
    const check = type === 'transaction' && remembered !== null ? [patientEntry(deps.patient.reference)] : [];
    const { exchange, verdict } = await deps.send({
      method: 'POST',
      path: '',
      body: `{"resourceType":"Bundle","type":"${type}","entry":[${[...entries, ...check].map(({ text }) => text).join()}]}`,
      prefer,
      requestId: deps.requestId,
      signal: deps.signal,
    });
    if (exchange?.kind === 'answered') httpStatus = exchange.status;
    const isEmpty = exchange?.kind === 'answered' && exchange.status === 200 && exchange.body.kind === 'empty';
    if (isEmpty && prefer === 'return=minimal') habits.learnEmptyAnswer();
    // Where it is the patient who is not there, nothing of it was done.
    if (check.length > 0 && (verdict.kind === 'absent' || verdict.kind === 'gone')) {
      remembered?.forget();
      return [stopped({ kind: 'verdict', verdict: later(MOVED) })];
    }
    // A transaction that was refused as a whole does not say by which of its entries: each is tried for itself.
    const isRefusedWhole = ['too-large', 'conflict', 'absent', 'gone'].includes(verdict.kind);
    if (isRefusedWhole && items.length > 1) return 'smaller';
    const [only] = items;
    if (verdict.kind !== 'ok' && only !== undefined)
      return [
        await chart.settleEntry(only, { verdict, located: null, etag: null, status: null, resource: null }, false),
      ];
    const body = exchange?.kind === 'answered' && exchange.body.kind === 'json' ? exchange.body.value : null;
    const requests = [...entries, ...check].map(({ asked }) => asked);
    const answered = classifyEntries(requests, body, ehr.guard, deps.now());
    if (answered.kind === 'ambiguous')
      return [stopped({ kind: 'verdict', verdict: { kind: 'ambiguous', fault: answered.fault } })];
    if (check.length > 0) {
      // It was written to whoever the patient was: what stands there now is looked at, and follows.
      if (remembered?.isStill(answered.entries[items.length]?.resource) !== true)
        return [stopped({ kind: 'verdict', verdict: { kind: 'ambiguous', fault: MOVED } })];
      remembered = null;
    }
    const settled: Settled[] = [];
    const looked = new Set<string>();
    for (const [i, item] of items.entries()) {
      const one = answered.entries[i];
      if (one === undefined) continue;
      settled.push(await chart.settleEntry(item, one, isToBeSeen && !looked.has(item.resourceType)));
      looked.add(item.resourceType);
    }
    return settled;
  }

  /** Outside a transaction nobody resolves references for us: what is referred to must have its address. */
  const isReady = (item: Item): boolean => {
    let ready = true;
    rewriteReferences(item.resource, ({ reference }) => {
      if (reference.startsWith('urn:uuid:') && !addresses.has(reference) && !leftOut.has(reference)) ready = false;
      return undefined;
    });
    return ready;
  };

  /** As many as fit. */
  function take(items: readonly Item[]): EntryText[] {
    const taken: EntryText[] = [];
    let length = 0;
    for (const item of items) {
      if (taken.length >= entriesMax) break;
      const entry = entryFor(item, typePlan(item.resourceType), requestOf(item));
      length += entry.text.length + 1;
      if (taken.length > 0 && length > plan.bytesMax) break;
      taken.push(entry);
    }
    return taken;
  }

  for (const item of all) {
    if (typePlan(item.resourceType).identity === 'not-written') {
      leftOut.add(item.reference);
      continue;
    }
    if (item.at !== null && typePlan(item.resourceType).change === 'none')
      return ended({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
    if (!chart.mustLook(item) && !item.isKept) {
      pending.push(item);
      continue;
    }
    const looked = await chart.look(item);
    if (!looked.ok) return ended({ kind: 'verdict', verdict: later(looked.fault) });
    const next = chart.afterLook(item, looked.value);
    if (next.kind === 'stop') return ended(next.stop);
    // Nobody is asked where both sides say the same.
    if (next.kind === 'again' && item.isKept && deps.mode === 'write')
      leaveAlone(item, looked.value.kind === 'absent' ? 'gone' : 'there');
    else if (next.kind === 'again') pending.push(next.item);
    if (next.kind === 'conflict') leaveAlone(item, next.found);
  }
  isLookedUp = true;
  // Some types may stay behind, as with a dialect that does not take them; all of them may not.
  const isAnyTaken = all.some(({ reference, wanted }) => wanted.group !== 'support' && !leftOut.has(reference));
  if (!isAnyTaken && leftOut.size > 0 && deps.known.size === 0)
    return ended({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
  if (deps.mode === 'look-only') return ended(null);
  // Alone it would say nothing new, and could be there twice.
  if (provenance !== null && plan.provenance === 'yes' && pending.length > 0) pending.push(provenanceItem(provenance));
  // What stands somewhere is referred to by that, also where it was taken back or only looking has found it: its entry
  // has no other name.
  for (const { reference, resourceType, name, at } of [...pending, ...conflicts]) {
    const id = at?.id ?? (typePlan(resourceType).identity === 'put-by-id' ? name : null);
    if (id !== null && !addresses.has(reference)) addresses.set(reference, `${resourceType}/${id}`);
  }

  while (pending.length > 0) {
    // Where a transaction may be carried out as a batch, what tells of the others waits until they are written.
    const isAlone = pending.every(({ resourceType }) => resourceType === 'Provenance');
    const ready =
      plan.references === 'in-bundle'
        ? pending
        : pending.filter((item) => isReady(item) && (isAlone || item.resourceType !== 'Provenance'));
    // Two that refer to each other cannot be written one after the other.
    const [first] = ready;
    // What it was about turned out to be left alone.
    if (isAlone && !written.some(isChange)) break;
    if (first === undefined)
      return ended({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
    const entries = plan.bundle === 'none' ? [] : take(ready);
    const chunk = plan.bundle === 'none' ? [first] : entries.map(({ item }) => item);
    const settled = plan.bundle === 'none' ? [await writeOne(first)] : await writeTogether(entries, plan.bundle);
    if (settled === 'smaller') {
      entriesMax = Math.max(1, Math.ceil(chunk.length / 2));
      continue;
    }
    let stop: Stop | null = null;
    const again: Item[] = [];
    for (const [i, one] of settled.entries()) {
      const item = chunk[i];
      if (one.kind === 'stop') stop = graver(stop, one.stop);
      if (one.kind === 'again') again.push(one.item);
      if (one.kind === 'conflict' && item !== undefined) leaveAlone(item, one.found);
    }
    if (stop !== null) return ended(stop);
    pending = [...again, ...pending.filter((item) => !chunk.includes(item))];
  }
  return ended(null);
}

const MOVED = fault('patient.moved');

/** It tells of what was written, and so of nothing that was left alone. */
function withoutTargets(provenance: AnyResource, leftAlone: readonly Item[]): AnyResource {
  const names = new Set(leftAlone.map(({ reference }) => reference));
  const { target } = provenance;
  if (names.size === 0 || !Array.isArray(target)) return provenance;
  return {
    ...provenance,
    target: (target as { reference?: string }[]).filter(({ reference = '' }) => !names.has(reference)),
  };
}

const isChange = ({ effect }: WrittenRow): boolean => effect === 'created' || effect === 'updated';
