import { fault, type Fault } from '../kernel/index.ts';
import type { Located, TypePlan, Verdict } from '../ehr/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { isWithdrawn } from '../translate/index.ts';
import { saidIn, UNWRITTEN_DIGEST } from './decide-changes.ts';
import { versionOf, versionOfEtag, type Item } from './build-items.ts';
import { NO_CONTENT, type Fingerprint, type WrittenRow } from '../lanes/index.ts';
import { findsImmediately, isSearchKnown } from './ehr-habits.ts';
import { judgeChart, type ChartVerdict } from './judge-chart.ts';
import { lookUp, type Looked } from './look-up.ts';
import { NAME_SYSTEM } from './request-items.ts';
import type { Stop } from './stop.ts';
import type { WriteDeps } from './write-deps.ts';

interface Place {
  readonly id: string;
  readonly versionId: string | null;
}

/** What an answer says of one item. */
export interface Answer {
  readonly verdict: Verdict;
  readonly located: Located | null;
  readonly etag: string | null;
  readonly status: number | null;
  /** What the EHR made of it, where it shows that. */
  readonly resource: unknown;
}

/** What became of one item. `again`: to be written once more, as it is known now. */
export type Settled =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly item: Item }
  /** Somebody else's. `gone`: removed, so that nothing may refer to it. */
  | { readonly kind: 'conflict'; readonly found: 'there' | 'gone' }
  | { readonly kind: 'stop'; readonly stop: Stop };

const DONE: Settled = { kind: 'done' };
const CONFLICT: Settled = { kind: 'conflict', found: 'there' };
const GONE: Settled = { kind: 'conflict', found: 'gone' };
export const stopped = (stop: Stop): Settled => ({ kind: 'stop', stop });
const CREATED = 201;
/** A version that goes on between looking and writing, so often, is somebody at work: later. */
const AGAIN_MAX = 3;

const NOT_WRITTEN: TypePlan = { identity: 'not-written', change: 'none', ifMatch: 'none', searchBy: 'post' };

/**
 * What we took back ourselves and somebody then removed; what somebody removed before we could take it back stays
 * removed.
 */
const mayBeMadeAnew = ({ isRetracted, knownFingerprint }: Item): boolean =>
  isRetracted && knownFingerprint !== NO_CONTENT;

/**
 * What one attempt finds out and makes of the resources of a document in a chart: it looks, judges, and keeps what
 * became of each.
 */
export function openChart(deps: WriteDeps) {
  const { plan, ehr, reader, habits } = deps;
  const isUnknown = deps.doubtAt !== null;
  const addresses = new Map(deps.known);
  addresses.set(deps.patient.urn, deps.patient.reference);
  const written: WrittenRow[] = [];
  const agains = new Map<string, number>();
  const typePlan = (type: string): TypePlan => plan.types[type] ?? NOT_WRITTEN;
  const isFoundBySearch = (type: string): boolean =>
    ['conditional-update', 'search-then-write'].includes(typePlan(type).identity);

  function record(
    item: Item,
    place: Place,
    as: Pick<WrittenRow, 'contentDigest' | 'said' | 'fingerprint' | 'effect'>,
  ): void {
    addresses.set(item.reference, `${item.resourceType}/${place.id}`);
    written.push({
      name: item.name,
      resourceType: item.resourceType,
      id: place.id,
      versionId: place.versionId,
      group: item.wanted.group,
      chartDay: item.wanted.chartDay,
      saidAt: deps.saidAt,
      ...as,
    });
  }

  function done(item: Item, place: Place, effect: WrittenRow['effect'], fingerprint: Fingerprint): Settled {
    record(item, place, { contentDigest: item.digest, said: saidIn(item.resource), fingerprint, effect });
    return DONE;
  }

  /**
   * It holds what is wanted; a later version is written over it only where nobody but us turns out to have written it.
   */
  const doneOtherwise = (item: Item, { id }: Place): Settled =>
    done(item, { id, versionId: null }, 'none', reader.fingerprintOf(item.resource));

  /**
   * Somebody else's. Where the ledger knows nothing of it, it learns that it stands there, so that no later version is
   * written over it.
   */
  function conflictAt(item: Item, { id }: Place): Settled {
    if (item.at === null)
      record(
        item,
        { id, versionId: null },
        {
          contentDigest: UNWRITTEN_DIGEST,
          said: null,
          fingerprint: NO_CONTENT,
          effect: 'none',
        },
      );
    return CONFLICT;
  }

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

  function judge(item: Item, { resource }: Extract<Looked, { kind: 'there' }>): ChartVerdict {
    const former = reader.formerFingerprintOf(resource, deps.patient.via);
    return judgeChart({
      standing: {
        versionId: versionOf(resource),
        fingerprint: former ?? reader.fingerprintOf(resource),
        isWithdrawn: isWithdrawn(resource),
      },
      known:
        item.at === null
          ? null
          : { versionId: item.at.versionId, fingerprint: item.knownFingerprint, isRetracted: item.isRetracted },
      // What stands with a patient who was merged is not what is wanted, whatever it says: it must follow.
      wanted: former === null ? reader.fingerprintOf(item.resource) : NO_CONTENT,
      intents: deps.intentsOf(item.name),
      habits: habits.current().types[item.resourceType] ?? null,
    });
  }

  /** After an attempt of unknown outcome, what a search does not find may only not be found yet. */
  function waitForSearch(item: Item): number {
    if (deps.doubtAt === null || item.at !== null || !isFoundBySearch(item.resourceType)) return 0;
    if (findsImmediately(habits.current())) return 0;
    return Math.max(0, deps.doubtAt + plan.searchSettleMs - deps.now().getTime());
  }

  /**
   * What is to be done with an item after looking: it is there already, it goes to where it is, or somebody else was at
   * it.
   */
  function afterLook(item: Item, looked: Looked): Settled {
    switch (looked.kind) {
      case 'several':
        return stopped({ kind: 'verdict', verdict: { kind: 'several', fault: fault('ehr.several') } });
      case 'unfindable':
        return isUnknown && !deps.isApproved
          ? stopped({ kind: 'ambiguous', fault: fault('ehr.partial') })
          : { kind: 'again', item };
      case 'absent': {
        const waitMs = waitForSearch(item);
        if (waitMs > 0) return stopped({ kind: 'verdict', verdict: later(fault('ehr.search-lag'), waitMs) });
        // What we wrote is not there any more: somebody removed it. What we took back may be gone.
        if (mayBeMadeAnew(item)) return { kind: 'again', item: { ...item, at: null } };
        return item.at === null && looked.wasThere !== 'yes' ? { kind: 'again', item } : GONE;
      }
      case 'there': {
        const place = { id: looked.id, versionId: versionOf(looked.resource) };
        const isShared = item.at === null && item.wanted.write === 'if-absent';
        // In a chart that is no longer the right one, whatever stands under a name of ours must be known, to be taken
        // out.
        const isToBeKnown = deps.mode === 'look-only' && item.at === null;
        const verdict = judge(item, looked);
        if (isShared || isToBeKnown || verdict === 'says-it')
          return done(item, place, 'none', reader.fingerprintOf(looked.resource));
        if (verdict === 'says-it-otherwise') return doneOtherwise(item, place);
        return verdict === 'ours'
          ? { kind: 'again', item: asFound(item, place, looked.resource) }
          : conflictAt(item, place);
      }
    }
  }

  /** What stands there is ours, and known from now on. */
  const asFound = (item: Item, at: Place, resource: AnyResource): Item => ({
    ...item,
    at,
    knownFingerprint: reader.fingerprintOf(resource),
  });

  /** What we took back may be gone, and is made anew; anything else somebody removed. */
  const absent = (item: Item): Settled =>
    mayBeMadeAnew(item) && item.at !== null ? { kind: 'again', item: { ...item, at: null } } : GONE;

  const mustLook = (item: Item): boolean => {
    const { identity, ifMatch } = typePlan(item.resourceType);
    if (isUnknown || item.mayBeForgotten || item.isDoubted) return true;
    // What several charts share may be there by another's document, and somebody may have made more of it.
    if (item.at === null) return identity === 'search-then-write' || item.wanted.write === 'if-absent';
    return ifMatch === 'none' || item.at.versionId === null || plan.update === 'after-a-look';
  };

  const shownIn = ({ resource }: Answer): AnyResource | null =>
    typeof resource === 'object' && resource !== null && 'resourceType' in resource ? (resource as AnyResource) : null;

  /** The version of what the EHR shows, if that is what we wrote: some answer with what stood there before. */
  function versionShown(item: Item, answer: Answer): string | null {
    const shown = shownIn(answer);
    const resource = shown === null ? null : { kind: 'there' as const, resource: shown, id: String(shown['id']) };
    return resource !== null && judge(item, resource) === 'says-it' ? versionOf(resource.resource) : null;
  }

  /** Where an item stands after a good answer: by the answer, by its own id, or by looking. */
  async function placeOf(item: Item, answer: Answer): Promise<{ readonly place: Place } | { readonly stop: Stop }> {
    const { located, etag } = answer;
    const own = item.at?.id ?? (typePlan(item.resourceType).identity === 'put-by-id' ? item.name : null);
    const versionId = versionOfEtag(etag) ?? located?.versionId ?? versionShown(item, answer);
    const id = own ?? (located?.type === item.resourceType ? located.id : null);
    const needsVersion =
      versionId === null && typePlan(item.resourceType).ifMatch !== 'none' && item.resourceType !== 'Provenance';
    if (id !== null && !needsVersion) return { place: { id, versionId } };
    const looked = await look(id === null ? item : { ...item, at: { id, versionId: null } });
    if (!looked.ok) return { stop: { kind: 'verdict', verdict: { kind: 'ambiguous', fault: looked.fault } } };
    if (looked.value.kind !== 'there') return { stop: { kind: 'ambiguous', fault: fault('ehr.partial') } };
    // The version is ours only if nobody wrote between our write and this look.
    const isOwn = judge(item, looked.value) === 'says-it';
    return { place: { id: looked.value.id, versionId: isOwn ? versionOf(looked.value.resource) : null } };
  }

  /**
   * A version that is no longer ours may be of our own making, by an attempt of which we never heard; and some servers
   * say "conflict" for what is only two writes that met. Looking tells them apart.
   */
  async function afterConflict(item: Item, verdict: Extract<Verdict, { kind: 'conflict' }>): Promise<Settled> {
    const looked = await look(item);
    if (!looked.ok) return stopped({ kind: 'verdict', verdict: { kind: 'ambiguous', fault: looked.fault } });
    if (looked.value.kind === 'several')
      return stopped({ kind: 'verdict', verdict: { kind: 'several', fault: fault('ehr.several') } });
    if (looked.value.kind !== 'there') return absent(item);
    const { resource, id } = looked.value;
    const [found, known] = [versionOf(resource), item.at?.versionId ?? null];
    switch (judge(item, looked.value)) {
      case 'says-it':
        return done(item, { id, versionId: found }, 'none', reader.fingerprintOf(resource));
      case 'says-it-otherwise':
        return doneOtherwise(item, { id, versionId: found });
      case 'foreign':
        return conflictAt(item, { id, versionId: found });
      case 'ours': {
        const times = (agains.get(item.name) ?? 0) + 1;
        agains.set(item.name, times);
        if (found === known || times > AGAIN_MAX)
          return stopped({ kind: 'verdict', verdict: { ...verdict, because: 'concurrency' } });
        return { kind: 'again', item: asFound(item, { id, versionId: found }, resource) };
      }
    }
  }

  const isFirst = (resource: AnyResource, { versionId }: Place): boolean =>
    [versionId, '1', null].includes(versionOf(resource));

  /**
   * What the EHR makes of what it is given is learnt from what it shows of a create, or by a look where it shows
   * nothing.
   */
  async function learn(item: Item, answer: Answer, place: Place, isLookWanted: boolean): Promise<void> {
    if (answer.status !== CREATED || item.resourceType === 'Provenance') return;
    const sent = reader.contentOf(item.resource);
    const shown = shownIn(answer);
    if (shown?.resourceType === item.resourceType)
      habits.learnChanges(item.resourceType, sent, reader.contentOf(shown));
    else if (isLookWanted) {
      const looked = await look({ ...item, at: place });
      // A version that went on since is somebody else's, and teaches nothing of the EHR.
      if (looked.ok && looked.value.kind === 'there' && isFirst(looked.value.resource, place))
        habits.learnChanges(item.resourceType, sent, reader.contentOf(looked.value.resource));
      else habits.wasNotShown(item.resourceType);
    }
    if (isFoundBySearch(item.resourceType) && !isSearchKnown(habits.current())) {
      const found = await look({ ...item, at: null });
      if (found.ok) habits.learnSearch(found.value.kind === 'there' ? 'found' : 'not-found');
    }
  }

  async function settleEntry(item: Item, answer: Answer, isLookWanted: boolean): Promise<Settled> {
    const { verdict } = answer;
    if (verdict.kind === 'conflict' && (verdict.because === 'version' || item.at !== null))
      return afterConflict(item, verdict);
    if (verdict.kind === 'absent' || verdict.kind === 'gone') return absent(item);
    if (verdict.kind !== 'ok') return stopped({ kind: 'verdict', verdict });
    const placed = await placeOf(item, answer);
    if ('stop' in placed) return stopped(placed.stop);
    await learn(item, answer, placed.place, isLookWanted);
    return done(
      item,
      placed.place,
      answer.status === CREATED ? 'created' : 'updated',
      reader.fingerprintOf(item.resource),
    );
  }

  return { addresses, written, typePlan, look, afterLook, mustLook, settleEntry };
}

/** Nothing was written, and nobody need look: it is tried again. */
export const later = (because: Fault, afterMs: number | null = null): Extract<Verdict, { kind: 'retry-later' }> => ({
  kind: 'retry-later',
  afterMs,
  patience: 'long',
  effect: 'none',
  fault: because,
});
