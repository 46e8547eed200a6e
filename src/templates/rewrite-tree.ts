import { plain } from './kept-number.ts';
import { nodesOf, typeOf, type Node } from './syntax-tree.ts';

/** Functions that only the rewriting calls: no template can write these names. */
export const OPERANDS = { number: 'operand:number', value: 'operand:value', text: 'operand:text' } as const;

const BINARY: Readonly<Record<string, (typeof OPERANDS)[keyof typeof OPERANDS]>> = {
  '+': OPERANDS.number,
  '-': OPERANDS.number,
  '*': OPERANDS.number,
  '/': OPERANDS.number,
  '%': OPERANDS.number,
  '<': OPERANDS.number,
  '<=': OPERANDS.number,
  '>': OPERANDS.number,
  '>=': OPERANDS.number,
  '..': OPERANDS.number,
  and: OPERANDS.number,
  or: OPERANDS.number,
  '=': OPERANDS.value,
  '!=': OPERANDS.value,
  in: OPERANDS.value,
  '&': OPERANDS.text,
};

const call = (name: string, operand: unknown): Node => ({
  type: 'function',
  value: '(',
  position: (operand as Node)['position'],
  arguments: [operand],
  procedure: { type: 'variable', value: name, position: (operand as Node)['position'] },
});

function wrap(node: Node, field: string, name: string): void {
  node[field] = call(name, node[field]);
}

interface Signature {
  readonly validate: (args: unknown[], context: unknown) => unknown[];
}

/** A number that keeps its digits is a number for a signature too, and goes on as it came. */
export const numbersIn = <S extends Signature>(signature: S): S => ({
  ...signature,
  validate: (args: unknown[], context: unknown) => {
    const given = args.map(plain);
    const around = plain(context);
    return signature
      .validate(given, around)
      .map((one, i) => (i < args.length && one === given[i] ? args[i] : one === around ? context : one));
  },
});

/**
 * Changes a syntax tree so that each operator, condition, filter and order takes its operands through a function that
 * makes plain numbers of kept ones. Whatever only hands a value on is left alone, and so the digits go with it.
 */
export function rewriteTree(tree: unknown): void {
  for (const node of nodesOf(tree)) {
    const operand = node['type'] === 'binary' ? BINARY[String(node['value'])] : undefined;
    if (operand !== undefined) {
      wrap(node, 'lhs', operand);
      wrap(node, 'rhs', operand);
    } else if (node['type'] === 'unary' && node['value'] === '-') wrap(node, 'expression', OPERANDS.number);
    else if (node['type'] === 'condition') wrap(node, 'condition', OPERANDS.number);
    else if (node['type'] === 'filter' && typeOf(node['expr']) !== 'number') wrap(node, 'expr', OPERANDS.number);
    else if (node['type'] === 'sort')
      for (const term of node['terms'] as Node[]) wrap(term, 'expression', OPERANDS.number);
    else if (node['type'] === 'lambda' && node['signature'] !== undefined)
      node['signature'] = numbersIn(node['signature'] as Signature);
  }
}
