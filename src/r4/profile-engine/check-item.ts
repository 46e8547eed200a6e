import { isObject } from '../../kernel/index.ts';
import { RULES, type RuleId } from '../rules.ts';
import { isMember } from './check-binding.ts';
import { isAbove, isSame, matchesPattern } from './compare-values.ts';
import { TooCostly } from './guide-functions.ts';
import type {
  ElementPlan,
  InvariantPlan,
  InvariantTest,
  Item,
  ItemPlan,
  ReferencePlan,
  SlicePlan,
  SlicingPlan,
  Visit,
} from './plan.ts';
import { itemsOfProperty, objectOf, typeOf } from './read-items.ts';

const NO_ITEMS: readonly Item[] = [];
/** What a primitive without an extension has below it. */
const NOTHING = {};
const SHOWN_MAX = 120;

/** Files a finding, if findings are wanted, and always answers false. */
export function say({ report }: Visit, rule: RuleId, path: string, text: string): false {
  report?.({ rule, code: RULES[rule].code, severity: RULES[rule].severity, path, text });
  return false;
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 'nothing' : text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
};

/** A value, or what stands in its place where there is only an extension. */
const focusOf = ({ value, element }: Item): unknown => value ?? element;

/** What a test of a guide answers, or that it takes too long. */
export function evaluate(test: InvariantTest, item: Item, visit: Visit): boolean | 'too-costly' {
  try {
    return test(focusOf(item), visit, item.type, item.element);
  } catch (thrown) {
    if (thrown instanceof TooCostly) return 'too-costly';
    throw thrown;
  }
}

export function checkInvariant(plan: InvariantPlan, item: Item, visit: Visit, path: string): boolean {
  if (plan.isWarning && visit.report === null) return true;
  const answer = evaluate(plan.test, item, visit);
  if (answer === true) return true;
  if (answer === 'too-costly')
    return say(visit, 'profile-costly', path, `The invariant ${plan.key} takes too long on this resource.`);
  const severity = plan.isWarning ? 'warning' : 'error';
  visit.report?.({ rule: plan.key, code: 'invariant', severity, path, text: plan.human });
  return plan.isWarning;
}

function checkReference({ types, profiles }: ReferencePlan, item: Item, visit: Visit, path: string): boolean {
  const { value } = item;
  const reference = isObject(value) ? value['reference'] : undefined;
  const target = typeof reference === 'string' ? visit.lookups.resolve(reference, visit) : undefined;
  const type = visit.lookups.typeOfReference(value, visit);
  if (types !== null && type !== undefined && !types.has(type))
    return say(
      visit,
      'profile-reference',
      path,
      `The reference leads to ${type}; the profile allows ${[...types].join(', ')}.`,
    );
  if (target === undefined || profiles.length === 0) return true;
  const isMet = profiles.some((one) => visit.lookups.conforms(target, String(target['resourceType']), one, visit));
  return (
    isMet || say(visit, 'profile-reference', path, `What the reference leads to meets none of: ${profiles.join(', ')}.`)
  );
}

function checkValue(plan: ItemPlan, item: Item, visit: Visit, path: string): boolean {
  const { value } = item;
  // An extension may stand in the place of a primitive, but not of a code that must be one of a list.
  if (value === undefined)
    return (
      plan.bindings.length === 0 ||
      say(visit, 'profile-binding', path, 'A code is required here, not an extension alone.')
    );
  let isSound = true;
  const { fixed, pattern, least, most } = plan;
  if (fixed !== null && !isSame(value, fixed.value))
    isSound = say(visit, 'profile-fixed', path, `The profile asks for ${shown(fixed.value)}.`);
  if (pattern !== null && !matchesPattern(value, pattern.value))
    isSound = say(visit, 'profile-pattern', path, `The profile asks for at least ${shown(pattern.value)}.`);
  if (typeof value === 'string' && value.length > plan.lengthMax)
    isSound = say(visit, 'profile-length', path, `At most ${plan.lengthMax} characters are allowed.`);
  if (least !== null && isAbove(least.value, value))
    isSound = say(visit, 'profile-range', path, `The profile asks for at least ${shown(least.value)}.`);
  if (most !== null && isAbove(value, most.value))
    isSound = say(visit, 'profile-range', path, `The profile asks for at most ${shown(most.value)}.`);
  for (const members of plan.bindings) {
    if (!isMember(item, members))
      isSound = say(visit, 'profile-binding', path, `No code is a member of ${members.valueSet}.`);
  }
  return isSound;
}

function checkProfiles(plan: ItemPlan, item: Item, visit: Visit, path: string): boolean {
  const { value } = item;
  const type = typeOf(item);
  if (plan.resourceTypes !== null && !plan.resourceTypes.has(type))
    return say(
      visit,
      'profile-type',
      path,
      `A ${type} is not allowed here; allowed: ${[...plan.resourceTypes].join(', ')}.`,
    );
  const wanted = plan.profiles?.get(type);
  if (wanted === undefined || value === undefined) return true;
  const { check, conforms } = visit.lookups;
  const [only] = wanted;
  if (wanted.length === 1 && only !== undefined && visit.report !== null) return check(value, type, only, visit, path);
  if (wanted.some((one) => conforms(value, type, one, visit))) return true;
  return say(visit, 'profile-nested', path, `It meets none of: ${wanted.join(', ')}.`);
}

/** What a plan asks of one occurrence. In a fast visit the first fault ends it. */
export function checkItem(plan: ItemPlan, item: Item, visit: Visit, path: string): boolean {
  visit.step(1);
  const isFast = visit.report === null;
  let isSound = checkValue(plan, item, visit, path);
  if (!isSound && isFast) return false;
  if (!checkProfiles(plan, item, visit, path)) isSound = false;
  if (!isSound && isFast) return false;
  if (plan.reference !== null && item.type === 'Reference' && !checkReference(plan.reference, item, visit, path))
    isSound = false;
  const object = objectOf(item) ?? NOTHING;
  for (const child of plan.children) {
    if (!isSound && isFast) return false;
    if (!checkElement(child, object, visit, path)) isSound = false;
  }
  for (const invariant of plan.invariants) {
    if (!isSound && isFast) return false;
    if (!checkInvariant(invariant, item, visit, path)) isSound = false;
  }
  const referred = plan.contentReference?.() ?? null;
  if (referred !== null && !checkItem(referred, item, visit, path)) isSound = false;
  return isSound;
}

const missing = ({ name, min }: ElementPlan, visit: Visit, path: string): false =>
  say(
    visit,
    'profile-min',
    path,
    min === 1 ? `The profile requires ${name}.` : `The profile requires ${min} of ${name}.`,
  );

function itemsOf({ properties }: ElementPlan, parent: Readonly<Record<string, unknown>>): readonly Item[] {
  for (const property of properties) {
    const found = itemsOfProperty(parent, property);
    if (found.length > 0) return found;
  }
  return NO_ITEMS;
}

function checkElement(
  plan: ElementPlan,
  parent: Readonly<Record<string, unknown>>,
  visit: Visit,
  parentPath: string,
): boolean {
  const items = itemsOf(plan, parent);
  const isFast = visit.report === null;
  const path = isFast ? '' : `${parentPath}.${plan.name}`;
  let isSound = true;
  if (items.length < plan.min) isSound = missing(plan, visit, parentPath);
  if (items.length > plan.max)
    isSound = say(
      visit,
      'profile-max',
      path,
      plan.max === 0 ? 'The profile forbids it.' : `The profile allows at most ${plan.max}.`,
    );
  if (!isSound && isFast) return false;
  const isList = Array.isArray(parent[plan.properties[0]?.key ?? '']);
  const pathOf = (i: number): string => (isFast || !isList ? path : `${path}[${i}]`);
  for (const [i, item] of items.entries()) {
    if (plan.types !== null && !plan.types.has(item.type))
      isSound = say(visit, 'profile-type', path, `The profile allows ${[...plan.types].join(', ')} here.`);
    if (!plan.item.isTrivial && !checkItem(plan.item, item, visit, pathOf(i))) isSound = false;
    if (!isSound && isFast) return false;
  }
  if (plan.slicing !== null && !checkSlices(plan.slicing, items, visit, pathOf, path)) isSound = false;
  return isSound;
}

function checkSlices(
  { slices, rules, isOrdered }: SlicingPlan,
  items: readonly Item[],
  visit: Visit,
  pathOf: (i: number) => string,
  path: string,
): boolean {
  const isFast = visit.report === null;
  const silent = isFast ? visit : { ...visit, report: null };
  const found = new Map<SlicePlan, { readonly item: Item; readonly i: number }[]>(slices.map((slice) => [slice, []]));
  let isSound = true;
  let last = -1;
  let hasOther = false;
  visit.step(items.length * slices.length);
  for (const [i, item] of items.entries()) {
    const at = slices.findIndex((slice) => slice.matches(item, silent));
    const slice = slices[at];
    if (slice === undefined) {
      hasOther = true;
      if (rules === 'closed')
        isSound = say(
          visit,
          'slice-closed',
          pathOf(i),
          `It is none of the slices that the profile allows: ${slices.map(({ name }) => name).join(', ')}.`,
        );
      continue;
    }
    if (hasOther && rules === 'openAtEnd')
      isSound = say(visit, 'slice-order', pathOf(i), `The slice ${slice.name} must stand before what is of no slice.`);
    if (isOrdered && at < last)
      isSound = say(visit, 'slice-order', pathOf(i), `The slice ${slice.name} stands out of its order.`);
    last = Math.max(last, at);
    found.get(slice)?.push({ item, i });
  }
  for (const [slice, members] of found) {
    if (!isSound && isFast) return false;
    if (!checkSlice(slice, members, visit, pathOf, path)) isSound = false;
  }
  return isSound;
}

function checkSlice(
  slice: SlicePlan,
  members: readonly { readonly item: Item; readonly i: number }[],
  visit: Visit,
  pathOf: (i: number) => string,
  path: string,
): boolean {
  const isFast = visit.report === null;
  let isSound = true;
  if (members.length < slice.min)
    isSound = say(
      visit,
      'slice-min',
      path,
      `The profile requires ${slice.min} of the slice ${slice.name}; found ${members.length}.`,
    );
  if (members.length > slice.max)
    isSound = say(
      visit,
      'slice-max',
      path,
      `The profile allows ${slice.max} of the slice ${slice.name}; found ${members.length}.`,
    );
  for (const { item, i } of members) {
    if (!isSound && isFast) return false;
    if (!slice.item.isTrivial && !checkItem(slice.item, item, visit, pathOf(i))) isSound = false;
  }
  if (slice.slicing === null) return isSound;
  const items = members.map(({ item }) => item);
  const places = members.map(({ i }) => i);
  return checkSlices(slice.slicing, items, visit, (i) => pathOf(places[i] ?? i), path) && isSound;
}
