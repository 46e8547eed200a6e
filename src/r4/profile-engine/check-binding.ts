import { isObject } from '../../kernel/index.ts';
import type { BindingPlan } from './plan.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function hasCoding(value: unknown, { has }: BindingPlan): boolean {
  if (!isObject(value)) return false;
  const code = text(value['code']);
  return code !== undefined && has(text(value['system']), code);
}

/** A code, a Coding, a CodeableConcept of which one coding will do, or a Quantity by its unit. */
export function isMember(value: unknown, members: BindingPlan): boolean {
  if (typeof value === 'string') return members.hasCode(value);
  if (!isObject(value)) return false;
  const codings = value['coding'];
  if (Array.isArray(codings)) return codings.some((coding) => hasCoding(coding, members));
  return hasCoding(value, members);
}
