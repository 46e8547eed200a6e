import { hash } from 'node:crypto';
import { canonicalJson } from '../kernel/index.ts';
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
  /** When the document that wrote it last was made, as its source says. */
  readonly saidAt: number;
}

/** By what a next version is told to be an amendment, or a mere update. */
export interface Said {
  readonly status: string;
  readonly meaning: string;
}

export type Change =
  | { readonly kind: 'create' | 'update'; readonly wanted: Wanted; readonly resource: AnyResource }
  /** The EHR holds it already. */
  | { readonly kind: 'keep'; readonly wanted: Wanted }
  /** Nothing was said before that it would take back. */
  | { readonly kind: 'skip'; readonly wanted: Wanted }
  | { readonly kind: 'retract'; readonly written: WrittenResource };

export interface Changes {
  readonly changes: readonly Change[];
  /** The plan would take back more than half of what a day of the chart holds: a person must look. */
  readonly isSuspicious: boolean;
  /** Left out although something stands in the chart that it would replace: nothing may be sent, or the chart would show what the source has replaced. */
  readonly replaced: LeftOut | null;
}

/** Equal for equal content, whatever the digits or the order of names. */
export const contentDigest = (resource: AnyResource): string => hash('sha256', canonicalJson(resource));

/** The digest of what a document says: what the gateway only assumed, because the document does not say it, is no change. */
export function digestOf({ resource, assumed }: Wanted): string {
  if (assumed === undefined) return contentDigest(resource);
  const { [assumed]: _assumed, ...said } = resource;
  return contentDigest(said);
}

/** The statement of a document that no longer says anything of a resource. */
export const DROPPED_DIGEST = hash('sha256', 'dropped');
/** No statement at all: nobody knows what stands in the chart under this name of ours. */
export const UNWRITTEN_DIGEST = hash('sha256', 'unwritten');
/** A person has seen that the document no longer says it, and keeps what stands in the chart. */
const isLeft = ({ isKept, contentDigest: seen }: WrittenResource): boolean => isKept && seen === DROPPED_DIGEST;

/** Of all that the document speaks of, also of what waits. */
export const namesIn = ({ wanted, leftOut }: Pick<Translation, 'wanted' | 'leftOut'>): string[] =>
  [...wanted, ...leftOut].map(({ name }) => name);

const scopeOf = ({ group, chartDay }: Scope): string => `${group} ${chartDay ?? ''}`;
/** Groups in which losing most of a day is more likely a broken export than a correction. */
const GUARDED: ReadonlySet<Group> = new Set(['body', 'physical', 'sleep', 'other', 'lab']);

/**
 * What must be written so that the EHR says what the document now says. A version takes back only measurements of its own document,
 * and only of a day and group of which it still carries at least one: a body summary never wipes the sleep of that day.
 */
export function decideChanges(
  { wanted, scopes, leftOut }: Pick<Translation, 'wanted' | 'scopes' | 'leftOut'>,
  written: readonly WrittenResource[],
  dialect: Dialect,
  /** When the document at hand was made, as its source says. */
  saidAt: number,
): Changes {
  const known = new Map(written.map((one) => [one.name, one]));
  const live = written.filter((one) => one.isOfDocument && !one.isRetracted && !isLeft(one));
  const forward = wanted.map((one): Change => decideOne(one, known.get(one.name), live.length > 0, dialect, saidAt));

  const names = new Set(namesIn({ wanted, leftOut }));
  const carried = new Set(scopes.map(scopeOf));
  const gone = live.filter(
    (one) => !names.has(one.name) && one.group !== 'support' && isRetractable(one.resourceType) && carried.has(scopeOf(one)),
  );
  return {
    changes: [...forward, ...gone.map((one): Change => ({ kind: 'retract', written: one }))],
    isSuspicious: takesMostOfADay(live, gone),
    replaced: leftOut.find(({ name }) => stands(known.get(name))) ?? null,
  };
}

function decideOne(
  wanted: Wanted,
  before: WrittenResource | undefined,
  saidSomething: boolean,
  dialect: Dialect,
  saidAt: number,
): Change {
  if (before === undefined) {
    if (wanted.write === 'to-replace' && !saidSomething) return { kind: 'skip', wanted };
    return { kind: 'create', wanted, resource: wanted.resource };
  }
  // Another document has said something newer of the same measurement.
  if (!before.isOfDocument && before.saidAt > saidAt) return { kind: 'keep', wanted };
  const isSame = !before.isRetracted && before.contentDigest === digestOf(wanted);
  if (isSame || wanted.write === 'if-absent') return { kind: 'keep', wanted };
  // What may never have been written is not amended.
  if (before.id === null) return { kind: 'create', wanted, resource: wanted.resource };
  return { kind: 'update', wanted, resource: restate(wanted.resource, before, dialect) };
}

export function saidIn(resource: AnyResource): Said | null {
  const meaning = meaningOf(resource);
  return meaning === null ? null : { status: String(resource['status']), meaning };
}

const FINAL = new Set(['final', 'amended', 'corrected', 'appended']);

/**
 * `amended` is said of what was final and says something else now; once said, it stays. What was withdrawn and is said again has been
 * changed twice. A better display, another device or a note of ours keep the status.
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
