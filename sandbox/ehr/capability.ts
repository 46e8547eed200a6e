import type { CapabilityStatement, CapabilityStatementRestResource } from '@medplum/fhirtypes';
import { hasHistory } from './name-version.ts';
import { mayLeadTo, paramsOf, RESOURCE_TYPES, type SearchParam } from './search-params.ts';
import type { Switches } from './switches.ts';
import { US_CORE_GUIDE, US_CORE_PROFILES, US_CORE_SERVER } from './us-core-profiles.ts';

const EVERYTHING = {
  name: 'everything',
  definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything',
} as const;

type Ignored = ReadonlySet<string>;

function referencesOf(type: string, ignored: Ignored, isWanted: (param: SearchParam) => boolean): string[] {
  return [...(paramsOf(type) ?? [])]
    .filter(([name, param]) => param.kind === 'reference' && !ignored.has(name) && isWanted(param))
    .map(([name]) => `${type}:${name}`);
}

/** Tells what this server does at the moment, its traits included, so that a plan can be made from it. */
export function describeCapability(base: string, traits: Switches, date: string): CapabilityStatement {
  const isConditional = traits.refuseConditional !== true;
  const ignored = new Set(traits.ignoreParams);
  const resource = RESOURCE_TYPES.map((type): CapabilityStatementRestResource => {
    const isWritable = traits.writableTypes === undefined || traits.writableTypes.includes(type);
    return {
      type: type as 'Patient',
      ...(US_CORE_PROFILES[type] === undefined ? {} : { supportedProfile: [...US_CORE_PROFILES[type]] }),
      interaction: [
        { code: 'read' },
        ...(hasHistory(traits) ? ([{ code: 'vread' }, { code: 'history-instance' }] as const) : []),
        { code: 'search-type' },
        ...(isWritable ? ([{ code: 'create' }, { code: 'update' }, { code: 'delete' }] as const) : []),
      ],
      ...(traits.unsaidVersions === true
        ? {}
        : { versioning: traits.versionIds === 'absent' ? ('no-version' as const) : ('versioned-update' as const) }),
      readHistory: hasHistory(traits),
      updateCreate: traits.noClientIds !== true,
      conditionalCreate: isConditional,
      conditionalUpdate: isConditional,
      conditionalDelete: 'not-supported',
      referencePolicy: ['literal'],
      searchInclude: referencesOf(type, ignored, () => true),
      searchRevInclude: RESOURCE_TYPES.flatMap((other) =>
        referencesOf(other, ignored, (param) => mayLeadTo(param, type)),
      ),
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
    instantiates: [US_CORE_SERVER],
    ...(traits.publisher === undefined ? {} : { publisher: traits.publisher }),
    software: { name: traits.software ?? 'Chartgate demo EHR' },
    implementation: { description: traits.implementation ?? 'A FHIR R4 server for development and tests', url: base },
    implementationGuide: [US_CORE_GUIDE],
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
