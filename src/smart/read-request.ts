import type { Pairs } from '../ehr/index.ts';
import type { Summary } from './shape-resource.ts';

/** `source:param`, with the types that it may lead to. */
export interface Include {
  readonly param: string;
  readonly targets: readonly string[];
  /** Whether R4 knows no other target of it. */
  readonly isAll: boolean;
}

/** `source:param` of records that come along because they refer so to what is found. */
export interface Reverse {
  readonly type: string;
  readonly param: string;
}

export interface Search {
  readonly kind: 'search-type';
  readonly type: string;
  /** The one patient that it names; null where it names none. */
  readonly patient: string | null;
  /** Every other condition, as it goes to the EHR: a name with its modifier, and a value. */
  readonly clauses: Pairs;
  /** Conditions that the EHR does not know, and that are looked at in what it answers. */
  readonly evaluated: Pairs;
  readonly include: readonly Include[];
  readonly revinclude: 'provenance' | 'none';
  /** The same of other types than Provenance. */
  readonly reverse: readonly Reverse[];
  readonly sort: string | null;
  readonly count: number | null;
  readonly elements: readonly string[] | null;
  readonly summary: Summary;
  /** What was used of what was asked, for the self link. */
  readonly used: Pairs;
  /** Names that nobody knows; null for one that is not to be repeated. */
  readonly ignored: readonly (string | null)[];
}

export interface Instance {
  readonly kind: 'read' | 'vread' | 'history-instance';
  readonly type: string;
  readonly id: string;
  readonly versionId: string | null;
  readonly elements: readonly string[] | null;
  readonly summary: Exclude<Summary, 'count'>;
  /** Of a history alone: how many versions on a page, and from when. */
  readonly count: number | null;
  readonly since: Date | null;
  /** What was used of what was asked, for the self link. */
  readonly used: Pairs;
}

/** What an app asks, read and canonical: nothing of the caller's own spelling goes any further. */
export type ReadRequest = Search | Instance;

export const ID = /^[A-Za-z0-9.-]{1,64}$/;
export const isId = (text: string): boolean => ID.test(text) && !/^\.+$/.test(text);
