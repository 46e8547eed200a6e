import { hash } from 'node:crypto';
import { digestOf } from '../content/index.ts';
import type { LedgerName, LedgerQuestion, Said } from '../lanes/index.ts';
import type { Dialect } from '../mappings/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import {
  asAmended,
  meaningOf,
  isRetractable,
  type Group,
  type LeftOut,
  type Scope,
  type Translation,
  type Wanted,
  referenceTo,
} from '../translate/index.ts';

/** What the ledger says of one resource that we wrote. */
export interface WrittenResource {
  readonly name: string;
  readonly resourceType: string;
  readonly group: Group;
  readonly chartDay: string | null;
  /** Hexadecimal, of the resource as it was wanted then. */
  readonly contentDigest: string;
  readonly isRetracted: boolean;
  /** Of what was written last; null where that is not known. */
  readonly said: Said | null;
  /** A person has decided that the chart keeps what somebody else made of it, against what `contentDigest` says. */
  readonly isKept: boolean;
  /** Null: an attempt of unknown outcome may have created it. */
  readonly id: string | null;
  /** Whether the document at hand, in an earlier version, is what wrote it last. */
  readonly isOfDocument: boolean;
  /** The document that wrote it last, in hexadecimal. */
  readonly ledgerDocument: string;
  /** When the document that wrote it last was made, as its source says. */
  readonly saidAt: number;
}

export type Change =
  /** As it is wanted. */
  | { readonly kind: 'create'; readonly wanted: Wanted }
  | { readonly kind: 'update'; readonly wanted: Wanted; readonly resource: AnyResource }
  /** The EHR holds it already. */
  | { readonly kind: 'keep'; readonly wanted: Wanted }
  /** Nothing was said before that it would take back. */
  | { readonly kind: 'skip'; readonly wanted: Wanted }
  | { readonly kind: 'retract'; readonly written: WrittenResource };

export interface Changes {
  readonly changes: readonly Change[];
  /** The plan would take back more than half of what a day of the chart holds: a person must look. */
  readonly isSuspicious: boolean;
  /**
   * Left out although something stands in the chart that it would replace: nothing may be sent, or the chart would show
   * what the source has replaced.
   */
  readonly replaced: LeftOut | null;
  /** Names that stand already and that the ledger counts as said by this document from now on. */
  readonly adopted: readonly LedgerName[];
}

/** The statement of a document that no longer says anything of a resource. */
export const DROPPED_DIGEST = hash('sha256', 'dropped');
/** No statement at all: nobody knows what stands in the chart under this name of ours. */
export const UNWRITTEN_DIGEST = hash('sha256', 'unwritten');
/** A person has seen that the document no longer says it, and keeps what stands in the chart. */
const isLeft = ({ isKept, contentDigest: seen }: WrittenResource): boolean => isKept && seen === DROPPED_DIGEST;

export function ledgerQuestionOf({ wanted, leftOut, clearsAlertsOf }: Translation): LedgerQuestion {
  const names = namesIn({ wanted, leftOut });
  const shelves = new Set<string>();
  for (const { shelf } of wanted) shelves.add(shelf);
  for (const { shelf } of leftOut) shelves.add(shelf);
  for (const { clearedBy, derivedFrom = [] } of wanted)
    for (const { text, shelf } of clearedBy === undefined ? derivedFrom : [...derivedFrom, clearedBy]) {
      names.push(text);
      shelves.add(shelf);
    }
  return { names, shelves: [...shelves], alertsOf: clearsAlertsOf };
}

/** Of all that the document speaks of, also of what waits. */
export const namesIn = ({ wanted, leftOut }: Pick<Translation, 'wanted' | 'leftOut'>): string[] =>
  [...wanted, ...leftOut].map(({ name }) => name);

const scopeOf = ({ group, chartDay }: Scope): string => `${group} ${chartDay ?? ''}`;
/** Groups in which losing most of a day is more likely a broken export than a correction. */
const GUARDED: ReadonlySet<Group> = new Set(['body', 'physical', 'sleep', 'other', 'lab']);

/**
 * What must be written so that the EHR says what the document now says. A version takes back only measurements of its
 * own document, and only of a day and group of which it still carries at least one: a body summary never wipes the
 * sleep of that day. The one exception is a day that was evaluated without alerts, which takes back every alert of that
 * day that was raised before it.
 */
export function decideChanges(
  {
    wanted,
    scopes,
    leftOut,
    clearsAlertsOf = null,
  }: Pick<Translation, 'wanted' | 'scopes' | 'leftOut'> & Partial<Pick<Translation, 'clearsAlertsOf'>>,
  written: readonly WrittenResource[],
  dialect: Dialect,
  /** When the document at hand was made, as its source says. */
  saidAt: number,
): Changes {
  const known = new Map(written.map((one) => [one.name, one]));
  const standing = written.filter((one) => !one.isRetracted && !isLeft(one));
  const live = standing.filter(({ isOfDocument }) => isOfDocument);
  const cleared = standing.filter((one) => !one.isOfDocument && isClearedAlert(one, clearsAlertsOf, saidAt));
  const saidSomething = live.length + cleared.length > 0;
  const forward = wanted.map((one): Change =>
    decideOne(withSources(one, known), known, saidSomething, dialect, saidAt),
  );

  const names = new Set(namesIn({ wanted, leftOut }));
  const carried = new Set(scopes.map(scopeOf));
  const gone = live.filter(
    (one) =>
      !names.has(one.name) && one.group !== 'support' && isRetractable(one.resourceType) && carried.has(scopeOf(one)),
  );
  const taken = [...gone, ...cleared.filter((one) => !names.has(one.name) && isRetractable(one.resourceType))];
  return {
    changes: [...forward, ...taken.map((one): Change => ({ kind: 'retract', written: one }))],
    isSuspicious: takesMostOfADay(live, gone),
    replaced: leftOut.find(({ name }) => stands(known.get(name))) ?? null,
    adopted: forward.flatMap((change) => adoptedBy(change, known, saidAt)),
  };
}

const isClearedAlert = (
  { group, chartDay, saidAt: raisedAt }: WrittenResource,
  day: string | null,
  saidAt: number,
): boolean => group === 'alerts' && day !== null && chartDay === day && raisedAt <= saidAt;

/** It stands because of another document, or was said before; from now on it is this document that says it. */
function adoptedBy(change: Change, known: ReadonlyMap<string, WrittenResource>, saidAt: number): LedgerName[] {
  const before = change.kind === 'keep' && change.wanted.adopts === true ? known.get(change.wanted.name) : undefined;
  if (before === undefined || before.isRetracted || before.isKept || before.contentDigest === UNWRITTEN_DIGEST)
    return [];
  const { name, ledgerDocument } = before;
  return !before.isOfDocument || before.saidAt < saidAt ? [{ name, ledgerDocument }] : [];
}

/** Whether another document has the last word on a measurement of two. */
function isOthers(before: WrittenResource, wanted: Wanted, saidAt: number): boolean {
  if (before.isOfDocument) return false;
  // The sum of a day has the last word over a count on the way to it, whenever each was told.
  if (before.group === 'steps' && wanted.group !== 'steps') return false;
  // What nobody says any more is said again by whoever still does.
  if (before.isRetracted && wanted.adopts === true) return false;
  const isYielded = wanted.yields === true && !before.isRetracted && before.contentDigest !== UNWRITTEN_DIGEST;
  return isYielded || before.saidAt > saidAt;
}

/** With the measurements that stand in the chart and that it repeats: it says something else when these change. */
function withSources(wanted: Wanted, known: ReadonlyMap<string, WrittenResource>): Wanted {
  const sources = (wanted.derivedFrom ?? [])
    .map(({ text }) => text)
    .filter((name) => stands(known.get(name)) && known.get(name)?.id !== null);
  if (sources.length === 0) return wanted;
  const { component, ...rest } = wanted.resource;
  const derivedFrom = sources.map((name) => ({ reference: referenceTo(name) }));
  return { ...wanted, resource: { ...rest, derivedFrom, ...(component === undefined ? {} : { component }) } };
}

function decideOne(
  wanted: Wanted,
  known: ReadonlyMap<string, WrittenResource>,
  saidSomething: boolean,
  dialect: Dialect,
  saidAt: number,
): Change {
  const before = known.get(wanted.name);
  const clearing = wanted.clearedBy === undefined ? undefined : known.get(wanted.clearedBy.text);
  // Also where a later version has taken that back: it speaks for itself and says again what it means.
  if (clearing !== undefined && clearing.saidAt >= saidAt) return { kind: 'skip', wanted };
  if (before === undefined) {
    if (wanted.write === 'to-replace' && !saidSomething) return { kind: 'skip', wanted };
    return { kind: 'create', wanted };
  }
  if (isOthers(before, wanted, saidAt)) return { kind: 'keep', wanted };
  const isSame = !before.isRetracted && before.contentDigest === digestOf(wanted);
  if (isSame || wanted.write === 'if-absent') return { kind: 'keep', wanted };
  // What may never have been written is not amended.
  if (before.id === null) return { kind: 'create', wanted };
  return { kind: 'update', wanted, resource: restate(wanted.resource, before, dialect) };
}

const FINAL = new Set(['final', 'amended', 'corrected', 'appended']);

/**
 * `amended` is said of what was final and says something else now; once said, it stays. What was withdrawn and is said
 * again has been changed twice. A better display, another device or a note of ours keep the status.
 */
function restate(resource: AnyResource, { said, isRetracted }: WrittenResource, dialect: Dialect): AnyResource {
  if (said === null || isRetracted) return asAmended(resource, dialect);
  const wasAmended = said.status !== 'final' && FINAL.has(said.status);
  const isAmended = wasAmended || (FINAL.has(said.status) && said.meaning !== meaningOf(resource));
  return isAmended ? asAmended(resource, dialect) : resource;
}

/** What may stand counts: an attempt of unknown outcome may have written it. */
const stands = (row: WrittenResource | undefined): boolean => row !== undefined && !row.isRetracted && !isLeft(row);

function takesMostOfADay(live: readonly WrittenResource[], gone: readonly WrittenResource[]): boolean {
  const count = (of: readonly WrittenResource[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { group, chartDay } of of)
      if (GUARDED.has(group)) counts.set(chartDay ?? '', (counts.get(chartDay ?? '') ?? 0) + 1);
    return counts;
  };
  const all = count(live);
  return [...count(gone)].some(([day, lost]) => lost * 2 > (all.get(day) ?? 0));
}
