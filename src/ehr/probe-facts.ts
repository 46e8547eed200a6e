import type { Probed } from './probe-ehr.ts';
import type { TypeCapability } from './read-capability.ts';

const ACTS = [
  'read',
  'vread',
  'history',
  'search',
  'create',
  'update',
  'delete',
  'updateCreate',
  'conditionalCreate',
  'conditionalUpdate',
  'revIncludesProvenance',
] as const satisfies readonly (keyof TypeCapability)[];

const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no');
const actsOf = (type: TypeCapability): string => [...ACTS.filter((act) => type[act]), type.versioning].join(', ');

/** What a probe found, name by name, for a person to see what has changed. */
export function factsOf({ capability, filters, readsInTransaction }: Probed): Readonly<Record<string, string>> {
  const { fhirVersion, software, publisher, implementation, transaction, batch, types } = capability;
  return {
    fhirVersion,
    software: software ?? 'unsaid',
    publisher: publisher ?? 'unsaid',
    implementation: implementation ?? 'unsaid',
    transaction: yesOrNo(transaction),
    batch: yesOrNo(batch),
    readsInTransaction: yesOrNo(readsInTransaction),
    ...Object.fromEntries(Object.entries(types).map(([type, one]) => [type, actsOf(one)])),
    ...Object.fromEntries(
      Object.entries(filters).map(([type, { filter, by }]) => [`${type} by identifier`, `${filter} (${by})`]),
    ),
  };
}
