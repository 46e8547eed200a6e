import { flatText, quote, shapeOf, type Shape } from '../kernel/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { hasMeaning, isTelling } from '../translate/index.ts';
import { isCounted, isOther } from './chart-content.ts';

/** How the elements of a resource are read that has these names in this order; worked out once for all of them. */
export interface ResourcePlan {
  readonly type: string;
  readonly names: readonly string[];
  /** Each name as JSON writes it in front of its value. */
  readonly heads: readonly string[];
  /** The places of the names in their sorted order. */
  readonly sorted: readonly number[];
  readonly hasMeaning: boolean;
  readonly isTelling: readonly boolean[];
  /** Whether it is among what a fingerprint calls other. */
  readonly isOther: readonly boolean[];
  /** Whether only the number of its items counts there. */
  readonly isCounted: readonly boolean[];
}

const plans = new WeakMap<Shape, ResourcePlan[]>();

function makePlan({ given, names }: Shape, type: string): ResourcePlan {
  return {
    type,
    names: given,
    heads: given.map((name) => flatText(quote(name), ':')),
    sorted: names.map((name) => given.indexOf(name)),
    hasMeaning: hasMeaning(type),
    isTelling: given.map((name) => isTelling(type, name)),
    isOther: given.map(isOther),
    isCounted: given.map(isCounted),
  };
}

export function planOf(resource: AnyResource): ResourcePlan {
  const shape = shapeOf(Object.keys(resource));
  const type = resource.resourceType;
  const known = plans.get(shape);
  if (known !== undefined) for (const plan of known) if (plan.type === type) return plan;
  const plan = makePlan(shape, type);
  if (known === undefined) plans.set(shape, [plan]);
  else known.push(plan);
  return plan;
}
