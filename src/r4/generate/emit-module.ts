import { compileExpression } from '../fhirpath/compile-expression.ts';
import type { Definitions } from '../definitions/load-definitions.ts';
import { DEPTH_MAX } from '../depth.ts';
import { invariantFunction } from './emit-element.ts';
import { emitStructure, expressionOf, type Parts } from './emit-structure.ts';
import { FAST, REPORT, functionName } from './mode.ts';
import { RUNTIME_NAMES } from './runtime-names.ts';

/** The few functions that all structures share: lists of primitives, `_fields`, and the step into another resource. */
const PRELUDE = `
function fList(l,e,is){
  if(!isArray(l)||l.length===0)return false;
  if(e!==undefined&&(!isArray(e)||e.length!==l.length))return false;
  for(let i=0;i<l.length;i++){const v=l[i];if(v===null?(e===undefined||e[i]===null||e[i]===undefined):!is(v))return false;}
  return true;
}
function fElement(v,value,c,d){
  if(!f_Element(v,c,d+1))return false;
  return value!==undefined||v.extension!==undefined;
}
function fElements(e,l,c,d){
  if(!isArray(e)||e.length===0)return false;
  if(l!==undefined&&(!isArray(l)||l.length!==e.length))return false;
  for(let i=0;i<e.length;i++){
    const value=l===undefined||l[i]===null?undefined:l[i];
    if(e[i]===null?value===undefined:!fElement(e[i],value,c,d))return false;
  }
  return true;
}
function fResource(o,c,d){
  if(o===null||typeof o!=='object')return false;
  const f=fast.get(o.resourceType);
  if(f===undefined)return false;
  const root=c.root,resource=c.resource,ids=c.ids;
  c.root=o;c.resource=o;c.ids=null;
  if(!f(o,c,d))return false;
  if(c.profileRules.length>0&&!checkProfiles(o,c,''))return false;
  c.root=root;c.resource=resource;c.ids=ids;
  return true;
}
function fContained(o,c,d){
  if(o===null||typeof o!=='object')return false;
  const f=fast.get(o.resourceType);
  if(f===undefined)return false;
  const resource=c.resource,ids=c.ids;
  c.resource=o;c.ids=null;
  if(!f(o,c,d))return false;
  c.resource=resource;c.ids=ids;
  return true;
}
function rList(l,e,is,c,p,rule,what){
  if(!isList(c,l,p))return;
  if(e!==undefined&&(!isArray(e)||e.length!==l.length))flag(c,'primitive-alignment',p,'This list and its _list must have the same length.');
  for(let i=0;i<l.length;i++){
    if(l[i]===null){if(!isArray(e)||e[i]===null||e[i]===undefined)flag(c,'null-value',p+'['+i+']','null stands only beside an extension.');}
    else if(!is(l[i]))sayValue(c,rule,what,l[i],p+'['+i+']');
  }
}
function rElement(v,value,c,d,p){
  if(!isElement(v)){flag(c,'shape',p,'The _field of a primitive must be an object with id or extension.');return;}
  r_Element(v,c,d+1,p);
  if(value===undefined&&v.extension===undefined)flag(c,'empty',p,'A primitive needs a value or an extension.');
}
function rElements(e,l,c,d,p){
  if(!isList(c,e,p))return;
  if(isArray(l)?l.length!==e.length:l!==undefined)flag(c,'primitive-alignment',p,'This list and its _list must have the same length.');
  for(let i=0;i<e.length;i++){
    const value=!isArray(l)||l[i]===null?undefined:l[i];
    if(e[i]!==null)rElement(e[i],value,c,d,p+'['+i+']');
    else if(value===undefined)flag(c,'null-value',p+'['+i+']','null stands only beside a value.');
  }
}
function rResource(o,c,d,p){
  const r=reportOf(o,c,p);
  if(r===undefined)return;
  const root=c.root,resource=c.resource,ids=c.ids;
  c.root=o;c.resource=o;c.ids=null;
  r(o,c,d,p);
  if(c.profileRules.length>0)checkProfiles(o,c,p);
  c.root=root;c.resource=resource;c.ids=ids;
}
function rContained(o,c,d,p){
  const r=reportOf(o,c,p);
  if(r===undefined)return;
  const resource=c.resource,ids=c.ids;
  c.resource=o;c.ids=null;
  r(o,c,d,p);
  c.resource=resource;c.ids=ids;
}
function reportOf(o,c,p){
  if(!isElement(o)){flag(c,'shape',p,'A resource must be an object.');return undefined;}
  const r=report.get(o.resourceType);
  if(r===undefined)sayResourceType(c,o.resourceType,p);
  return r;
}
`;

/** Constants that several functions share, each written once. */
function makeConstants() {
  const lines: string[] = [];
  const names = new Map<string, string>();
  const constant = (source: string): string => {
    const known = names.get(source);
    if (known !== undefined) return known;
    const name = `k${names.size}`;
    names.set(source, name);
    lines.push(`const ${name}=${source};`);
    return name;
  };
  return { constant, lines };
}

/** The whole validator as one script: a function of the runtime that answers the table of entry points. */
export function emitModule(definitions: Definitions): string {
  const { constant, lines } = makeConstants();
  const functions = new Map<string, string>();
  const parts: Parts = {
    invariants: definitions.invariants,
    addFunction: (name, source) => functions.set(name, source),
    targets: (types) => (types.length === 0 ? 'null' : constant(`new Set(${JSON.stringify(types)})`)),
    valueSet: (name) => {
      const set = definitions.valueSets[name];
      if (set === undefined) throw new Error(`No value set ${name}`);
      if (Array.isArray(set)) return { set, constant: constant(`new Set(${JSON.stringify(set)})`) };
      const systems = Object.entries(set).map(
        ([system, codes]) => `[${JSON.stringify(system)},new Set(${JSON.stringify(codes)})]`,
      );
      return { set, constant: constant(`new Map([${systems.join()}])`) };
    },
  };
  const structures = [...definitions.structures.values()].filter((s) => s.name === 'Element' || !s.isAbstract);
  const bodies = [FAST, REPORT].flatMap((mode) => structures.map((structure) => emitStructure(structure, parts, mode)));
  for (const key of new Set(structures.flatMap((s) => s.elements.flatMap((e) => e.invariants)))) {
    const name = invariantFunction(key);
    if (key.startsWith('txt-')) continue;
    const { test, declare } = compileExpression(expressionOf(key, definitions.invariants), () => null);
    functions.set(name, `function ${name}(o,c){${declare}return ${test};}`);
  }
  const table = (mode: typeof FAST): string =>
    `new Map([${[...definitions.resourceTypes].map((type) => `[${JSON.stringify(type)},${functionName(mode, type)}]`).join()}])`;
  const topLists = structures
    .filter((s) => s.isResource)
    .flatMap((s) => s.elements.filter((e) => e.isTopList))
    .map((e) => {
      const item = e.type.kind === 'structure' ? e.type.name : '';
      return `["${e.owner}.${e.name}",{fast:${functionName(FAST, item)},report:${functionName(REPORT, item)}}]`;
    });
  return [
    '(function(runtime){"use strict";',
    `const {${RUNTIME_NAMES.join()}}=runtime;`,
    `const DEPTH=${DEPTH_MAX};`,
    ...lines,
    PRELUDE,
    ...functions.values(),
    ...bodies,
    `const fast=${table(FAST)};`,
    `const report=${table(REPORT)};`,
    `return {fResource,rResource,lists:new Map([${topLists.join()}])};`,
    '})',
  ].join('\n');
}
