import fhirpath, { type Model } from 'fhirpath';
import model from 'fhirpath/fhir-context/r4/index.js';
import { isObject } from '../../src/kernel/index.ts';
import { loadDefinitions } from '../../src/r4/definitions/load-definitions.ts';
import { CORRECTIONS } from '../../src/r4/fhirpath/corrections.ts';

type Json = Record<string, unknown>;
type Evaluate = (context: unknown, environment: Json) => unknown[];

const { structures, invariants } = loadDefinitions();

/** What the engine cannot judge: it needs a server, or answers a constant. */
const BEYOND_THE_ENGINE = new Set(['ctm-1', 'txt-1', 'txt-2']);

/**
 * Published expressions whose empty result means "no objection", as their texts show; written so that the engine
 * agrees.
 */
const EMPTY_IS_SOUND: Readonly<Record<string, string>> = {
  'ref-1':
    "reference.empty() or reference.startsWith('#').not() or reference = '#' or (reference.substring(1) in %rootResource.contained.id)",
  'bdl-8': "fullUrl.empty() or fullUrl.contains('/_history/').not()",
};

const compiled = new Map<string, Evaluate>();

function compile(base: string, key: string): Evaluate {
  const name = `${base} ${key}`;
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const published = EMPTY_IS_SOUND[key] ?? CORRECTIONS[key]?.expression ?? invariants[key]?.expression ?? '';
  const expression = published.replace(/\.trace\('\w+'\)/g, '');
  const made = fhirpath.compile({ base, expression }, model as unknown as Model) as unknown as Evaluate;
  compiled.set(name, made);
  return made;
}

/**
 * The invariants of severity error that a resource breaks, as fhirpath.js sees them. `undecided` holds those at which
 * the engine throws. Structures are found by definition; ele-1, ext-1 and dom-* are left to other tests.
 */
export function brokenInvariants(resource: Json): {
  readonly broken: ReadonlySet<string>;
  readonly undecided: ReadonlySet<string>;
} {
  const broken = new Set<string>();
  const undecided = new Set<string>();
  const visit = (value: unknown, structure: string, path: string, root: Json, inner: Json): void => {
    if (Array.isArray(value)) {
      value.forEach((item, i) => visit(item, structure, `${path}[${i}]`, root, inner));
      return;
    }
    if (!isObject(value)) return;
    const name = structure === '*' ? String(value['resourceType']) : structure;
    const definition = structures.get(name);
    if (definition === undefined) return;
    const [nextRoot, nextInner] =
      structure === '*' ? [path.includes('.contained') ? root : value, value] : [root, inner];
    for (const key of definition.invariants) {
      if (BEYOND_THE_ENGINE.has(key) || invariants[key]?.severity !== 'error') continue;
      const base = name === 'SimpleQuantity' ? 'Quantity' : name;
      const environment = {
        resource: nextInner,
        rootResource: nextRoot,
        ucum: 'http://unitsofmeasure.org',
        context: value,
      };
      try {
        const answer = compile(base, key)(value, environment);
        if (!(answer.length === 1 && answer[0] === true)) broken.add(key.replace(/^.*:/, ''));
      } catch {
        undecided.add(key.replace(/^.*:/, ''));
      }
    }
    for (const element of definition.elements) {
      const below =
        element.type.kind === 'reference'
          ? 'Reference'
          : element.type.kind === 'resource'
            ? '*'
            : element.type.kind === 'structure'
              ? element.type.name
              : null;
      if (below !== null) visit(value[element.name], below, `${path}.${element.name}`, nextRoot, nextInner);
    }
  };
  visit(resource, '*', String(resource['resourceType']), resource, resource);
  return { broken, undecided };
}

/** Whether the engine takes an expression at all: a path into this resource, in FHIRPath's grammar. */
export function canFollow(resource: Json, expression: string): boolean {
  try {
    void fhirpath.evaluate(resource, expression, undefined, model as unknown as Model);
    return /^\w+(?:\.(?:\w+|`div`)(?:\[\d+\])?)*$/.test(expression);
  } catch {
    return false;
  }
}
