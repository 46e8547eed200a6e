import { Script } from 'node:vm';
import { compileExpression, compileItems } from '../fhirpath/compile-expression.ts';
import type { TypeKnowledge } from '../fhirpath/focus.ts';
import { parseExpression, type Expression } from '../fhirpath/parse-expression.ts';
import type { InvariantTest } from './plan.ts';
import { compilePattern } from './safe-pattern.ts';

const EXPRESSION_LENGTH_MAX = 10_000;
const PATTERN_CALLS = new Set(['matches', 'matchesFull', 'replaceMatches']);

/** What an invariant may name beyond R4: why it cannot be answered, or null. */
export interface Answerable {
  readonly valueSet: (canonical: string) => string | null;
  readonly profile: (canonical: string) => string | null;
}

const NAMING_CALLS = new Set([...PATTERN_CALLS, 'memberOf', 'conformsTo']);

/**
 * Every regular expression, value set and profile must be known before anything is judged: a pattern must be safe, and
 * what nobody can answer would count as broken.
 */
function checkNames(e: Expression, answerable: Answerable): void {
  const next = (one: Expression): void => checkNames(one, answerable);
  if (e.kind === 'call' && NAMING_CALLS.has(e.name)) {
    const [name] = e.args;
    if (name?.kind !== 'literal' || typeof name.value !== 'string')
      throw new Error(`FHIRPath: the argument of ${e.name} must be written out`);
    if (PATTERN_CALLS.has(e.name)) compilePattern(name.value);
    const why =
      e.name === 'memberOf'
        ? answerable.valueSet(name.value)
        : e.name === 'conformsTo'
          ? answerable.profile(name.value)
          : null;
    if (why !== null) throw new Error(why);
  }
  if (e.kind === 'binary') [e.left, e.right].forEach(next);
  else if (e.kind === 'call') [...(e.of === null ? [] : [e.of]), ...e.args].forEach(next);
  else if ((e.kind === 'child' || e.kind === 'type') && e.of !== null) next(e.of);
}

export type CompiledInvariant =
  { readonly kind: 'compiled'; readonly test: InvariantTest } | { readonly kind: 'refused'; readonly reason: string };

/** Collects the expressions of profiles, each once, and compiles together what has come since the last time. */
export function makeInvariantCompiler(
  types: TypeKnowledge,
  functions: Readonly<Record<string, unknown>>,
  answerable: Answerable,
) {
  const known = new Map<string, CompiledInvariant>();
  const tests: InvariantTest[] = [];
  let waiting: string[] = [];

  /** `places`: whether the value in hand is one of those that the expression finds in its resource. */
  function compile(expression: string, kind: 'test' | 'places'): CompiledInvariant {
    try {
      if (expression.length > EXPRESSION_LENGTH_MAX) throw new Error('FHIRPath: the expression is too long');
      checkNames(parseExpression(expression), answerable);
      const { test, declare } =
        kind === 'test' ? compileExpression(expression, () => null, types) : compileItems(expression, types);
      const source =
        kind === 'test'
          ? `(o,c,t,e)=>{${declare}return ${test};}`
          : `(v,c,t,e)=>{const o=c.resource;${declare}return ${test}.includes(v);}`;
      const index = tests.length + waiting.push(source) - 1;
      return {
        kind: 'compiled',
        test: (value, visit, type, element) => tests[index]?.(value, visit, type, element) ?? false,
      };
    } catch (thrown) {
      return { kind: 'refused', reason: thrown instanceof Error ? thrown.message : 'it cannot be read' };
    }
  }

  return {
    compile(expression: string, kind: 'test' | 'places' = 'test'): CompiledInvariant {
      const key = `${kind} ${expression}`;
      const found = known.get(key) ?? compile(expression, kind);
      known.set(key, found);
      return found;
    },
    /** To be called before any of them is used. */
    finish(): void {
      if (waiting.length === 0) return;
      const source = `(function(runtime){"use strict";const {${Object.keys(functions).join()}}=runtime;return [${waiting.join(',\n')}];})`;
      const script = new Script(source, { filename: 'chartgate-guide-invariants.js' });
      tests.push(...(script.runInThisContext() as (runtime: unknown) => readonly InvariantTest[])(functions));
      waiting = [];
    },
  };
}
export type InvariantCompiler = ReturnType<typeof makeInvariantCompiler>;
