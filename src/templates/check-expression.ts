import jsonata from 'jsonata';
import { ALLOWED, FORBIDDEN } from './functions.ts';
import { placeOf } from './place-of.ts';
import { nodesOf, typeOf, type Node } from './syntax-tree.ts';

interface Named {
  readonly name: string;
  readonly position: unknown;
}

const at = (text: string, position: unknown): string => `near ${placeOf(text, position)}`;

/** The variables that a node brings into being: `$x := …`, parameters, `@$x`, `#$x`. */
function boundBy(node: Node): Named[] {
  const { type, lhs, focus, index, value, position } = node;
  const words =
    type === 'bind'
      ? [(lhs as Node)['value']]
      : type === 'lambda'
        ? (node['arguments'] as Node[]).map((one) => one['value'])
        : type === 'index'
          ? [value]
          : [];
  return [...words, focus, index].filter((one) => typeof one === 'string').map((name) => ({ name, position }));
}

/** Null where the name may be used. */
function wrongWith(name: string, bound: ReadonlySet<string>): string | null {
  if (Object.hasOwn(FORBIDDEN, name)) return `$${name} is not allowed: ${FORBIDDEN[name] ?? ''}`;
  // `$` is the context and `$$` the payload.
  if (name === '' || name === '$' || bound.has(name) || Object.hasOwn(ALLOWED, name)) return null;
  return `$${name} is not known`;
}

/**
 * What is wrong with an expression, each with its place. Every mention of a variable counts, not only calls, so that no
 * other name can be given to a function that is not allowed.
 */
export function checkExpression(text: string): string[] {
  let tree: unknown;
  try {
    tree = jsonata(text).ast();
  } catch (thrown) {
    const { code, position, message } = thrown as { code?: string; position?: number; message?: string };
    return [`${at(text, position)}: ${code ?? 'not JSONata'} ${message ?? ''}`.trim()];
  }
  const nodes = nodesOf(tree);
  const bound = nodes.flatMap(boundBy);
  const names = new Set(bound.map(({ name }) => name));
  const used = nodes
    .filter((node) => node['type'] === 'variable')
    .map((node): Named => ({ name: String(node['value']), position: node['position'] }));
  const problems = new Set<string>();
  for (const { name, position } of [...used, ...bound]) {
    const wrong = wrongWith(name, names);
    if (wrong !== null) problems.add(`${at(text, position)}: ${wrong}`);
  }
  for (const node of nodes)
    // It changes in place whatever its pattern finds, be it the payload or a function of the library.
    if (typeOf(node) === 'transform')
      problems.add(`${at(text, node['position'])}: the transform operator | … | is not allowed`);
  return [...problems];
}
