import { fail, fault, ok, type Clock, type Result } from '../../kernel/index.ts';
import type { InboxReads, InboxWrites } from '../../inbox/index.ts';
import type { OperatorReads, OperatorWrites } from '../../operators/index.ts';
import type { Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminContext, type AdminRoute } from '../define-route.ts';
import { deliveryIdOf } from './show-delivery.ts';

interface Deps {
  readonly tenant: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly operators: Operate<OperatorWrites, OperatorReads>;
}

interface Assignee {
  readonly id: string;
  readonly name: string | null;
}

/** Who looks after a delivery and what people wrote down, as its detail shows it. */
export async function readWork({ tenant, inbox, operators }: Deps, id: string) {
  const found = await inbox.read('inbox.work', { tenant, id });
  if (!found.ok) return found;
  const { operator = null, notes = [] } = found.value ?? {};
  const person = operator === null ? ok(null) : await operators.read('operator.one', { tenant, id: operator });
  if (!person.ok) return person;
  const assignedTo: Assignee | null = operator === null ? null : { id: operator, name: person.value?.name ?? null };
  return ok({ assignedTo, notes: notes.map((note) => ({ ...note, at: iso(note.at) })) });
}

/** Who does the work on deliveries, and what they write down. */
export function makeDeliveryWorkRoutes(deps: Deps & { readonly clock: Clock }): AdminRoute[] {
  const { tenant, inbox, operators } = deps;
  const who = ({ actor }: AdminContext) => ({ tenant, at: deps.clock.now(), ...actor });

  /** By id or by name; who is disabled looks after nothing. */
  async function findOperator(given: string): Promise<Result<Assignee>> {
    const byId = await operators.read('operator.one', { tenant, id: given });
    if (!byId.ok) return byId;
    const found = byId.value === null ? await operators.read('operator.by-name', { tenant, name: given }) : byId;
    if (!found.ok) return found;
    return found.value?.state === 'active'
      ? ok({ id: found.value.id, name: found.value.name })
      : fail(fault('operator.not-found'));
  }

  return [
    defineRoute('deliveries.note', async ({ params, body: { text } }, context) => {
      const id = deliveryIdOf(params.id);
      const done = await inbox.write('inbox.note', { ...who(context), id, text });
      if (!done.ok) return done;
      switch (done.value) {
        case 'done':
          return ok({ id });
        case 'not-found':
          return fail(fault('delivery.not-found'));
        case 'not-in-a-state-for-it':
          return fail(fault('delivery.state'));
        case 'full':
          return fail(fault('delivery.notes-full'));
      }
    }),

    defineRoute('deliveries.assign', async ({ params, body }, context) => {
      const id = deliveryIdOf(params.id);
      const assignee = body.operator === null ? ok(null) : await findOperator(body.operator);
      if (!assignee.ok) return assignee;
      const operator = assignee.value?.id ?? null;
      const done = await inbox.write('inbox.assign', { ...who(context), id, operator });
      if (!done.ok) return done;
      return done.value === 'done' ? ok({ id, assignedTo: assignee.value }) : fail(fault('delivery.not-found'));
    }),
  ];
}
