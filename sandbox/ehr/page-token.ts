type Pair = readonly [string, string];

/** Where a page begins in an answer, and the request that the answer was for. */
export interface PageStart {
  readonly pairs: readonly Pair[];
  readonly offset: number;
}

const NAME = '_page';

/** The query of a link to another page. Clients follow it and may not read it. */
export const pageQuery = (start: PageStart): string =>
  `${NAME}=${Buffer.from(JSON.stringify([start.offset, start.pairs])).toString('base64url')}`;

function isPair(value: unknown): value is Pair {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}

/**
 * The request that a link stands for; the request itself where it is not a link, null for a link that was not made
 * here.
 */
export function openPage(given: Iterable<Pair>): PageStart | null {
  const pairs = [...given];
  const token = pairs.find(([name]) => name === NAME)?.[1];
  if (token === undefined) return { pairs, offset: 0 };
  if (pairs.length !== 1) return null;
  try {
    const parsed = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown;
    const [offset, kept] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
    if (!Number.isSafeInteger(offset) || Number(offset) < 0 || !Array.isArray(kept) || !kept.every(isPair)) return null;
    return { pairs: kept, offset: Number(offset) };
  } catch {
    return null;
  }
}
