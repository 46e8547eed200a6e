import type { Grant, Letter, ResourceScope } from '../auth/index.ts';
import { filtersFor, type Filter, type Reach } from '../smart/index.ts';
import type { Condition } from './match.ts';
import type { Topic } from './topics.ts';

/** The levels at which a token may do this to subscriptions. A wildcard scope is about charts, and gives none. */
export const levelsFor = (grant: Grant, letter: Letter): ReadonlySet<ResourceScope['level']> =>
  new Set(
    grant.scopes
      .filter(({ type, letters }) => type === 'Subscription' && letters.has(letter))
      .map(({ level }) => level)
      .filter((level) => level !== 'patient' || grant.patient !== null),
  );

/** What an app that may read a type under these filters may be told of it; null: nothing that could be told apart. */
function withinOf(filters: readonly Filter[]): readonly (readonly Condition[])[] | null {
  if (filters.length === 0) return null;
  if (filters.some((filter) => filter.length === 0)) return [];
  const sets = filters.flatMap((filter): (readonly Condition[])[] =>
    filter.every(([name]) => name === 'code' || name === 'category')
      ? [filter.map(([name, value]) => ({ param: name as Condition['param'], values: value.split(',') }))]
      : [],
  );
  return sets.length === 0 ? null : sets;
}

/** What a token reaches of a topic. `patients`: null for all who are linked, or these. */
export interface TopicReach {
  readonly patients: readonly string[] | null;
  readonly within: readonly (readonly Condition[])[];
}

/**
 * Of what an app may be told, given what it may read: of the patients that it names, of all who are linked, or of the
 * patient in context alone. A refusal does not depend on who exists.
 */
export function reachOf(
  grant: Grant,
  topic: Topic,
  named: readonly string[] | null,
): TopicReach | 'scope' | 'other-patient' {
  const levels = levelsFor(grant, 'c');
  if (levels.size === 0) return 'scope';
  const isOnlyContext = !levels.has('user') && !levels.has('system');
  const of = (reach: Reach) => withinOf(filtersFor(grant, topic.type, ['r'], reach));
  const linked = isOnlyContext ? null : of({ isContext: false, isLinked: true });
  const inContext = grant.patient === null ? null : of({ isContext: true, isLinked: false });
  if (linked === null && inContext === null) return 'scope';
  const own = grant.patient === null ? [] : [grant.patient];
  const wanted = named ?? (linked === null ? own : null);
  if (wanted === null) return { patients: null, within: linked ?? [] };
  const isOwn = wanted.every((id) => own.includes(id));
  if (isOwn && inContext !== null) {
    const both =
      linked === null ? inContext : inContext.length === 0 || linked.length === 0 ? [] : [...inContext, ...linked];
    return { patients: wanted, within: both };
  }
  return linked === null ? 'other-patient' : { patients: wanted, within: linked };
}
