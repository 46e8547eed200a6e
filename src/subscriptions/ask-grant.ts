import type { AskStanding, Grant } from '../auth/index.ts';
import { ok, type Result } from '../kernel/index.ts';
import { filtersFor } from '../smart/index.ts';
import type { Subscription } from './subscription.ts';
import { topicOfKind } from './topics.ts';

/** What a subscription's app may see now, or why the subscription has come to its end. */
export async function askGrant(
  askStanding: AskStanding,
  { settings, kind }: Pick<Subscription, 'settings' | 'kind'>,
): Promise<Result<Grant | { readonly ended: string }>> {
  const standing = await askStanding(settings.grant);
  if (!standing.ok) return standing;
  if (typeof standing.value === 'string') return ok({ ended: standing.value });
  const grant = standing.value;
  const maySubscribe = grant.scopes.some(({ type, letters }) => type === 'Subscription' && letters.has('c'));
  const reach = { isContext: true, isLinked: true };
  const mayRead = filtersFor(grant, topicOfKind(kind).type, ['r'], reach).length > 0;
  return ok(maySubscribe && mayRead ? grant : { ended: 'scope-ended' });
}

/** Questions about one grant that are asked while it is being looked up have the same answer. */
export function shareAnswers(askStanding: AskStanding): AskStanding {
  const underWay = new Map<string, ReturnType<AskStanding>>();
  return (standing) => {
    const key = JSON.stringify(standing);
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const asked = askStanding(standing).finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  };
}
