import type { EhrRequest } from './exchange.ts';

/**
 * Which requests should take about as long as each other: a read takes a tenth of a transaction, and a transaction of a
 * hundred entries ten times one of ten. Size stands for the number of entries, in powers of two; it is known of every
 * body without reading it.
 */
export function kindOfRequest({
  method,
  path,
  query,
  form,
  body,
}: Pick<EhrRequest, 'method' | 'path' | 'query' | 'form' | 'body'>): string {
  if (method === 'GET' || form !== undefined) return (query ?? form) === undefined ? 'read' : 'search';
  const what = method === 'POST' && path === '' ? 'bundle' : 'write';
  return `${what} ${Math.ceil(Math.log2(Math.max(1, body?.length ?? 0)))}`;
}
