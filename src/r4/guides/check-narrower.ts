import type { ElementDefinition } from '@medplum/fhirtypes';
import { loadDefinitions } from '../definitions/load-definitions.ts';

const QUANTITIES = new Set(['Age', 'Count', 'Distance', 'Duration', 'MoneyQuantity', 'SimpleQuantity']);
const STRINGS = new Set(['string', 'uri', 'id', 'http://hl7.org/fhirpath/System.String']);

/** Whether a type may stand where another is asked for. */
function isKindOf(code: string, wanted: string): boolean {
  if (code === wanted || wanted === '*' || wanted === 'Element') return true;
  const structure = loadDefinitions().structures.get(code);
  if (wanted === 'Resource') return structure?.isResource === true;
  if (wanted === 'DomainResource') return structure?.isDomain === true;
  if (wanted === 'Quantity') return QUANTITIES.has(code);
  // The ids and addresses that R4 types as a bare string are named in four ways.
  return STRINGS.has(wanted) && STRINGS.has(code);
}

const toNumber = (max: string): number => (max === '*' ? Infinity : Number(max));

/** Where a differential allows what its base does not. */
export function checkNarrower(base: ElementDefinition, own: ElementDefinition): { code: string; text: string }[] {
  const found: { code: string; text: string }[] = [];
  const min = own.min ?? base.min ?? 0;
  const max = own.max ?? base.max ?? '*';
  if (max !== '*' && !/^\d+$/.test(max)) found.push({ code: 'cardinality-unreadable', text: `max is "${max}"` });
  else if (min > toNumber(max))
    found.push({ code: 'cardinality-contradiction', text: `min ${min} is above max ${max}` });
  if (own.min !== undefined && own.min < (base.min ?? 0))
    found.push({ code: 'cardinality-loosened', text: `min is ${own.min}, but ${base.min ?? 0} in the base` });
  if (own.max !== undefined && toNumber(own.max) > toNumber(base.max ?? '*'))
    found.push({ code: 'cardinality-loosened', text: `max is ${own.max}, but ${base.max ?? '*'} in the base` });
  const allowed = (base.type ?? []).map(({ code }) => code);
  for (const { code } of base.type === undefined ? [] : (own.type ?? []))
    if (!allowed.some((one) => isKindOf(code, one)))
      found.push({ code: 'type-not-allowed', text: `The type ${code} is none that the base allows` });
  return found;
}
