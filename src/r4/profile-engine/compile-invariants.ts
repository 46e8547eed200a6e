import { Script } from 'node:vm';
import { compileExpression, compileItems, type TypeKnowledge } from '../fhirpath/compile-expression.ts';
import { parseExpression, type Expression } from '../fhirpath/parse-expression.ts';
import type { InvariantTest } from './plan.ts';
import { compilePattern } from './safe-pattern.ts';

const EXPRESSION_LENGTH_MAX = 10_000;
const PATTERN_CALLS = new Set(['matches', 'matchesFull', 'replaceMatches']);

/** Every regular expression must be known before anything is judged, and be safe. */
function checkPatterns(e: Expression): void {
  if (e.kind === 'call' && PATTERN_CALLS.has(e.name)) {
    const [pattern] = e.args;
    if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string')
      throw new Error(`FHIRPath: ${e.name} needs a pattern that is written out`);
    compilePattern(pattern.value);
  }
  if (e.kind === 'binary') [e.left, e.right].forEach(checkPatterns);
  else if (e.kind === 'call') [...(e.of === null ? [] : [e.of]), ...e.args].forEach(checkPatterns);
  else if ((e.kind === 'child' || e.kind === 'type') && e.of !== null) checkPatterns(e.of);
}

export type CompiledInvariant =
  { readonly kind: 'compiled'; readonly test: InvariantTest } | { readonly kind: 'refused'; readonly reason: string };

/** Collects the expressions of profiles, each once, and compiles together what has come since the last time. */
export function makeInvariantCompiler(types: TypeKnowledge, functions: Readonly<Record<string, unknown>>) {
  const known = new Map<string, CompiledInvariant>();
  const tests: InvariantTest[] = [];
  let waiting: string[] = [];

  /** `places`: whether the value in hand is one of those that the expression finds in its resource. */
  function compile(expression: string, kind: 'test' | 'places'): CompiledInvariant {
    try {
      if (expression.length > EXPRESSION_LENGTH_MAX) throw new Error('FHIRPath: the expression is too long');
      checkPatterns(parseExpression(expression));
      const { test, declare } =
        kind === 'test' ? compileExpression(expression, () => null, types) : compileItems(expression, types);
      const source =
        kind === 'test'
          ? `(o,c,t)=>{${declare}return ${test};}`
          : `(v,c,t)=>{const o=c.resource;${declare}return ${test}.includes(v);}`;
      const index = tests.length + waiting.push(source) - 1;
      return { kind: 'compiled', test: (value, visit, type) => tests[index]?.(value, visit, type) ?? false };
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
