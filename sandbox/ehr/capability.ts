import type { CapabilityStatement, CapabilityStatementRestResource } from '@medplum/fhirtypes';
import { hasHistory } from './name-version.ts';
import { RESOURCE_TYPES, paramsOf } from './search-params.ts';
import type { Switches } from './switches.ts';

const EVERYTHING = {
  name: 'everything',
  definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything',
} as const;

const referencesOf = (type: string, ignored: ReadonlySet<string>): string[] =>
  [...(paramsOf(type) ?? [])]
    .filter(([name, { kind }]) => kind === 'reference' && !ignored.has(name))
    .map(([name]) => `${type}:${name}`);

/** Tells what this server does at the moment, its traits included, so that a plan can be made from it. */
export function describeCapability(base: string, traits: Switches, date: string): CapabilityStatement {
  const isConditional = traits.refuseConditional !== true;
  const resource = RESOURCE_TYPES.map((type): CapabilityStatementRestResource => {
    const isWritable = traits.writableTypes === undefined || traits.writableTypes.includes(type);
    const ignored = new Set(traits.ignoreParams);
    return {
      type: type as 'Patient',
      interaction: [
        { code: 'read' },
        ...(hasHistory(traits) ? ([{ code: 'vread' }, { code: 'history-instance' }] as const) : []),
        { code: 'search-type' },
        ...(isWritable ? ([{ code: 'create' }, { code: 'update' }, { code: 'delete' }] as const) : []),
      ],
      versioning: traits.versionIds === 'absent' ? 'no-version' : 'versioned-update',
      readHistory: hasHistory(traits),
      updateCreate: traits.noClientIds !== true,
      conditionalCreate: isConditional,
      conditionalUpdate: isConditional,
      conditionalDelete: 'not-supported',
      referencePolicy: ['literal'],
      searchInclude: referencesOf(type, ignored),
      searchRevInclude: RESOURCE_TYPES.flatMap((other) => referencesOf(other, ignored)),
      searchParam: [...(paramsOf(type) ?? [])]
        .filter(([name]) => !ignored.has(name))
        .map(([name, { kind }]) => ({ name, type: kind })),
      ...(type === 'Patient' ? { operation: [EVERYTHING] } : {}),
    };
  });
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date,
    kind: 'instance',
    ...(traits.publisher === undefined ? {} : { publisher: traits.publisher }),
    software: { name: traits.software ?? 'Chartgate demo EHR' },
    implementation: { description: traits.implementation ?? 'A FHIR R4 server for development and tests', url: base },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        mode: 'server',
        resource,
        interaction: [
          ...(traits.noTransactions === true ? [] : [{ code: 'transaction' as const }]),
          ...(traits.noBatch === true ? [] : [{ code: 'batch' as const }]),
        ],
      },
    ],
  };
}
