import { labelsOf, saidIn } from '../content/index.ts';
import { fault, type Fault } from '../kernel/index.ts';
import type { TypePlan, Verdict, WritePlan } from '../ehr/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { isWithdrawn } from '../translate/index.ts';
import { UNWRITTEN_DIGEST } from './decide-changes.ts';
import { fingerprintOfItem, versionOf, versionOfEtag, type Item } from './build-items.ts';
import { NO_CONTENT, type Fingerprint, type WrittenRow } from '../lanes/index.ts';
import { findsImmediately, isSearchKnown } from './ehr-habits.ts';
import { judgeChart, type ChartVerdict } from './judge-chart.ts';
import type { Looked } from './look-up.ts';
import type { Stop } from './stop.ts';
import type { Answer, Place, Settling, WriteFacts } from './write-state.ts';

/** What became of one item. */
export type Fate =
  /** It stands there, and the ledger learns of it. */
  | { readonly kind: 'done'; readonly row: WrittenRow }
  /** To be written (once more), as it is known now. */
  | { readonly kind: 'again'; readonly item: Item }
  /** Somebody else's. `gone`: removed, so that nothing may refer to it. `row`: what the ledger did not know of it. */
  | { readonly kind: 'conflict'; readonly found: 'there' | 'gone'; readonly row: WrittenRow | null }
  | { readonly kind: 'stop'; readonly stop: Stop };

/** What the facts of an attempt are needed for here. */
type Facts = Omit<WriteFacts, 'items' | 'provenance' | 'known' | 'removed'>;

type Done = Extract<Fate, { kind: 'done' }>;
type AgainOrLeft = Extract<Fate, { kind: 'again' | 'conflict' }>;
const GONE: AgainOrLeft = { kind: 'conflict', found: 'gone', row: null };
const stopped = (stop: Stop): Fate => ({ kind: 'stop', stop });
const CREATED = 201;
/** A version that goes on between looking and writing, so often, is somebody at work: later. */
const REWRITES_MAX = 3;

const NOT_WRITTEN: TypePlan = { identity: 'not-written', change: 'none', ifMatch: 'none', searchBy: 'post' };

export const typePlanOf = (plan: WritePlan, type: string): TypePlan => plan.types[type] ?? NOT_WRITTEN;

export const isFoundBySearch = (plan: WritePlan, type: string): boolean =>
  ['conditional-update', 'search-then-write'].includes(typePlanOf(plan, type).identity);

/** Nothing was written, and nobody need look: it is tried again. */
export const later = (because: Fault, afterMs: number | null = null): Extract<Verdict, { kind: 'retry-later' }> => ({
  kind: 'retry-later',
  afterMs,
  patience: 'long',
  effect: 'none',
  fault: because,
});

/**
 * What we took back ourselves and somebody then removed; what somebody removed before we could take it back stays
 * removed.
 */
const mayBeMadeAnew = ({ isRetracted, knownFingerprint }: Item): boolean =>
  isRetracted && knownFingerprint !== NO_CONTENT;

const rowOf = (
  item: Item,
  place: Place,
  { saidAt }: Facts,
  as: Pick<WrittenRow, 'contentDigest' | 'said' | 'fingerprint' | 'effect' | 'event'>,
): WrittenRow => ({
  name: item.name,
  resourceType: item.resourceType,
  id: place.id,
  versionId: place.versionId,
  group: item.wanted.group,
  chartDay: item.wanted.chartDay,
  shelf: item.wanted.shelf,
  ledgerDocument: item.ledgerDocument,
  saidAt,
  ...as,
});

/**
 * What apps may be told. What stands there already was written by an attempt of ours that nobody heard of, where one is
 * in doubt; else by somebody else, or before.
 */
function eventOf(
  item: Item,
  effect: WrittenRow['effect'],
  { doubtAt, mode }: Pick<Facts, 'doubtAt' | 'mode'>,
): Pick<WrittenRow, 'event'> {
  const isOurs = effect === 'none' && mode === 'write' && (doubtAt !== null || item.isDoubted);
  if (effect !== 'created' && effect !== 'updated' && !isOurs) return {};
  const isNew = effect === 'created' || (isOurs && item.at === null);
  return {
    event: { act: isNew ? 'written' : 'amended', labels: item.finished?.labels ?? labelsOf(item.statement.resource) },
  };
}

const done = (
  item: Item,
  place: Place,
  effect: WrittenRow['effect'],
  fingerprint: Fingerprint,
  facts: Facts,
): Done => ({
  kind: 'done',
  row: rowOf(item, place, facts, {
    contentDigest: item.digest,
    said: item.finished === null ? saidIn(item.statement.resource) : item.finished.said,
    fingerprint,
    effect,
    ...eventOf(item, effect, facts),
  }),
});

/**
 * It holds what is wanted; a later version is written over it only where nobody but us turns out to have written it.
 */
const doneOtherwise = (item: Item, { id }: Place, facts: Facts): Fate =>
  done(item, { id, versionId: null }, 'none', fingerprintOfItem(item, facts.reader), facts);

/**
 * Somebody else's. Where the ledger knows nothing of it, it learns that it stands there, so that no later version is
 * written over it.
 */
function conflictAt(item: Item, { id }: Place, facts: Facts): Fate {
  const unknown = { contentDigest: UNWRITTEN_DIGEST, said: null, fingerprint: NO_CONTENT, effect: 'none' } as const;
  const row = item.at === null ? rowOf(item, { id, versionId: null }, facts, unknown) : null;
  return { kind: 'conflict', found: 'there', row };
}

/** What stands there is ours, and known from now on. */
const asFound = (item: Item, at: Place, resource: AnyResource, { reader }: Facts): Item => ({
  ...item,
  at,
  knownFingerprint: reader.fingerprintOf(resource),
});

/** What we took back may be gone, and is made anew; anything else somebody removed. */
const absent = (item: Item): AgainOrLeft =>
  mayBeMadeAnew(item) && item.at !== null ? { kind: 'again', item: { ...item, at: null } } : GONE;

function judgeStanding(item: Item, resource: AnyResource, facts: Facts): ChartVerdict {
  const { reader, patient, habits } = facts;
  const former = reader.formerFingerprintOf(resource, patient.via);
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
    wanted: former === null ? fingerprintOfItem(item, reader) : NO_CONTENT,
    intents: facts.intentsOf(item.name),
    habits: habits.types[item.resourceType] ?? null,
  });
}

/** Whether what stands under the name of an item must be known before it is written. */
export function mustLook(item: Item, { plan, doubtAt }: Pick<Facts, 'plan' | 'doubtAt'>): boolean {
  const { identity, ifMatch } = typePlanOf(plan, item.resourceType);
  if (doubtAt !== null || item.mayBeForgotten || item.isDoubted) return true;
  // What several charts share may be there by another's document, and somebody may have made more of it.
  if (item.at === null) return identity === 'search-then-write' || item.wanted.write === 'if-absent';
  return ifMatch === 'none' || item.at.versionId === null || plan.update === 'after-a-look';
}

/** After an attempt of unknown outcome, what a search does not find may only not be found yet. */
function waitForSearch(item: Item, { doubtAt, plan, habits, nowMs }: Facts): number {
  if (doubtAt === null || item.at !== null || !isFoundBySearch(plan, item.resourceType)) return 0;
  if (findsImmediately(habits)) return 0;
  return Math.max(0, doubtAt + plan.searchSettleMs - nowMs);
}

/** Before writing: it is there already, it goes to where it is, or somebody else was at it. */
export function afterLook(item: Item, looked: Looked, facts: Facts): Fate {
  switch (looked.kind) {
    case 'several':
      return stopped({ kind: 'verdict', verdict: { kind: 'several', fault: fault('ehr.several') } });
    case 'unfindable':
      return facts.doubtAt !== null && !facts.isApproved
        ? stopped({ kind: 'ambiguous', fault: fault('ehr.partial') })
        : { kind: 'again', item };
    case 'absent': {
      const waitMs = waitForSearch(item, facts);
      if (waitMs > 0) return stopped({ kind: 'verdict', verdict: later(fault('ehr.search-lag'), waitMs) });
      // What we wrote is not there any more: somebody removed it. What we took back may be gone.
      if (mayBeMadeAnew(item)) return { kind: 'again', item: { ...item, at: null } };
      return item.at === null && looked.wasThere !== 'yes' ? { kind: 'again', item } : GONE;
    }
    case 'there': {
      const { resource } = looked;
      const place = { id: looked.id, versionId: versionOf(resource) };
      const isShared = item.at === null && item.wanted.write === 'if-absent';
      // In a chart that is no longer the right one, whatever stands under a name of ours must be known, to be taken
      // out.
      const isToBeKnown = facts.mode === 'look-only' && item.at === null;
      const verdict = judgeStanding(item, resource, facts);
      if (isShared || isToBeKnown || verdict === 'says-it')
        return done(item, place, 'none', facts.reader.fingerprintOf(resource), facts);
      if (verdict === 'says-it-otherwise') return doneOtherwise(item, place, facts);
      return verdict === 'ours'
        ? { kind: 'again', item: asFound(item, place, resource, facts) }
        : conflictAt(item, place, facts);
    }
  }
}

const resourceIn = ({ resource }: Answer): AnyResource | null =>
  typeof (resource as { resourceType?: unknown } | null)?.resourceType === 'string' ? (resource as AnyResource) : null;

/** The version of what the EHR shows, if that is what we wrote: some answer with what stood there before. */
function versionShown(item: Item, answer: Answer, facts: Facts): string | null {
  const shown = resourceIn(answer);
  return shown !== null && judgeStanding(item, shown, facts) === 'says-it' ? versionOf(shown) : null;
}

/** What an answer leads to: a fate, a place in the chart, or a look at what stands there. */
export type AfterAnswer =
  | Exclude<Fate, { kind: 'done' }>
  | { readonly kind: 'placed'; readonly place: Place }
  | {
      readonly kind: 'read-back';
      readonly item: Item;
      readonly waitsFor: Exclude<Settling['waitsFor'], { kind: 'lesson' }>;
    };

export function afterAnswer(item: Item, answer: Answer, facts: Facts): AfterAnswer {
  const { verdict } = answer;
  // A version that is no longer ours may be of our own making, by an attempt of which we never heard; and some servers
  // say "conflict" for what is only two writes that met. Looking tells them apart.
  if (verdict.kind === 'conflict' && (verdict.because === 'version' || item.at !== null))
    return { kind: 'read-back', item, waitsFor: { kind: 'conflict-read-back', verdict } };
  if (verdict.kind === 'absent' || verdict.kind === 'gone') return absent(item);
  if (verdict.kind !== 'ok') return { kind: 'stop', stop: { kind: 'verdict', verdict } };
  const { located, etag } = answer;
  const { identity, ifMatch } = typePlanOf(facts.plan, item.resourceType);
  const own = item.at?.id ?? (identity === 'put-by-id' ? item.name : null);
  const versionId = versionOfEtag(etag) ?? located?.versionId ?? versionShown(item, answer, facts);
  const id = own ?? (located?.type === item.resourceType ? located.id : null);
  const needsVersion = versionId === null && ifMatch !== 'none' && item.resourceType !== 'Provenance';
  if (id !== null && !needsVersion) return { kind: 'placed', place: { id, versionId } };
  const readBack = id === null ? item : { ...item, at: { id, versionId: null } };
  return { kind: 'read-back', item: readBack, waitsFor: { kind: 'place-read-back' } };
}

/** A good answer did not say where it stands; looking has. */
export function afterPlaceReadBack(
  item: Item,
  looked: Looked,
  facts: Facts,
): Extract<AfterAnswer, { kind: 'placed' | 'stop' }> {
  // It was taken, and nothing tells where it stands: as after a lost answer, for the next version of the document too.
  if (looked.kind === 'unfindable')
    return { kind: 'stop', stop: { kind: 'verdict', verdict: { kind: 'ambiguous', fault: fault('ehr.partial') } } };
  if (looked.kind !== 'there') return { kind: 'stop', stop: { kind: 'ambiguous', fault: fault('ehr.partial') } };
  // The version is ours only if nobody wrote between our write and this look.
  const isOwn = judgeStanding(item, looked.resource, facts) === 'says-it';
  return { kind: 'placed', place: { id: looked.id, versionId: isOwn ? versionOf(looked.resource) : null } };
}

/** `rewrites`: how often it was written again before. */
export function afterConflictReadBack(
  item: Item,
  verdict: Extract<Verdict, { kind: 'conflict' }>,
  looked: Looked,
  rewrites: number,
  facts: Facts,
): Fate {
  if (looked.kind === 'several')
    return stopped({ kind: 'verdict', verdict: { kind: 'several', fault: fault('ehr.several') } });
  if (looked.kind !== 'there') return absent(item);
  const { resource, id } = looked;
  const place = { id, versionId: versionOf(resource) };
  switch (judgeStanding(item, resource, facts)) {
    case 'says-it':
      return done(item, place, 'none', facts.reader.fingerprintOf(resource), facts);
    case 'says-it-otherwise':
      return doneOtherwise(item, place, facts);
    case 'foreign':
      return conflictAt(item, place, facts);
    case 'ours':
      return place.versionId === (item.at?.versionId ?? null) || rewrites >= REWRITES_MAX
        ? stopped({ kind: 'verdict', verdict: { ...verdict, because: 'concurrency' } })
        : { kind: 'again', item: asFound(item, place, resource, facts) };
  }
}

/** It was written, and stands there. */
export const afterWrite = (item: Item, place: Place, answer: Answer, facts: Facts): Done =>
  done(item, place, answer.status === CREATED ? 'created' : 'updated', fingerprintOfItem(item, facts.reader), facts);

/** What an answer to a create can teach of the EHR. `shown`: what it made of it, where it shows that. */
export type Lesson =
  | { readonly kind: 'none' }
  | { readonly kind: 'lesson'; readonly shown: AnyResource | null; readonly isLookWanted: boolean };

export function lessonIn(item: Item, answer: Answer, isLookWanted: boolean, { plan, habits }: Facts): Lesson {
  const { resourceType } = item;
  if (answer.status !== CREATED || resourceType === 'Provenance') return { kind: 'none' };
  const resource = resourceIn(answer);
  const shown = resource?.resourceType === resourceType ? resource : null;
  const isSearchToBeTried = isFoundBySearch(plan, resourceType) && !isSearchKnown(habits);
  if (shown === null && !isLookWanted && !isSearchToBeTried) return { kind: 'none' };
  return { kind: 'lesson', shown, isLookWanted };
}
