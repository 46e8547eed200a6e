import { ok, type Result } from '../kernel/index.ts';
import type { OperatorReads, OperatorWrites } from '../operators/index.ts';
import type { Operate } from '../store/index.ts';

/**
 * Records name people and keys by their names. Those of earlier releases have the id of the account where somebody
 * signed in or changed an operator; both are the same person's.
 */
export function makeActorNames(deps: {
  readonly tenant: string;
  readonly operators: Operate<OperatorWrites, OperatorReads>;
}) {
  const { tenant, operators } = deps;
  return {
    /** Every name that records may have for this one. */
    async namesOf(actor: string): Promise<Result<readonly string[]>> {
      const person = await operators.read('operator.by-name', { tenant, name: actor });
      if (!person.ok) return person;
      const keys = await operators.read('operator.keys', { tenant });
      if (!keys.ok) return keys;
      const { value: found } = person;
      const ids = keys.value.filter(({ name }) => name === actor).map(({ id }) => id);
      return ok([...new Set([actor, ...(found === null ? [] : [found.name, found.id]), ...ids])]);
    },
    /** By id. An id that nobody has any more has no name. */
    async all(): Promise<Result<ReadonlyMap<string, string>>> {
      const people = await operators.read('operator.all', { tenant });
      if (!people.ok) return people;
      const keys = await operators.read('operator.keys', { tenant });
      if (!keys.ok) return keys;
      return ok(new Map([...people.value, ...keys.value].map(({ id, name }) => [id, name])));
    },
  };
}
export type ActorNames = ReturnType<typeof makeActorNames>;
