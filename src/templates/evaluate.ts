import jsonata from 'jsonata';
import { closeFunctions } from './close-functions.ts';
import { rewriteTree } from './rewrite-tree.ts';

/**
 * What the expression makes of `input`, which it may spoil. Throws as JSONata does: an object with `code` and
 * `position`.
 */
export function evaluate(text: string, input: unknown): Promise<unknown> {
  const expression = jsonata(text, { stack: 2_000, sequence: 100_000 });
  rewriteTree(expression.ast());
  closeFunctions(expression);
  return expression.evaluate(input) as Promise<unknown>;
}
