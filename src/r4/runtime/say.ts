import { isElement } from './is-element.ts';
import { DEPTH_MAX } from '../depth.ts';
import type { Invariant, ValueSet } from '../definitions/load-definitions.ts';
import { RULES, type RuleId } from '../rules.ts';
import { file, flag, type Context } from './context.ts';
import { isRawNumber } from './raw-number.ts';

const SHOWN_MAX = 80;

/** A value as it may stand in a finding: short, on one line. */
export function show(v: unknown): string {
  if (v === null) return 'null';
  if (Array.isArray(v)) return 'a list';
  if (isRawNumber(v)) return v.rawJSON;
  if (typeof v === 'object') return 'an object';
  const text = JSON.stringify(v) as string | undefined;
  if (text === undefined) return typeof v;
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}… (${text.length} characters)` : text;
}

/** Steps into an element in report mode: false when there is nothing to look at. */
function enter(c: Context, v: unknown, depth: number, path: string): boolean {
  if (depth > DEPTH_MAX) return flag(c, 'depth', path, `Nested deeper than ${DEPTH_MAX}.`);
  if (isElement(v)) return true;
  if (v === null) return flag(c, 'null-value', path, 'null is not allowed here; leave the property out.');
  return flag(c, 'shape', path, `Expected an object, found ${show(v)}.`);
}

function isList(c: Context, v: unknown, path: string): boolean {
  if (v === null) return flag(c, 'null-value', path, 'null is not allowed here; leave the property out.');
  if (!Array.isArray(v)) return flag(c, 'shape', path, `Expected a list, found ${show(v)}.`);
  return v.length > 0 || flag(c, 'empty', path, 'A list must not be empty; leave the property out.');
}

const sample = (set: ValueSet | undefined): string => {
  if (set === undefined) return '';
  const codes = Object.values(set).flat() as string[];
  return codes.length <= 12 ? `: ${codes.join(', ')}` : `: ${codes.slice(0, 8).join(', ')} … (${codes.length} codes)`;
};

const aboutRule = (rule: string): string => (Object.hasOwn(RULES, rule) ? RULES[rule as RuleId].about : rule);

/** The report side of the runtime: what generated functions call to put a finding into words. */
export function makeSay(
  invariants: Readonly<Record<string, Invariant>>,
  valueSets: Readonly<Record<string, ValueSet>>,
) {
  function sayBinding(c: Context, set: string, path: string): void {
    flag(
      c,
      'binding-required',
      path,
      `No coding is a member of the required value set ${set}${sample(valueSets[set])}.`,
    );
  }

  function sayValue(c: Context, rule: RuleId, what: string, v: unknown, path: string): void {
    if (v === null) flag(c, 'null-value', path, 'null is not allowed here; leave the property out.');
    else if (typeof v === 'object' && !isRawNumber(v)) flag(c, 'shape', path, `Expected one value, found ${show(v)}.`);
    else if (v === '') flag(c, 'empty', path, 'A string must not be empty; leave the property out.');
    else if (rule === 'binding-required')
      flag(c, rule, path, `${show(v)} is not a code of the required value set ${what}${sample(valueSets[what])}.`);
    else flag(c, rule, path, `${show(v)} is not a valid ${RULES[rule].about}.`);
  }

  function sayInvariant(c: Context, key: string, path: string): void {
    const rule = key.slice(key.indexOf(':') + 1);
    const found = invariants[key];
    const severity = found?.severity === 'warning' || rule === 'dom-6' ? 'warning' : 'error';
    file(c, { severity, code: 'invariant', expression: path, text: found?.human ?? aboutRule(rule), rule });
  }

  function sayUnknown(c: Context, path: string, key: string): void {
    flag(c, 'unknown-property', path, `R4 defines no property ${show(key)} here.`);
  }

  function sayResourceType(c: Context, type: unknown, path: string): void {
    flag(
      c,
      'resource-type',
      path,
      type === undefined ? 'resourceType is missing.' : `${show(type)} is not an R4 resource type.`,
    );
  }

  return { flag, enter, isList, sayValue, sayUnknown, sayBinding, sayInvariant, sayResourceType };
}
