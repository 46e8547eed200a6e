import type { Letter } from '../auth/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Caller, Handle } from '../smart/index.ts';
import { answerOf, type AnswerDeps } from './answer-subscriptions.ts';
import { isSeenBy, makeRecordSubscription, ownerOf } from './own-subscriptions.ts';
import { levelsFor } from './reach.ts';
import { showSubscription } from './show-subscription.ts';
import type { Subscription } from './subscription.ts';

const PAGE = { otherwise: 50, most: 200 } as const;
const ROWS_AT_ONCE = 500;

export type ListOwn = (
  letter: Letter,
  caller: Caller,
  of: { readonly after: number; readonly limit: number; readonly isWanted: (one: Subscription) => boolean },
) => Promise<Result<readonly Subscription[]>>;

const SEARCH: Readonly<Record<string, (s: Subscription, value: string) => boolean>> = {
  _id: (s, value) => value.split(',').includes(s.id),
  status: (s, value) => value.split(',').includes(s.state),
  url: (s, value) => s.settings.endpoint === value,
  type: (_s, value) => value.split(',').includes('rest-hook'),
  payload: (s, value) => value.split(',').includes(s.settings.payload),
  criteria: (s, value) => showSubscription(s)['criteria'] === value,
};

/** How apps find subscriptions of their own. */
export function makeSearchSubscriptions({ tenant, kit, subscriptions }: AnswerDeps) {
  const { ownBase } = kit;
  const record = makeRecordSubscription(kit);

  /**
   * Those of the caller that a letter lets it see and that are wanted, in the order of their making. What is not seen is
   * passed over here, so that neither the length of a page nor its next link tells of it.
   */
  const listOwn: ListOwn = async (letter, { grant }, { after, limit, isWanted }) => {
    if (levelsFor(grant, letter).size === 0) return fail(fault('read.scope'));
    const found: Subscription[] = [];
    for (let from = after; ;) {
      const of = { tenant, owner: ownerOf(grant), after: from, limit: ROWS_AT_ONCE };
      const listed = await subscriptions.read('subscription.list-own', of);
      if (!listed.ok) return listed;
      found.push(...listed.value.filter((one) => isSeenBy(grant, letter, one) && isWanted(one)));
      if (found.length >= limit || listed.value.length < ROWS_AT_ONCE) return ok(found.slice(0, limit));
      from = listed.value.at(-1)?.seq ?? from;
    }
  };

  const search: Handle = async (_ask, { query }, caller) => {
    const conditions = query.filter(([name]) => !['_count', '_after', '_format', '_total'].includes(name));
    const odd = conditions.find(([name]) => !Object.hasOwn(SEARCH, name));
    if (odd !== undefined) return fail(fault('read.parameter', { problems: ['a parameter that is not known here'] }));
    const asked = (name: string): number => Number(query.find(([one]) => one === name)?.[1] ?? NaN);
    const size = Math.min(PAGE.most, Math.max(1, Math.trunc(asked('_count')) || PAGE.otherwise));
    const after = Math.max(0, Math.trunc(asked('_after')) || 0);
    const isWanted = (one: Subscription): boolean =>
      conditions.every(([name, value]) => SEARCH[name]?.(one, value) ?? false);
    const listed = await listOwn('s', caller, { after, limit: size + 1, isWanted });
    if (!listed.ok) return listed;
    const found = listed.value.slice(0, size);
    const recorded = await record('search-type', 'R', caller, { count: found.length });
    if (!recorded.ok) return recorded;
    const next = new URLSearchParams(
      [...conditions, ['_count', String(size)], ['_after', String(found.at(-1)?.seq ?? 0)]].map(
        ([name = '', value = '']): [string, string] => [name, value],
      ),
    );
    const self = new URLSearchParams(conditions.map(([name, value]): [string, string] => [name, value]));
    return ok(
      answerOf(200, {
        resourceType: 'Bundle',
        type: 'searchset',
        link: [
          { relation: 'self', url: `${ownBase}/Subscription${conditions.length === 0 ? '' : `?${self}`}` },
          ...(listed.value.length > size ? [{ relation: 'next', url: `${ownBase}/Subscription?${next}` }] : []),
        ],
        entry: found.map((one) => ({
          fullUrl: `${ownBase}/Subscription/${one.id}`,
          resource: showSubscription(one),
          search: { mode: 'match' },
        })),
      }),
    );
  };

  return { search, listOwn };
}
