import { spend, WRITTEN_MAX, type Focus, type TypeKnowledge } from './focus.ts';
import { FUNCTIONS, OPERATORS, SYSTEM_TYPES } from './names.ts';
import { parseExpression, type Expression } from './parse-expression.ts';

/** An invariant as JavaScript: `test` may use the variables in `declare`, which belong in the same function. */
export interface CompiledExpression {
  readonly test: string;
  readonly declare: string;
}

/** Steps that give nothing for nothing, so that an absent first child settles the whole chain without building it. */
const STAYS_EMPTY = new Set([
  'where',
  'select',
  'intersect',
  'first',
  'tail',
  'trace',
  'as',
  'ofType',
  'descendants',
  'children',
]);

const quote = (value: string | number | boolean): string => JSON.stringify(value);

const isTypeName = (name: string): boolean => /^[A-Z]/.test(name);

const hasItem = (item: string) => (name: string) => (isTypeName(name) ? null : `has(${item},${quote(name)})`);

/**
 * FHIRPath has three truth values. Instead of carrying them at run time, every expression is compiled twice:
 * `whenTrue` is "it is exactly true", `whenFalse` is "it is exactly false"; an empty result is neither.
 */
export function compileExpression(
  text: string,
  has: (name: string) => string | null,
  types: TypeKnowledge | null = null,
): CompiledExpression {
  const hoisted: string[] = [];
  const test = whenTrue(parseExpression(text), {
    item: 'o',
    types,
    budget: { left: WRITTEN_MAX },
    has: (name) => has(name) ?? hasItem('o')(name),
    depth: 0,
    hoisted,
  });
  return { test, declare: hoisted.length === 0 ? '' : `let ${hoisted.join()};` };
}

/** An expression that answers a list instead of true or false. */
export function compileItems(text: string, types: TypeKnowledge): CompiledExpression {
  const hoisted: string[] = [];
  const focus = { item: 'o', types, has: hasItem('o'), depth: 0, hoisted, budget: { left: WRITTEN_MAX } };
  return {
    test: collection(parseExpression(text), focus),
    declare: hoisted.length === 0 ? '' : `let ${hoisted.join()};`,
  };
}

/** The texts of `'a' | 'b' | 'c'`, or null for anything else. */
function literals(e: Expression): string[] | null {
  if (e.kind === 'literal') return typeof e.value === 'string' ? [e.value] : null;
  if (e.kind !== 'binary' || e.operator !== '|') return null;
  const [left, right] = [literals(e.left), literals(e.right)];
  return left === null || right === null ? null : [...left, ...right];
}

/** `code = 'x'`, `code != 'x'` and `code in ('x' | 'y')` on a child of the focus, which need no lists. */
function compareText(e: Expression, at: Focus): { readonly isOne: string; readonly isNone: string } | null {
  if (e.kind !== 'binary' || e.left.kind !== 'child' || e.left.of !== null || isTypeName(e.left.name)) return null;
  const texts = ['=', '!=', 'in'].includes(e.operator) ? literals(e.right) : null;
  if (texts === null) return null;
  const args = `(${at.item},${quote(e.left.name)},${JSON.stringify(texts)})`;
  return e.operator === '!='
    ? { isOne: `isNone${args}`, isNone: `isOne${args}` }
    : { isOne: `isOne${args}`, isNone: `isNone${args}` };
}

function whenTrue(e: Expression, at: Focus): string {
  spend(at);
  const simple = compareText(e, at);
  if (simple !== null) return simple.isOne;
  if (e.kind === 'binary') {
    const { left, right } = e;
    if (e.operator === 'and') return `(${whenTrue(left, at)}&&${whenTrue(right, at)})`;
    if (e.operator === 'or') return `(${whenTrue(left, at)}||${whenTrue(right, at)})`;
    if (e.operator === 'implies') return `(${whenFalse(left, at)}||${whenTrue(right, at)})`;
    if (e.operator === 'xor')
      return `(${whenTrue(left, at)}?${whenFalse(right, at)}:${whenFalse(left, at)}&&${whenTrue(right, at)})`;
  }
  if (e.kind === 'call') {
    if (e.name === 'not') return whenFalse(subject(e), at);
    if (e.name === 'exists') return `!${isEmpty(narrowed(e), at)}`;
    if (e.name === 'empty') return isEmpty(subject(e), at);
    if (e.name === 'all') return `${collection(subject(e), at)}.every(${lambda(only(e), at, whenTrue)})`;
    if (e.name === 'iif') {
      const [condition, then, otherwise] = e.args;
      if (condition === undefined || then === undefined) throw new Error('FHIRPath: iif needs two arguments');
      return `(${whenTrue(condition, at)}?${whenTrue(then, at)}:${otherwise === undefined ? 'false' : whenTrue(otherwise, at)})`;
    }
  }
  return `isTrue(${collection(e, at)})`;
}

function whenFalse(e: Expression, at: Focus): string {
  spend(at);
  const simple = compareText(e, at);
  if (simple !== null) return simple.isNone;
  if (e.kind === 'binary') {
    const { left, right } = e;
    if (e.operator === 'and') return `(${whenFalse(left, at)}||${whenFalse(right, at)})`;
    if (e.operator === 'or') return `(${whenFalse(left, at)}&&${whenFalse(right, at)})`;
    if (e.operator === 'implies') return `(${whenTrue(left, at)}&&${whenFalse(right, at)})`;
    if (e.operator === 'xor')
      return `(${whenTrue(left, at)}?${whenTrue(right, at)}:${whenFalse(left, at)}&&${whenFalse(right, at)})`;
  }
  if (e.kind === 'call') {
    if (e.name === 'not') return whenTrue(subject(e), at);
    if (e.name === 'exists' || e.name === 'empty' || e.name === 'all') return `!${whenTrue(e, at)}`;
  }
  return `isFalse(${collection(e, at)})`;
}

const subject = (e: Extract<Expression, { kind: 'call' }>): Expression => e.of ?? { kind: 'variable', name: '$this' };

function only(e: Extract<Expression, { kind: 'call' }>): Expression {
  const [first] = e.args;
  if (first === undefined) throw new Error(`FHIRPath: ${e.name} needs an argument`);
  return first;
}

/** `exists(criteria)` is `where(criteria).exists()`. */
const narrowed = (e: Extract<Expression, { kind: 'call' }>): Expression =>
  e.args.length === 0 ? subject(e) : { kind: 'call', of: subject(e), name: 'where', args: e.args };

function isEmpty(e: Expression, at: Focus): string {
  const first = firstChild(e);
  const presence = first === null ? null : at.has(first.name);
  if (presence === null) return `(${collection(e, at)}.length===0)`;
  return first === e ? `(!${presence})` : `(!${presence}||${collection(e, at)}.length===0)`;
}

function firstChild(e: Expression): Extract<Expression, { kind: 'child' }> | null {
  if (e.kind === 'child') return e.of === null ? e : firstChild(e.of);
  if (e.kind === 'call' && STAYS_EMPTY.has(e.name) && e.of !== null) return firstChild(e.of);
  return null;
}

function lambda(body: Expression, at: Focus, compile: (e: Expression, focus: Focus) => string): string {
  const item = `t${at.depth + 1}`;
  const inner = compile(body, { ...at, item, has: hasItem(item), depth: at.depth + 1 });
  // What a guide asks for is counted, so that it comes to an end.
  return at.types === null ? `(${item})=>${inner}` : `(${item})=>(step(1),${inner})`;
}

/** Whether a chain of steps begins at the resource or the context and has no lambda of its own. */
function isFixed(e: Expression): boolean {
  if (e.kind === 'variable') return e.name === '%resource' || e.name === '%context' || e.name === '%rootResource';
  if (e.kind === 'child') return e.of !== null && isFixed(e.of);
  return e.kind === 'call' && e.of !== null && isFixed(e.of) && e.args.every((arg) => arg.kind === 'literal');
}

/** An expression whose value is an array. */
function collection(e: Expression, at: Focus): string {
  if (at.depth === 0 || e.kind === 'variable' || !isFixed(e)) return collect(e, at);
  const name = `h${at.hoisted.length}`;
  at.hoisted.push(name);
  return `(${name}??=${collect(e, { ...at, depth: 0 })})`;
}

function collect(e: Expression, at: Focus): string {
  spend(at);
  switch (e.kind) {
    case 'empty':
      return '[]';
    case 'literal':
      return `[${quote(e.value)}]`;
    case 'variable':
      return variable(e.name, at);
    case 'child':
      if (e.name === 'extension' && at.types !== null) return extensions(e.of, at);
      if (e.of?.kind === 'call' && e.of.name === 'descendants')
        return `kidsBelow(${collection(subject(e.of), at)},${quote(e.name)})`;
      if (e.of !== null) return `kids(${collection(e.of, at)},${quote(e.name)},${quote(`_${e.name}`)})`;
      return isTypeName(e.name) ? `[${at.item}]` : `kid(${at.item},${quote(e.name)},${quote(`_${e.name}`)})`;
    case 'type':
      return ofType(e.operator, e.of, e.type, at);
    case 'binary':
      return binary(e, at);
    case 'call':
      return call(e, at);
  }
}

/** The extensions of a primitive stand beside it, so they are asked for from its parent. */
function extensions(of: Expression | null, at: Focus): string {
  const isFocus = of === null || (of.kind === 'variable' && of.name === '$this');
  if (isFocus && at.depth === 0) return 'extensionsOfFocus(o,e)';
  if (of?.kind === 'child' && !isTypeName(of.name))
    return `extensionsOf(${of.of === null ? `[${at.item}]` : collection(of.of, at)},${quote(of.name)},${quote(`_${of.name}`)})`;
  return `kids(${of === null ? `[${at.item}]` : collection(of, at)},"extension","_extension")`;
}

function ofType(operator: 'is' | 'as' | 'ofType', of: Expression, type: string, at: Focus): string {
  const items = (): string => `${operator}Type(${collection(of, at)},${quote(type)})`;
  if (at.types !== null && operator === 'is' && of.kind === 'call' && of.name === 'resolve')
    return `isResolved(${collection(subject(of), at)},${quote(type)},c)`;
  if (at.types === null || at.types.isResourceType(type)) return items();
  if (at.depth === 0 && of.kind === 'variable' && of.name === '$this')
    return operator === 'is' ? `[isKind(t,${quote(type)})]` : `(isKind(t,${quote(type)})?[o]:[])`;
  const property = of.kind === 'child' ? at.types.propertyOf(of.name, type) : null;
  if (of.kind !== 'child' || property === null) {
    if (SYSTEM_TYPES.has(type)) return items();
    throw new Error(`FHIRPath: the type ${type} cannot be told here`);
  }
  const parent = of.of === null ? `[${at.item}]` : collection(of.of, at);
  const found = `kids(${parent},${quote(property)},${quote(`_${property}`)})`;
  return operator === 'is' ? `isOfProperty(${found},${collection(of, at)})` : found;
}

function variable(name: string, at: Focus): string {
  switch (name) {
    case '$this':
      return `[${at.item}]`;
    case '%context':
      return '[o]';
    case '%resource':
      return '[c.resource]';
    case '%rootResource':
      return '[c.root]';
    case '%ucum':
      return '["http://unitsofmeasure.org"]';
    default:
      throw new Error(`FHIRPath: unknown variable ${name}`);
  }
}

function binary(e: Extract<Expression, { kind: 'binary' }>, at: Focus): string {
  if (['and', 'or', 'xor', 'implies'].includes(e.operator)) return `threeWay(${whenTrue(e, at)},${whenFalse(e, at)})`;
  const [left, right] = [collection(e.left, at), collection(e.right, at)];
  if (e.operator === 'contains') return `isIn(${right},${left})`;
  const name = OPERATORS[e.operator];
  if (name === undefined) throw new Error(`FHIRPath: unknown operator ${e.operator}`);
  return `${name}(${left},${right})`;
}

function call(e: Extract<Expression, { kind: 'call' }>, at: Focus): string {
  const of = collection(subject(e), at);
  switch (e.name) {
    case 'where':
      return `${of}.filter(${lambda(only(e), at, whenTrue)})`;
    case 'select':
      return `${of}.flatMap(${lambda(only(e), at, collection)})`;
    case 'trace':
      return of;
    case 'iif': {
      const [condition, then, otherwise] = e.args;
      if (condition === undefined || then === undefined) throw new Error('FHIRPath: iif needs two arguments');
      return `(${whenTrue(condition, at)}?${collection(then, at)}:${otherwise === undefined ? '[]' : collection(otherwise, at)})`;
    }
    case 'exists':
    case 'empty':
    case 'all':
      // Never empty, so that it need not be asked twice.
      return `[${whenTrue(e, at)}]`;
    case 'not':
      return `threeWay(${whenTrue(e, at)},${whenFalse(e, at)})`;
    case 'first':
      return `${of}.slice(0,1)`;
    case 'tail':
      return `${of}.slice(1)`;
    case 'count':
      return `[${of}.length]`;
    case 'is':
    case 'as':
    case 'ofType': {
      const type = only(e);
      if (type.kind !== 'child') throw new Error('FHIRPath: expected a type');
      return ofType(e.name, subject(e), type.name, at);
    }
    case 'join':
      return `joinTexts(${[of, ...e.args.slice(0, 1).map((arg) => collection(arg, at))].join()})`;
    case 'repeat':
      return `repeat(${of},${lambda(only(e), at, collection)})`;
    case 'resolve':
      return `resolve(${of},c)`;
    case 'memberOf':
    case 'conformsTo':
      return `${e.name}(${of},${collection(only(e), at)},c)`;
    case 'extension':
      return `withUrl(${extensions(e.of, at)},${collection(only(e), at)})`;
    case 'replaceMatches':
    case 'replace':
      if (e.args.length !== 2) throw new Error(`FHIRPath: ${e.name} needs two arguments`);
      return `${e.name}(${of},${e.args.map((a) => collection(a, at)).join()})`;
    case 'substring':
      return `substring(${[of, collection(only(e), at), ...e.args.slice(1, 2).map((a) => collection(a, at))].join()})`;
    default: {
      const known = FUNCTIONS.get(e.name);
      if (known === undefined) throw new Error(`FHIRPath: unknown function ${e.name}`);
      const [least, most] = known.args;
      if (e.args.length < least || e.args.length > most) throw new Error(`FHIRPath: wrong arguments of ${e.name}`);
      return `${known.name}(${[of, ...e.args.map((arg) => collection(arg, at))].join()})`;
    }
  }
}
