import { ask, type Reply } from '../../api/ask.ts';
import type { Group } from './groups.tsx';

/** What one request takes. */
export const MRNS_AT_ONCE = 10_000;

/** At least one part, so that a list without MRNs is a request too. */
const partsOf = (mrns: readonly string[]): readonly string[][] =>
  Array.from({ length: Math.max(1, Math.ceil(mrns.length / MRNS_AT_ONCE)) }, (_, i) =>
    mrns.slice(i * MRNS_AT_ONCE, (i + 1) * MRNS_AT_ONCE),
  );

interface Changes {
  readonly name?: string;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** A change of any size, in as many requests as it takes; the first that is refused ends it. */
export async function changeGroup(id: string, { name, add, remove }: Changes): Promise<Reply<Group>> {
  const [adding, removing] = [partsOf(add), partsOf(remove)];
  const change = (body: { name?: string; add?: string[]; remove?: string[] }): Promise<Reply<Group>> =>
    ask('groups.change', { params: { id }, body });
  let reply = await change({
    ...(name === undefined ? {} : { name }),
    add: adding[0] ?? [],
    remove: removing[0] ?? [],
  });
  for (const body of [
    ...adding.slice(1).map((part) => ({ add: part })),
    ...removing.slice(1).map((part) => ({ remove: part })),
  ]) {
    if (reply.kind === 'refused') return reply;
    reply = await change(body);
  }
  return reply;
}

/** A new list of any size. */
export async function makeGroup(name: string, mrns: readonly string[]): Promise<Reply<Group>> {
  const [first = [], ...more] = partsOf(mrns);
  const made = await ask('groups.add', { body: { name, mrns: first } });
  if (made.kind === 'refused' || more.length === 0) return made;
  return changeGroup(made.value.id, { add: more.flat(), remove: [] });
}
