import { isObject } from '../../kernel/index.ts';
import type { BindingPlan, Item } from './plan.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A code without its system is a member of nothing. */
function hasCoding(value: unknown, { has }: BindingPlan): boolean {
  if (!isObject(value)) return false;
  const [system, code] = [text(value['system']), text(value['code'])];
  return code !== undefined && system !== undefined && has(system, code);
}

/**
 * A code, a CodeableConcept of which one coding must be a member, or a Coding or Quantity by its unit, of which nothing
 * can be asked where it has no code.
 */
export function isMember({ value, type }: Pick<Item, 'value' | 'type'>, members: BindingPlan): boolean {
  if (typeof value === 'string') return members.hasCode(value);
  if (!isObject(value)) return false;
  const codings = value['coding'];
  if (Array.isArray(codings)) return codings.some((coding) => hasCoding(coding, members));
  if (type !== 'CodeableConcept' && value['code'] === undefined) return true;
  return hasCoding(value, members);
}
