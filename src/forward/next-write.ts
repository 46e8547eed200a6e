import { fault } from '../kernel/index.ts';
import type { Verdict } from '../ehr/index.ts';
import type { Item } from './build-items.ts';
import { chooseRequest } from './choose-request.ts';
import { provenanceItem } from './request-items.ts';
import {
  afterAnswer,
  afterConflictReadBack,
  afterLook,
  afterPlaceReadBack,
  afterWrite,
  later,
  lessonIn,
  mustLook,
  typePlanOf,
  type AfterAnswer,
  type Fate,
  type Lesson,
} from './settle-item.ts';
import { graver, type Stop } from './stop.ts';
import type { Answer, Progress, Settling, WriteEvent, WriteFacts, WriteState, WriteStep } from './write-state.ts';

const REJECTED: Stop = { kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } };
const MOVED = fault('patient.moved');

const ended = (progress: Progress, stop: Stop | null): WriteStep => ({
  state: { kind: 'ended', progress, stop },
  act: { kind: 'end' },
});
const failed = (progress: Progress, verdict: Exclude<Verdict, { kind: 'ok' }>): WriteStep =>
  ended(progress, { kind: 'verdict', verdict });

/** What somebody else made of it stays; nothing refers to what is not there. */
const leaveAlone = (progress: Progress, item: Item, found: 'there' | 'gone'): Progress => ({
  ...progress,
  conflicts: [...progress.conflicts, item],
  leftOut: found === 'gone' ? [...progress.leftOut, item.reference] : progress.leftOut,
});

/** What the ledger learns of an item. */
const record = (
  progress: Progress,
  { reference }: Item,
  fate: Extract<Fate, { kind: 'done' | 'conflict' }>,
): Progress =>
  fate.row === null ? progress : { ...progress, written: [...progress.written, { reference, row: fate.row }] };

/** The first step of a document. */
export function beginWrite(facts: WriteFacts, patient: Progress['patient']): WriteStep {
  const progress: Progress = {
    pending: [],
    written: [],
    conflicts: [],
    leftOut: facts.removed,
    rewrites: new Map(),
    entriesMax: Math.max(1, facts.plan.entriesMax),
    patient,
    httpStatus: null,
    isLookedUp: false,
  };
  return lookFrom(0, progress, facts);
}

/** Goes through the items from here to the first that must be looked up. */
function lookFrom(from: number, before: Progress, facts: WriteFacts): WriteStep {
  const pending = [...before.pending];
  const leftOut = [...before.leftOut];
  const reached = (): Progress => ({ ...before, pending, leftOut });
  for (let at = from; at < facts.items.length; at += 1) {
    const item = facts.items[at];
    if (item === undefined) break;
    const { identity, change } = typePlanOf(facts.plan, item.resourceType);
    if (identity === 'not-written') leftOut.push(item.reference);
    else if (item.at !== null && change === 'none') return ended(reached(), REJECTED);
    else if (mustLook(item, facts) || item.isKept)
      return { state: { kind: 'looking', progress: reached(), at }, act: { kind: 'look', item } };
    else pending.push(item);
  }
  return beginSending({ ...reached(), isLookedUp: true }, facts);
}

function afterLooking(
  { progress, at }: Extract<WriteState, { kind: 'looking' }>,
  event: WriteEvent,
  facts: WriteFacts,
): WriteStep {
  const item = facts.items[at];
  if (item === undefined) return unexpected('looking', event);
  if (event.kind === 'look-failed') return failed(progress, later(event.fault));
  if (event.kind !== 'looked') return unexpected('looking', event);
  const fate = afterLook(item, event.looked, facts);
  if (fate.kind === 'stop') return ended(progress, fate.stop);
  const goOn = (reached: Progress): WriteStep => lookFrom(at + 1, reached, facts);
  switch (fate.kind) {
    case 'done':
      return goOn(record(progress, item, fate));
    case 'conflict':
      return goOn(leaveAlone(record(progress, item, fate), item, fate.found));
    case 'again':
      // Nobody is asked where both sides say the same; here they do not.
      return item.isKept && facts.mode === 'write'
        ? goOn(leaveAlone(progress, item, event.looked.kind === 'absent' ? 'gone' : 'there'))
        : goOn({ ...progress, pending: [...progress.pending, fate.item] });
  }
}

/** Everything that had to be looked up was. */
function beginSending(progress: Progress, facts: WriteFacts): WriteStep {
  const { pending } = progress;
  const leftOut = new Set(progress.leftOut);
  // Some types may stay behind, as with a dialect that does not take them; all of them may not.
  const isAnyTaken = facts.items.some(({ reference, wanted }) => wanted.group !== 'support' && !leftOut.has(reference));
  if (!isAnyTaken && leftOut.size > 0 && facts.known.size === 0) return ended(progress, REJECTED);
  if (facts.mode === 'look-only') return ended(progress, null);
  const { provenance, plan } = facts;
  // Alone it would say nothing new, and could be there twice.
  const isTold = provenance !== null && plan.provenance === 'yes' && pending.length > 0;
  return send(isTold ? { ...progress, pending: [...pending, provenanceItem(provenance)] } : progress, facts);
}

function send(progress: Progress, facts: WriteFacts): WriteStep {
  const chosen = chooseRequest(progress, facts);
  switch (chosen.kind) {
    case 'nothing-left':
      return ended(progress, null);
    case 'stuck':
      return ended(progress, REJECTED);
    case 'request': {
      const { request } = chosen;
      return { state: { kind: 'writing', progress, items: request.items }, act: { kind: 'send', request } };
    }
  }
}

/** A transaction that was refused as a whole does not say by which of its entries: each is tried for itself. */
const REFUSED_WHOLE: ReadonlySet<Verdict['kind']> = new Set(['too-large', 'conflict', 'absent', 'gone']);

const answerOf = (verdict: Verdict): Answer => ({ verdict, located: null, etag: null, status: null, resource: null });

function afterSending(
  { progress: before, items }: Extract<WriteState, { kind: 'writing' }>,
  event: WriteEvent,
  facts: WriteFacts,
): WriteStep {
  if (event.kind === 'looked' || event.kind === 'look-failed' || event.kind === 'learnt')
    return unexpected('writing', event);
  const progress = { ...before, httpStatus: event.httpStatus ?? before.httpStatus };
  const settling = { kind: 'settling', progress, items, at: 0, again: [], stop: null } as const;
  switch (event.kind) {
    case 'patient-missing':
      return failed(progress, later(MOVED));
    case 'patient-moved':
      // It was written to whoever the patient was: what stands there now is looked at, and follows.
      return failed(progress, { kind: 'ambiguous', fault: MOVED });
    case 'unreadable':
      return failed(progress, { kind: 'ambiguous', fault: event.fault });
    case 'failed': {
      if (items.length === 1)
        return settleFrom({ ...settling, answers: [answerOf(event.verdict)], isToBeSeen: false }, facts);
      if (!REFUSED_WHOLE.has(event.verdict.kind)) return failed(progress, event.verdict);
      return send({ ...progress, entriesMax: Math.max(1, Math.ceil(items.length / 2)) }, facts);
    }
    case 'answered': {
      const { answers, isToBeSeen, patient } = event;
      const seen = patient === 'seen' ? { ...progress, patient: 'known' as const } : progress;
      return settleFrom({ ...settling, progress: seen, answers, isToBeSeen }, facts);
    }
  }
}

type ToSettle = Omit<Settling, 'waitsFor'>;

/** Past the entries that were simply written, as nearly all are: what they come to is put together at once. */
function pastWritten(now: ToSettle, facts: WriteFacts): ToSettle {
  const rows: Progress['written'][number][] = [];
  let { at } = now;
  for (; at < now.items.length; at += 1) {
    const [item, answer] = [now.items[at], now.answers[at]];
    if (item === undefined || answer === undefined) break;
    const found = afterAnswer(item, answer, facts);
    if (found.kind !== 'placed' || lessonOf(now, at, item, answer, facts).kind !== 'none') break;
    rows.push({ reference: item.reference, row: afterWrite(item, found.place, answer, facts).row });
  }
  if (rows.length === 0) return now;
  return { ...now, at, progress: { ...now.progress, written: [...now.progress.written, ...rows] } };
}

/** Of each type one is looked at, where the EHR does not show them. */
function lessonOf({ items, isToBeSeen }: ToSettle, at: number, item: Item, answer: Answer, facts: WriteFacts): Lesson {
  const isFirst = (): boolean => items.slice(0, at).every(({ resourceType }) => resourceType !== item.resourceType);
  return lessonIn(item, answer, isToBeSeen && isFirst(), facts);
}

/** Settles entries up to the first of which something must be asked; after the last, the rest is written. */
function settleFrom(from: ToSettle, facts: WriteFacts): WriteStep {
  let now = from;
  for (;;) {
    now = pastWritten(now, facts);
    const [item, answer] = [now.items[now.at], now.answers[now.at]];
    if (item === undefined || answer === undefined) return afterSettling(now, facts);
    const next = afterEntry(now, item, answer, afterAnswer(item, answer, facts), facts);
    if (next.kind === 'waits') return next.step;
    now = next.now;
  }
}

type Settled = { readonly kind: 'settled'; readonly now: ToSettle };

function afterEntry(
  now: ToSettle,
  item: Item,
  answer: Answer,
  found: AfterAnswer,
  facts: WriteFacts,
): Settled | { readonly kind: 'waits'; readonly step: WriteStep } {
  switch (found.kind) {
    case 'read-back': {
      const { waitsFor } = found;
      return { kind: 'waits', step: { state: { ...now, waitsFor }, act: { kind: 'look', item: found.item } } };
    }
    case 'placed': {
      const { place } = found;
      const lesson = lessonOf(now, now.at, item, answer, facts);
      if (lesson.kind === 'none') return settled(now, item, afterWrite(item, place, answer, facts));
      const state: Settling = { ...now, waitsFor: { kind: 'lesson', place } };
      return { kind: 'waits', step: { state, act: { ...lesson, kind: 'learn', item, place } } };
    }
    case 'again':
    case 'conflict':
    case 'stop':
      return settled(now, item, found);
  }
}

/** The entry has its fate; the next one follows. */
function settled(now: ToSettle, item: Item, fate: Fate): Settled {
  const next = { ...now, at: now.at + 1 };
  const after = (more: Partial<ToSettle>): Settled => ({ kind: 'settled', now: { ...next, ...more } });
  switch (fate.kind) {
    case 'done':
      return after({ progress: record(now.progress, item, fate) });
    case 'again':
      return after({ again: [...now.again, fate.item] });
    case 'conflict':
      return after({ progress: leaveAlone(record(now.progress, item, fate), item, fate.found) });
    case 'stop':
      return after({ stop: graver(now.stop, fate.stop) });
  }
}

function afterSettling({ progress, items, again, stop }: ToSettle, facts: WriteFacts): WriteStep {
  if (stop !== null) return ended(progress, stop);
  const written = new Set(items);
  return send({ ...progress, pending: [...again, ...progress.pending.filter((item) => !written.has(item))] }, facts);
}

function afterAsking({ waitsFor, ...now }: Settling, event: WriteEvent, facts: WriteFacts): WriteStep {
  const [item, answer] = [now.items[now.at], now.answers[now.at]];
  if (item === undefined || answer === undefined) return unexpected('settling', event);
  const goOn = (found: Settled): WriteStep => settleFrom(found.now, facts);
  if (waitsFor.kind === 'lesson')
    return event.kind === 'learnt'
      ? goOn(settled(now, item, afterWrite(item, waitsFor.place, answer, facts)))
      : unexpected('settling', event);
  if (event.kind === 'look-failed') {
    const verdict = { kind: 'ambiguous', fault: event.fault } as const;
    return goOn(settled(now, item, { kind: 'stop', stop: { kind: 'verdict', verdict } }));
  }
  if (event.kind !== 'looked') return unexpected('settling', event);
  if (waitsFor.kind === 'place-read-back') {
    const next = afterEntry(now, item, answer, afterPlaceReadBack(item, event.looked, facts), facts);
    return next.kind === 'waits' ? next.step : goOn(next);
  }
  const rewrites = now.progress.rewrites.get(item.name) ?? 0;
  const fate = afterConflictReadBack(item, waitsFor.verdict, event.looked, rewrites, facts);
  const counted = new Map(now.progress.rewrites).set(item.name, rewrites + 1);
  return goOn(settled({ ...now, progress: { ...now.progress, rewrites: counted } }, item, fate));
}

/** The shell answers each act by its own events: anything else is a bug. */
function unexpected(state: WriteState['kind'], event: WriteEvent): never {
  throw new Error(`${event.kind} came while ${state}`);
}

/** What a state and an event lead to. Pure: the same of both, and the same facts, give the same step. */
export function nextWrite(state: WriteState, event: WriteEvent, facts: WriteFacts): WriteStep {
  switch (state.kind) {
    case 'looking':
      return afterLooking(state, event, facts);
    case 'writing':
      return afterSending(state, event, facts);
    case 'settling':
      return afterAsking(state, event, facts);
    case 'ended':
      return unexpected('ended', event);
  }
}
