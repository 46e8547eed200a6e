import { at } from './further-params.ts';
import type { Kind, SearchParam } from './search-params.ts';

const part = (kind: Kind, ...names: string[]): SearchParam => ({
  kind,
  targets: kind === 'reference' ? 'any' : [],
  read: (from) => names.flatMap((name) => at(name)(from)),
});
const composite = (read: SearchParam['read'], ...parts: SearchParam[]): SearchParam => ({
  kind: 'composite',
  targets: [],
  read,
  parts,
});

const code = part('token', 'code');
const concept = part('token', 'valueCodeableConcept');
const quantity = part('quantity', 'valueQuantity');
const itself: SearchParam['read'] = (from) => [from];
const component = at('component');
const either: SearchParam['read'] = (from) => [from, ...component(from)];

/** R4's table does not hold the parts of a composite: they are in `SearchParameter.component`. */
export const COMPOSITES: Readonly<Record<string, Readonly<Record<string, SearchParam>>>> = {
  DocumentReference: { relationship: composite(at('relatesTo'), part('reference', 'target'), code) },
  Group: {
    'characteristic-value': composite(
      at('characteristic'),
      code,
      part('token', 'valueCodeableConcept', 'valueBoolean'),
    ),
  },
  Observation: {
    'code-value-concept': composite(itself, code, concept),
    'code-value-date': composite(itself, code, part('date', 'valueDateTime', 'valuePeriod')),
    'code-value-quantity': composite(itself, code, quantity),
    'code-value-string': composite(itself, code, part('string', 'valueString')),
    'combo-code-value-concept': composite(either, code, concept),
    'combo-code-value-quantity': composite(either, code, quantity),
    'component-code-value-concept': composite(component, code, concept),
    'component-code-value-quantity': composite(component, code, quantity),
  },
  Questionnaire: {
    'context-type-quantity': composite(at('useContext'), code, part('quantity', 'valueQuantity', 'valueRange')),
    'context-type-value': composite(at('useContext'), code, concept),
  },
};
