import type { Invariant } from '../definitions/load-definitions.ts';
import { compileExpression } from '../fhirpath/compile-expression.ts';
import { CORRECTIONS } from '../fhirpath/corrections.ts';
import { emitElement, invariantFunction, type Case, type Shared } from './emit-element.ts';
import { functionName, type Mode } from './mode.ts';
import { EXTENSION_RULE, NATIVE_INVARIANTS, nativeRulesOf, type NativeRule } from './native-rules.ts';
import { makePresence, type Presence } from './presence.ts';
import type { Structure } from '../definitions/read-structures.ts';

export interface Parts extends Shared {
  readonly invariants: Readonly<Record<string, Invariant>>;
  /** Keeps a function that several places share; adding the same name twice keeps one. */
  readonly addFunction: (name: string, source: string) => void;
}

const q = (text: string): string => JSON.stringify(text);

/** Of these some elements stand in very many resources, and are looked through once. */
const MAY_LAST: ReadonlySet<string> = new Set(['CodeableConcept', 'Meta', 'Period']);

export const expressionOf = (key: string, invariants: Parts['invariants']): string =>
  CORRECTIONS[key]?.expression ?? invariants[key]?.expression ?? '';

interface Compiled {
  readonly key: string;
  readonly isWarning: boolean;
  readonly test: string;
}

/** Names of the structure's own elements and choices, which is what a presence bit can stand for. */
function presenceNames(structure: Structure, expressions: readonly string[], more: readonly string[]): string[] {
  const own = new Set([
    ...structure.elements.filter((e) => e.choice === null).map((e) => e.name),
    ...structure.choices.keys(),
  ]);
  const required = structure.elements.filter((e) => e.min > 0).map((e) => e.name);
  const requiredChoices = [...structure.choices].filter(([, min]) => min > 0).map(([stem]) => stem);
  const asked = expressions.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []).filter((word) => own.has(word));
  return [...new Set([...required, ...requiredChoices, ...more, ...asked])];
}

/** An invariant that needs a lambda gets its own function: a closure in the hot one would cost every call. */
function compileInvariant(
  key: string,
  text: string,
  structure: Structure,
  presence: Presence,
  names: ReadonlySet<string>,
  parts: Parts,
): string {
  const { test, declare } = compileExpression(text, (name) => (names.has(name) ? presence.test(name) : null));
  if (!test.includes('=>')) return test;
  const name = `${invariantFunction(key)}_${structure.name.replaceAll('.', '_')}`;
  parts.addFunction(name, `function ${name}(o,c,${presence.variables()}){${declare}return ${test};}`);
  return `${name}(o,c,${presence.variables()})`;
}

function compileInvariants(
  structure: Structure,
  presence: Presence,
  names: ReadonlySet<string>,
  parts: Parts,
): Compiled[] {
  const own = structure.invariants.filter((key) => !NATIVE_INVARIANTS.has(key));
  const compiled = own.map((key) => ({
    key,
    isWarning: parts.invariants[key]?.severity === 'warning',
    test: compileInvariant(key, expressionOf(key, parts.invariants), structure, presence, names, parts),
  }));
  if (structure.isDomain) return [{ key: 'dom-6', isWarning: true, test: presence.test('text') }, ...compiled];
  if (structure.name !== 'Extension') return compiled;
  return [
    {
      key: 'ext-1',
      isWarning: false,
      test: compileInvariant('ext-1', EXTENSION_RULE, structure, presence, names, parts),
    },
    ...compiled,
  ];
}

/** First by length, then by name: a choice such as Extension.value[x] has a hundred names, and comparing costs. */
function emitSwitch(cases: readonly Case[], otherwise: string): string {
  const byLength = Map.groupBy(cases, ({ key }) => key.length);
  const groups = [...byLength].map(
    ([length, group]) =>
      `case ${length}:switch(k){\n${group.map(({ key, body }) => `case ${q(key)}:{${body}break;}\n`).join('')}default:${otherwise}}break;`,
  );
  return `switch(k.length){\n${groups.join('\n')}\ndefault:${otherwise}}`;
}

function emitCases(structure: Structure, presence: Presence, parts: Parts, mode: Mode): string {
  const stems = [...structure.choices.keys()];
  const cases = structure.elements.flatMap((element, i) => {
    const stem = element.choice;
    const variable = `x${stem === null ? '' : stems.indexOf(stem)}`;
    const choose =
      stem === null
        ? ''
        : `if(${variable}!==0&&${variable}!==${i + 1})${mode.fail('choice-many', `p+${q(`.${stem}`)}`, q(`${stem}[x] has more than one value.`))}${variable}=${i + 1};`;
    return emitElement(element, { mark: presence.mark(stem ?? element.name), choose }, parts, mode);
  });
  if (structure.isResource) cases.push({ key: 'resourceType', body: '' });
  return emitSwitch(cases, mode.name === 'fast' ? 'return false;' : 'sayUnknown(c,p,k);');
}

function emitRequired(structure: Structure, presence: Presence, mode: Mode): string {
  const missing = (name: string, label: string): string =>
    `if(!${presence.test(name)})${mode.fail('cardinality-min', 'p', q(`${label} is required.`))}`;
  return [
    ...structure.elements.filter((e) => e.min > 0).map((e) => missing(e.name, e.name)),
    ...[...structure.choices].filter(([, min]) => min > 0).map(([stem]) => missing(stem, `${stem}[x]`)),
  ].join('');
}

function emitInvariants(compiled: readonly Compiled[], mode: Mode): string {
  if (mode.name === 'fast')
    return compiled
      .filter((i) => !i.isWarning)
      .map((i) => `if(!${i.test})return false;`)
      .join('');
  return compiled
    .map((i) => `if(${i.isWarning ? 'c.withWarnings&&' : ''}!${i.test})sayInvariant(c,${q(i.key)},p);`)
    .join('\n');
}

const withPath = (call: string, mode: Mode): string => (mode.name === 'fast' ? call.replace(/,p\)$/, ",'')") : call);

function emitNative(rule: NativeRule, presence: Presence, mode: Mode): string {
  const condition = rule.when.map(presence.test).join('&&');
  const check = mode.demand(withPath(rule.call, mode));
  return condition === '' ? check : `if(${condition}){${check}}`;
}

/** The targets differ from element to element, so they come as an argument. */
function emitReferenceRule(presence: Presence, mode: Mode): string {
  const value = (name: string): string => `${presence.test(name)}?o.${name}:undefined`;
  return mode.demand(withPath(`checkReference(${value('reference')},${value('type')},targets,c,p)`, mode));
}

export function emitStructure(structure: Structure, parts: Parts, mode: Mode): string {
  const expressions = structure.invariants
    .filter((k) => !NATIVE_INVARIANTS.has(k))
    .map((k) => expressionOf(k, parts.invariants));
  if (structure.name === 'Extension') expressions.push(EXTENSION_RULE);
  const native = nativeRulesOf(structure);
  const isReference = structure.name === 'Reference';
  const names = presenceNames(structure, expressions, [
    ...native.flatMap(({ when }) => when),
    'id',
    ...(structure.isDomain ? ['text'] : []),
    ...(isReference ? ['reference', 'type'] : []),
  ]);
  const presence = makePresence(names);
  const compiled = compileInvariants(structure, presence, new Set(names), parts);
  const choices = [...structure.choices.keys()].map((_, i) => `x${i}=0`);
  const isBundle = structure.name === 'Bundle';
  const isFast = mode.name === 'fast';
  const mayLast = isFast && MAY_LAST.has(structure.name);
  // ele-1. Only the _field of a primitive may hold an id alone, beside its value.
  const isNothing = structure.name === 'Element' ? 'n===0' : `n===0||(n===1&&${presence.test('id')})`;
  const empty = structure.isResource
    ? ''
    : `if(${isNothing})${mode.fail('empty', 'p', q('An element must have a value or children.'))}`;
  return [
    `function ${functionName(mode, structure.name)}(o,c,d${mode.path('p')}${isReference ? ',targets' : ''}){`,
    mayLast ? 'if(c.lasting.has(o))return true;' : '',
    isFast ? 'if(d>DEPTH)return false;' : 'if(!enter(c,o,d,p))return;',
    presence.declare(),
    choices.length > 0 ? `let ${choices.join()};` : '',
    isBundle ? 'const scope=c.bundle;c.bundle=openScope(o);' : '',
    `for(const k in o){n++;${emitCases(structure, presence, parts, mode)}}`,
    empty,
    emitRequired(structure, presence, mode),
    emitInvariants(compiled, mode),
    ...native.map((rule) => emitNative(rule, presence, mode)),
    isReference ? emitReferenceRule(presence, mode) : '',
    isBundle ? 'c.bundle=scope;' : '',
    mayLast ? 'if(isLasting(o))c.lasting.add(o);' : '',
    isFast ? 'c.keys+=n;return true;}' : '}',
  ].join('\n');
}
