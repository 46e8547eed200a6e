import { createRequire } from 'node:module';
import { errorCode, StartError } from '../kernel/index.ts';
import type { CompileSlowly } from '../r4/index.ts';

type Evaluate = (value: unknown, environment: Readonly<Record<string, unknown>>) => unknown;
interface Fhirpath {
  readonly compile: (path: { readonly base: string; readonly expression: string }, model: unknown) => Evaluate;
}

/** It knows numbers as JavaScript has them, not as texts that keep their digits. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/**
 * Invariants by the package `fhirpath`, a general engine that takes some thousand times as long as compiled code and
 * cannot be stopped. Who wants it installs it.
 */
export function loadSlowInvariants(): CompileSlowly {
  const load = createRequire(import.meta.url);
  let fhirpath: Fhirpath;
  let model: unknown;
  try {
    fhirpath = load('fhirpath') as Fhirpath;
    model = load('fhirpath/fhir-context/r4');
  } catch (thrown) {
    if (errorCode(thrown) !== 'MODULE_NOT_FOUND') throw thrown;
    throw new StartError(
      'guides.fhirpath',
      'Invariants that cannot be compiled are asked for, and the package fhirpath is not there. Install fhirpath 5.',
    );
  }
  return (expression, base) => {
    try {
      const evaluate = fhirpath.compile({ base, expression }, model);
      return (value, resource, root) => {
        const environment = { resource: plain(resource), rootResource: plain(root), context: plain(value) };
        try {
          const found = evaluate(plain(value), environment);
          return Array.isArray(found) && found.length === 1 && found[0] !== false;
        } catch {
          // FHIRPath ends with an error where a list stands in the place of one value: then the rule does not hold.
          return false;
        }
      };
    } catch {
      return null;
    }
  };
}
