import { nextStepsEvent, stepsPolls, type StepsState } from '../insights/index.ts';
import type { Table } from '../keep/index.ts';
import { isActive, keyOf, type Notify } from '../service/index.ts';
import { momentsOf } from './follow.ts';
import type { Documents } from './documents.ts';
import type { Whom } from './work-day.ts';

/** The hourly poll of one user, and what came of it. */
export function pollSteps(
  deps: { readonly documents: Documents; readonly steps: Table<StepsState>; readonly notify: Notify },
  whom: Whom,
  date: string,
  at: number,
): void {
  const { client, user, world, sources } = whom;
  if (!isActive(client, 'steps_events_in_api')) return;
  const days = sources.flatMap((followed) => momentsOf(world, followed, date) ?? []);
  const key = keyOf(client.uuid, user);
  for (const poll of stepsPolls(days, at - 1, at)) {
    const { state, payload, failures } = nextStepsEvent(deps.steps.get(key) ?? null, poll, {
      client: client.uuid,
      user,
    });
    deps.steps.put(key, state);
    if (payload !== null) deps.documents.emit(payload, date);
    for (const failure of failures) deps.notify(failure);
  }
}
