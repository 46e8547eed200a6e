import { CONTRACTS, type Contract } from '../../src/admin/index.ts';

const ALL = Object.values<Contract>(CONTRACTS);
/** A path with fewer parts that may be anything comes first: `links/import` is not the link of a user. */
const BY_PRECISION = [...ALL].sort((a, b) => a.path.split(':').length - b.path.split(':').length);

export function contractOf(method: string, path: string): Contract | undefined {
  const [bare = ''] = path.split('?');
  return BY_PRECISION.find(
    (one) =>
      one.method === method.toLowerCase() &&
      new RegExp(`^${one.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`).test(bare),
  );
}

/** Throws where an answer of the admin API is not what its contract says. `path` begins with `/admin/api/`. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const contract = contractOf(method, path);
  if (contract === undefined || status >= 300) return;
  if (status !== (contract.status ?? 200)) throw new Error(`${contract.id} answered ${status}`);
  if ('kind' in contract.answer) return;
  const parsed = contract.answer.safeParse(body);
  if (!parsed.success) throw new Error(`${contract.id} is not as its contract says: ${parsed.error.message}`);
}
