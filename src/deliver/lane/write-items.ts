import { fault } from '../../kernel/index.ts';
import {
  classifyEntries,
  readLocation,
  type Ehr,
  type EhrRequest,
  type Located,
  type Sent,
  type TypePlan,
  type Verdict,
  type WritePlan,
} from '../../ehr/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { rewriteReferences } from '../../r4/index.ts';
import { withoutReferences, type Wanted } from '../../translate/index.ts';
import { canBeOurs, holdsContent, isOurs, versionOf, versionOfEtag, type Item } from './build-items.ts';
import type { WrittenRow } from './commands.ts';
import { entryFor, NAME_SYSTEM, provenanceItem, requestFor, type EntryText, type ItemRequest } from './request-items.ts';
import { lookUp, type Looked } from './look-up.ts';
import { graver, type Stop } from './stop.ts';

export interface WroteItems {
  readonly written: readonly WrittenRow[];
  readonly stop: Stop | null;
  readonly httpStatus: number | null;
  /** Whatever an earlier attempt may have written was found out. */
  readonly isLookedUp: boolean;
}

export interface WriteDeps {
  readonly ehr: Ehr;
  readonly plan: WritePlan;
  readonly patient: { readonly urn: string; readonly reference: string };
  readonly saidAt: number;
  /** Addresses of what was written before, by the references of the document. */
  readonly known: ReadonlyMap<string, string>;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** A person has seen that it cannot be known whether it was written, and wants it written. */
  readonly isApproved: boolean;
  /** `look-only`: the chart is no longer the right one; only what an earlier attempt wrote there is found out. */
  readonly mode: 'write' | 'look-only';
  readonly now: () => Date;
  /** One request through the guard of the target. */
  readonly send: (request: EhrRequest) => Promise<Sent>;
}

interface Place {
  readonly id: string;
  readonly versionId: string | null;
}

/** What an answer says of one item. */
interface Said {
  readonly located: Located | null;
  readonly etag: string | null;
  readonly status: number | null;
}
const NOTHING_SAID: Said = { located: null, etag: null, status: null };
const CREATED = 201;

const NOT_WRITTEN: TypePlan = { identity: 'not-written', change: 'none', ifMatch: 'none', searchBy: 'post' };

/** Writes what a document wants in as few requests as the EHR allows. What was written is told also where the rest was not. */
export async function writeItems(
  all: readonly Item[],
  provenance: Wanted | null,
  isUnknown: boolean,
  deps: WriteDeps,
): Promise<WroteItems> {
  const { plan, ehr } = deps;
  const addresses = new Map(deps.known);
  addresses.set(deps.patient.urn, deps.patient.reference);
  const written: WrittenRow[] = [];
  /** References to what this EHR takes none of. */
  const leftOut = new Set<string>();
  let httpStatus: number | null = null;
  let isLookedUp = false;
  let entriesMax = Math.max(1, plan.entriesMax);
  const typePlan = (type: string): TypePlan => plan.types[type] ?? NOT_WRITTEN;

  function done(item: Item, place: Place, effect: WrittenRow['effect']): void {
    addresses.set(item.reference, `${item.resourceType}/${place.id}`);
    written.push({
      name: item.name,
      resourceType: item.resourceType,
      id: place.id,
      versionId: place.versionId,
      contentDigest: item.digest,
      group: item.wanted.group,
      chartDay: item.wanted.chartDay,
      saidAt: deps.saidAt,
      effect,
    });
  }

  const ended = (stop: Stop | null): WroteItems => ({ written, stop, httpStatus, isLookedUp });
  const look = (item: Item) =>
    lookUp(ehr, {
      resourceType: item.resourceType,
      name: item.name,
      system: NAME_SYSTEM,
      id: item.at?.id ?? null,
      plan: typePlan(item.resourceType),
      requestId: deps.requestId,
      signal: deps.signal,
    });

  /** What is to be done with an item after looking: it is there already, it goes to where it is, or somebody else was at it. */
  function afterLook(item: Item, looked: Looked): { readonly item: Item | null; readonly stop: Stop | null } {
    const go = (one: Item | null): { item: Item | null; stop: null } => ({ item: one, stop: null });
    switch (looked.kind) {
      case 'several':
        return { item: null, stop: { kind: 'verdict', verdict: { kind: 'several', fault: fault('ehr.several') } } };
      case 'unfindable':
        return isUnknown && !deps.isApproved
          ? { item: null, stop: { kind: 'ambiguous', fault: fault('ehr.partial') } }
          : go(item);
      case 'absent':
        // What we wrote is not there any more: somebody removed it. What we took back may be gone.
        if (item.at === null || item.isRetracted) return go({ ...item, at: null });
        return { item: null, stop: { kind: 'conflict', fault: fault('ehr.gone') } };
      case 'there': {
        const place = { id: looked.id, versionId: versionOf(looked.resource) };
        if (item.at === null && item.wanted.write === 'if-absent') {
          done(item, place, 'none');
          return go(null);
        }
        if (!isOurs(item, looked.resource, place.versionId))
          return { item: null, stop: { kind: 'conflict', fault: fault('ehr.conflict') } };
        if (!holdsContent(looked.resource, item.digest)) return go({ ...item, at: place });
        done(item, place, 'none');
        return go(null);
      }
    }
  }

  const mustLook = (item: Item): boolean => {
    const { identity, ifMatch } = typePlan(item.resourceType);
    return (
      isUnknown ||
      item.mayBeForgotten ||
      (item.at === null && identity === 'search-then-write') ||
      (item.at !== null && ifMatch === 'none')
    );
  };

  /** References to what has its address already; the others stay until it has. */
  const resolved = (resource: AnyResource): AnyResource =>
    rewriteReferences(withoutReferences(resource, leftOut), ({ reference }) => addresses.get(reference));

  const requestOf = (item: Item): ItemRequest => requestFor(item, typePlan(item.resourceType), resolved(item.resource));

  /** Where an item stands after a good answer: by the answer, by its own id, or by looking. */
  async function placeOf(item: Item, located: Located | null, etag: string | null): Promise<Place | Stop> {
    const own = item.at?.id ?? (typePlan(item.resourceType).identity === 'put-by-id' ? item.name : null);
    const versionId = versionOfEtag(etag) ?? located?.versionId ?? null;
    const id = own ?? (located?.type === item.resourceType ? located.id : null);
    const needsVersion =
      versionId === null && typePlan(item.resourceType).ifMatch !== 'none' && item.resourceType !== 'Provenance';
    if (id !== null && !needsVersion) return { id, versionId };
    const looked = await look(id === null ? item : { ...item, at: { id, versionId: null } });
    if (!looked.ok) return { kind: 'verdict', verdict: { kind: 'ambiguous', fault: looked.fault } };
    if (looked.value.kind !== 'there') return { kind: 'ambiguous', fault: fault('ehr.partial') };
    return { id: looked.value.id, versionId: versionOf(looked.value.resource) };
  }

  /**
   * A version that is no longer ours may be of our own making, by an attempt of which we never heard; and some servers say "conflict"
   * for what is only two writes that met. Looking tells them apart.
   */
  async function afterConflict(item: Item, verdict: Extract<Verdict, { kind: 'conflict' }>): Promise<Stop | null> {
    const looked = await look(item);
    if (!looked.ok) return { kind: 'verdict', verdict: { kind: 'ambiguous', fault: looked.fault } };
    if (looked.value.kind === 'several') return { kind: 'verdict', verdict: { kind: 'several', fault: fault('ehr.several') } };
    if (looked.value.kind !== 'there') return { kind: 'conflict', fault: fault('ehr.conflict') };
    const { resource, id } = looked.value;
    const [found, known] = [versionOf(resource), item.at?.versionId ?? null];
    if (holdsContent(resource, item.digest) && canBeOurs(found, known)) {
      done(item, { id, versionId: found }, 'none');
      return null;
    }
    if (found !== null && found === known) return { kind: 'verdict', verdict: { ...verdict, because: 'concurrency' } };
    return { kind: 'conflict', fault: fault('ehr.conflict') };
  }

  async function settleEntry(item: Item, verdict: Verdict, { located, etag, status }: Said): Promise<Stop | null> {
    if (verdict.kind === 'conflict' && (verdict.because === 'version' || item.at !== null)) return afterConflict(item, verdict);
    if (verdict.kind === 'absent' || verdict.kind === 'gone') return { kind: 'conflict', fault: verdict.fault };
    if (verdict.kind !== 'ok') return { kind: 'verdict', verdict };
    const place = await placeOf(item, located, etag);
    if ('kind' in place) return place;
    done(item, place, status === CREATED ? 'created' : 'updated');
    return null;
  }

  async function writeOne(item: Item): Promise<Stop | null> {
    const { asked, resource } = requestOf(item);
    const { exchange, verdict } = await deps.send({
      ...asked,
      body: JSON.stringify(resource),
      prefer: 'return=minimal',
      requestId: deps.requestId,
      signal: deps.signal,
    });
    if (exchange?.kind === 'answered') httpStatus = exchange.status;
    const headers = exchange?.kind === 'answered' ? exchange.headers : {};
    const located = headers.location === undefined ? null : readLocation(ehr.guard, headers.location);
    return settleEntry(item, verdict, { located, etag: headers.etag ?? null, status: httpStatus });
  }

  /** Each item is written as text once: its length decides how many go together. */
  async function writeTogether(entries: readonly EntryText[], type: 'transaction' | 'batch'): Promise<Stop | null | 'too-large'> {
    const items = entries.map(({ item }) => item);
    const { exchange, verdict } = await deps.send({
      method: 'POST',
      path: '',
      body: `{"resourceType":"Bundle","type":"${type}","entry":[${entries.map(({ text }) => text).join()}]}`,
      prefer: 'return=minimal',
      requestId: deps.requestId,
      signal: deps.signal,
    });
    if (exchange?.kind === 'answered') httpStatus = exchange.status;
    if (verdict.kind === 'too-large' && items.length > 1) return 'too-large';
    // A transaction that was refused as a whole does not say by which of its entries: each is tried for itself.
    if ((verdict.kind === 'conflict' || verdict.kind === 'absent' || verdict.kind === 'gone') && items.length > 1)
      return 'too-large';
    if (verdict.kind === 'conflict' && items[0] !== undefined) return settleEntry(items[0], verdict, NOTHING_SAID);
    if (verdict.kind !== 'ok') return { kind: 'verdict', verdict };
    const body = exchange?.kind === 'answered' && exchange.body.kind === 'json' ? exchange.body.value : null;
    const answered = classifyEntries({ type, requests: entries.map(({ asked }) => asked) }, body, ehr.guard, deps.now());
    if (answered.kind === 'ambiguous') return { kind: 'verdict', verdict: { kind: 'ambiguous', fault: answered.fault } };
    let stop: Stop | null = null;
    for (const [i, item] of items.entries()) {
      const one = answered.entries[i];
      if (one === undefined) continue;
      stop = graver(stop, await settleEntry(item, one.verdict, one));
    }
    return stop;
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

  let pending: Item[] = [];
  for (const item of all) {
    if (typePlan(item.resourceType).identity === 'not-written') {
      leftOut.add(item.reference);
      continue;
    }
    if (item.at !== null && typePlan(item.resourceType).change === 'none')
      return ended({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
    if (!mustLook(item)) {
      pending.push(item);
      continue;
    }
    const looked = await look(item);
    if (!looked.ok)
      return ended({
        kind: 'verdict',
        verdict: { kind: 'retry-later', afterMs: null, patience: 'long', effect: 'none', fault: looked.fault },
      });
    const next = afterLook(item, looked.value);
    if (next.stop !== null) return ended(next.stop);
    if (next.item !== null) pending.push(next.item);
  }
  isLookedUp = true;
  // Some types may stay behind, as with a dialect that does not take them; all of them may not.
  const isAnyTaken = all.some(({ reference, wanted }) => wanted.group !== 'support' && !leftOut.has(reference));
  if (!isAnyTaken && leftOut.size > 0 && deps.known.size === 0)
    return ended({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
  if (deps.mode === 'look-only') return ended(null);
  // Alone it would say nothing new, and could be there twice.
  if (provenance !== null && plan.provenance === 'yes' && pending.length > 0) pending.push(provenanceItem(provenance));
  // What stands somewhere is referred to by that, also where it was taken back or only looking has found it: its entry has no other name.
  for (const { reference, resourceType, name, at } of pending) {
    const id = at?.id ?? (typePlan(resourceType).identity === 'put-by-id' ? name : null);
    if (id !== null && !addresses.has(reference)) addresses.set(reference, `${resourceType}/${id}`);
  }

  while (pending.length > 0) {
    const ready = plan.references === 'in-bundle' ? pending : pending.filter(isReady);
    // Two that refer to each other cannot be written one after the other.
    if (ready.length === 0) return ended({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
    const [first] = ready;
    if (first === undefined) break;
    const entries = plan.bundle === 'none' ? [] : take(ready);
    const chunk = plan.bundle === 'none' ? [first] : entries.map(({ item }) => item);
    const stop = plan.bundle === 'none' ? await writeOne(first) : await writeTogether(entries, plan.bundle);
    if (stop === 'too-large') {
      entriesMax = Math.max(1, Math.ceil(chunk.length / 2));
      continue;
    }
    if (stop !== null) return ended(stop);
    pending = pending.filter((item) => !chunk.includes(item));
  }
  return ended(null);
}
