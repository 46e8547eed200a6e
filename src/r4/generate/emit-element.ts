import type { ValueSet } from '../definitions/load-definitions.ts';
import { functionName, type Mode } from './mode.ts';
import { VALUE_RULES } from './native-rules.ts';
import type { Element } from '../definitions/read-structures.ts';

/** What emitting an element needs to know of the whole: shared constants, and the bit that remembers its presence. */
export interface Shared {
  /** The name of a constant set of reference targets; `null` for any. */
  readonly targets: (types: readonly string[]) => string;
  readonly valueSet: (name: string) => { readonly constant: string; readonly set: ValueSet };
}

export interface Place {
  /** Sets the presence bit, or nothing when nobody asks. */
  readonly mark: string;
  /** Tests and sets the variable of the choice; empty for plain elements. */
  readonly choose: string;
}

const q = (text: string): string => JSON.stringify(text);

/** FHIRPath names a choice by its stem, whatever type the value has, and `div` is an operator there. */
const pathOf = ({ choice, name }: Element): string => `p+${q(`.${name === 'div' ? '`div`' : (choice ?? name)}`)}`;

/** The boolean expression that a primitive value must satisfy, and the finding when it does not. */
function primitiveTest(
  element: Element,
  shared: Shared,
): { readonly test: (v: string) => string; readonly rule: string; readonly what: string } {
  if (element.type.kind !== 'primitive') throw new Error(`${element.name} is not primitive`);
  const { name } = element.type;
  const { binding } = element;
  if (binding === 'mime') return { test: (v) => `isMime(${v})`, rule: 'binding-required', what: 'mimetypes' };
  if (binding !== null && name === 'code') {
    const { constant } = shared.valueSet(binding);
    return { test: (v) => `${constant}.has(${v})`, rule: 'binding-required', what: binding };
  }
  return { test: (v) => `is_${name}(${v})`, rule: `primitive-${name}`, what: name };
}

/** One `case`: the property's name and what happens when it is met. */
export interface Case {
  readonly key: string;
  readonly body: string;
}

function emitPrimitive(element: Element, place: Place, shared: Shared, mode: Mode): Case[] {
  if (element.type.kind !== 'primitive') throw new Error(`${element.name} is not primitive`);
  const key = q(element.name);
  const { test, rule, what } = primitiveTest(element, shared);
  const isList = element.max > 1;
  const path = pathOf(element);
  const other = q(`_${element.name}`);
  const cases: Case[] = [];
  if (isList) {
    const check = `(x)=>${test('x')}`;
    const call = `${mode.prefix}List(o[k],o[${other}],${check}${mode.name === 'report' ? `,c,${path},${q(rule)},${q(what)}` : ''})`;
    cases.push({
      key: element.name,
      body: `${place.choose}${mode.demand(call)}${emitValueRules(element, mode, true)}${place.mark}`,
    });
  } else {
    const bad = mode.name === 'fast' ? 'return false;' : `sayValue(c,${q(rule)},${q(what)},o[k],${path});`;
    cases.push({
      key: element.name,
      body: `${place.choose}if(!${test('o[k]')})${bad}${emitValueRules(element, mode, false)}${place.mark}`,
    });
  }
  if (element.type.isBare) return cases;
  const helper = isList ? 'Elements' : 'Element';
  const call = `${mode.prefix}${helper}(o[k],o[${key}],c,d${mode.path(path)})`;
  cases.push({
    key: `_${element.name}`,
    body: `${place.choose}${mode.demand(call)}${emitCodeIsThere(element, mode)}${place.mark}`,
  });
  return cases;
}

/** An extension says why there is no code; where the binding is required, there must be one all the same. */
function emitCodeIsThere(element: Element, mode: Mode): string {
  const { binding, name, max } = element;
  if (binding === null) return '';
  const value = `o[${q(name)}]`;
  const isMissing = max > 1 ? `(!isArray(${value})||${value}.includes(null))` : `${value}===undefined`;
  const path = pathOf(element);
  return `if(${isMissing})${mode.fail('binding-required', path, q('A code is required here; an extension does not stand for it.'))}`;
}

/** ElementDefinition repeats its ids in snapshot and differential, by design. */
const isElementId = ({ name, owner, type }: Element): boolean =>
  name === 'id' && type.kind === 'primitive' && type.isBare && type.name === 'string' && owner !== 'ElementDefinition';

/** Rules of a primitive's value that only some elements have. */
function emitValueRules(element: Element, mode: Mode, isList: boolean): string {
  const path = mode.name === 'fast' ? "''" : pathOf(element);
  const rules = element.invariants
    .filter((rule) => rule !== 'txt-1' && rule !== 'txt-2')
    .map((rule) => emitItemRule(rule, 'o[k]', path, mode));
  const own = VALUE_RULES[`${element.owner}.${element.name}`];
  if (isElementId(element)) rules.push(mode.demand(`checkElementId(o[k],c,${path})`));
  if (own !== undefined) rules.push(mode.demand(own.replace('(v,c,p)', `(o[k],c,${path})`)));
  if (isList && rules.length > 0) throw new Error(`No rule on a list of primitives is known: ${element.name}`);
  return rules.join('');
}

export const invariantFunction = (key: string): string => `v_${key.replaceAll(/\W/g, '_')}`;

const emitItemRule = (key: string, item: string, path: string, mode: Mode): string =>
  `if(!${invariantFunction(key)}(${item},c))${mode.name === 'fast' ? 'return false;' : `sayInvariant(c,${q(key)},${path});`}`;

/** What is demanded of one complex item: its structure, then what this element adds to it. */
function emitItem(element: Element, item: string, path: string, shared: Shared, mode: Mode): string {
  const { type, binding } = element;
  const extra: string[] = [];
  let call: string;
  switch (type.kind) {
    case 'resource':
      call = `${mode.prefix}${element.name === 'contained' ? 'Contained' : 'Resource'}(${item},c,d+1${mode.path(path)})`;
      break;
    case 'reference':
      call = `${functionName(mode, 'Reference')}(${item},c,d+1${mode.path(path)},${shared.targets(type.targets)})`;
      break;
    case 'structure':
      call = `${functionName(mode, type.name)}(${item},c,d+1${mode.path(path)})`;
      break;
    case 'primitive':
      throw new Error(`${element.name} is primitive`);
  }
  if (binding !== null && type.kind === 'structure') {
    const name = binding === 'ucum' ? 'isUcumConcept' : `has${type.name}`;
    const args = binding === 'ucum' ? item : `${item},${shared.valueSet(binding).constant}`;
    extra.push(
      `if(!${name}(${args}))${mode.name === 'fast' ? 'return false;' : `sayBinding(c,${q(binding)},${path});`}`,
    );
  }
  if (type.kind === 'structure' && type.name === 'Extension' && element.owner !== 'Extension')
    extra.push(mode.demand(`checkExtensionUrl(${item},c,${mode.name === 'fast' ? "''" : path})`));
  extra.push(...element.invariants.map((rule) => emitItemRule(rule, item, path, mode)));
  return mode.demand(call) + extra.join('');
}

function emitComplex(element: Element, place: Place, shared: Shared, mode: Mode): string {
  const path = pathOf(element);
  if (element.max === 1) return `${place.choose}${emitItem(element, 'o[k]', path, shared, mode)}${place.mark}`;
  // The items of one list of the outermost resource may have been checked in chunks; see check-in-chunks.ts.
  const guard = element.isTopList ? `if(d===0&&c.doneKey===k){${place.mark}break;}` : '';
  const open = `${guard}const l=o[k];`;
  const count =
    element.max === Infinity
      ? ''
      : `if(l.length>${element.max})${mode.fail('shape', path, q(`At most ${element.max} are allowed.`))}`;
  if (mode.name === 'fast')
    return `${open}if(!isArray(l)||l.length===0)return false;${count}for(let i=0;i<l.length;i++){${emitItem(element, 'l[i]', '', shared, mode)}}${place.mark}`;
  return `${open}if(isList(c,l,${path})){${count}for(let i=0;i<l.length;i++){const q=${path}+'['+i+']';${emitItem(element, 'l[i]', 'q', shared, mode)}}}${place.mark}`;
}

export const emitElement = (element: Element, place: Place, shared: Shared, mode: Mode): Case[] =>
  element.type.kind === 'primitive'
    ? emitPrimitive(element, place, shared, mode)
    : [{ key: element.name, body: emitComplex(element, place, shared, mode) }];
