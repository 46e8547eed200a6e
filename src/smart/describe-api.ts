import type { CapabilityStatement, CapabilityStatementRestResource } from '@medplum/fhirtypes';
import type { OauthUris } from '../auth/index.ts';
import type { Capability } from '../ehr/index.ts';
import { PERSON_SORTS } from '../persons/index.ts';
import { searchParamsOf, type ProfileSet } from '../r4/index.ts';
import { DOCREF_PARAMS } from './answer-docref.ts';
import { BULK_DATA_INSTANTIATES, EXPORT_PATIENTS, EXPORT_SYSTEM, GROUP } from './describe-export.ts';
import { profilesFor } from './find-profile.ts';
import { AUDIT_PARAMS } from './parse-audit-search.ts';
import { EVERYTHING_PARAMS } from './parse-everything.ts';
import type { SearchRules } from './parse-search.ts';
import { VALIDATE_MODES } from './parse-validate.ts';
import { PERSON_PARAMS } from './person-conditions.ts';
import type { TypeRule } from './served-types.ts';

type Interaction = NonNullable<CapabilityStatementRestResource['interaction']>[number]['code'];
type Operation = NonNullable<CapabilityStatementRestResource['operation']>[number];

const EVERYTHING: Operation = {
  name: 'everything',
  definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything',
  documentation: `Of one patient, by GET, with ${EVERYTHING_PARAMS.join(', ')}. Each type needs its scope, as for a search.`,
};

const MATCH: Operation = {
  name: 'match',
  definition: 'http://hl7.org/fhir/OperationDefinition/Patient-match',
  documentation: 'The one linked patient of whom this is certain, by POST to the type; nobody where it is not.',
};

/** Searches in other words, by GET and by POST; those of the searched type are its scope. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  Observation: {
    name: 'lastn',
    definition: 'http://hl7.org/fhir/OperationDefinition/Observation-lastn',
    documentation: 'With patient or subject, category or code, max, and what else a search by patient takes.',
  },
  DocumentReference: {
    name: 'docref',
    definition: 'http://hl7.org/fhir/us/core/OperationDefinition/docref',
    documentation: `With ${DOCREF_PARAMS.join(', ')}. Documents are made on demand only where the EHR does that.`,
  },
};

const NAMED_MAX = 50;

/** The profiles by which we can judge are no promise about what the EHR keeps, so they are named here alone. */
function validateOf(type: string, set: ProfileSet | null): Operation {
  const profiles = profilesFor(type, set).map(({ url }) => url);
  const named = profiles.slice(0, NAMED_MAX).join(', ');
  return {
    name: 'validate',
    definition: 'http://hl7.org/fhir/OperationDefinition/Resource-validate',
    documentation: [
      `Judges a resource that the app sends, by POST to the type, with mode (${VALIDATE_MODES.join(', ')}) and profile.`,
      profiles.length === 0 ? 'No profile of this type is loaded.' : `Profiles that are loaded: ${named}.`,
    ].join(' '),
  };
}

/** Deprecated, and what clients of the first form of SMART still look for. */
const OAUTH_URIS = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris';

const BINARY: CapabilityStatementRestResource = {
  type: 'Binary',
  interaction: [{ code: 'read' }],
  documentation:
    'An attachment of a DocumentReference, DiagnosticReport or Media: as what it is, or as a resource where FHIR JSON is asked for',
};

/** Our own log, whatever the EHR has. */
const AUDIT_EVENT: CapabilityStatementRestResource = {
  type: 'AuditEvent',
  documentation: 'The audit of this gateway, for a token with user/AuditEvent or system/AuditEvent.',
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  versioning: 'no-version',
  referencePolicy: ['literal', 'local'],
  searchParam: Object.entries(AUDIT_PARAMS).map(([name, type]) => ({ name, type })),
};

/** What a search must say, where not everything that is listed is enough. */
function documentationOf(type: string, rule: TypeRule): { readonly documentation?: string } {
  if (type === 'Patient')
    return {
      documentation: `A token of user/ or system/ finds patients by ${PERSON_PARAMS.join(', ')}, alone or together, sorted by ${PERSON_SORTS.join(', ')}. One of patient/ finds its own.`,
    };
  if (rule.kind === 'shared') return { documentation: `A search names one of _id, ${rule.by.join(', ')}.` };
  return {};
}

/** `Source:param` of the records that may come along because they refer to this type. */
const reversesOf = (type: string, { served, isOffered, mayReverse }: SearchRules): string[] =>
  [...served]
    .filter(([source, { kind }]) => kind === 'subject' && isOffered(source))
    .flatMap(([source]) =>
      [...searchParamsOf(source)].flatMap(([name, { kind, isPlain, targets }]) =>
        kind === 'reference' && isPlain && targets.includes(type) && targets !== 'any' && mayReverse(type, source, name)
          ? [`${source}:${name}`]
          : [],
      ),
    );

const NOT_ASKED_YET =
  'The EHR has not been asked yet what it does. This is what the gateway does; what the EHR does not do will be missing here.';

const NO_WRITES =
  'Apps read. They write nothing but Subscriptions, where those are served: of every other type the scope letters c, u and d are not granted.';

/** What is served is what both we and the EHR do; before the EHR was asked, what we do. */
export function describeApi(deps: {
  readonly rules: SearchRules;
  readonly capability: Capability | null;
  readonly profiles: ProfileSet | null;
  /** Whether a canonical of the EHR's may be shown: not one that tells where the EHR is. */
  readonly isShown: (canonical: string) => boolean;
  readonly binary: 'read' | 'not-served';
  /** Types of other parts, which are ours and not the EHR's. */
  readonly own?: readonly CapabilityStatementRestResource[];
  /** Null: the issuer does not say. */
  readonly oauthUris: OauthUris | null;
  readonly version: string;
  readonly date: string;
}): CapabilityStatement {
  const { rules, capability, oauthUris, version, date } = deps;
  /** What is served is the EHR's, so what it is said to meet is for the EHR to say. */
  const saidBy = <N extends string>(said: readonly string[] | undefined, name: N): Partial<Record<N, string[]>> => {
    const shown = (said ?? []).filter(deps.isShown);
    return (shown.length === 0 ? {} : { [name]: shown }) as Partial<Record<N, string[]>>;
  };
  const resource = [...rules.served].flatMap(([type, rule]): CapabilityStatementRestResource[] => {
    const { kind } = rule;
    const ehr = capability?.types[type];
    if (capability !== null && ehr === undefined) return [];
    const may = (isDone: boolean | undefined, code: Interaction): { code: Interaction }[] =>
      isDone === false ? [] : [{ code }];
    const params = [...rules.paramsOf(type)];
    const subject =
      kind === 'subject' || kind === 'targets'
        ? ([['patient', { kind: 'reference' }]] as const).filter(() => !rules.paramsOf(type).has('patient'))
        : [];
    const includes = [...rules.includesOf(type)].flatMap(([name, param]) =>
      param.kind === 'reference' &&
      param.targets !== 'any' &&
      param.targets.some((target) => rules.served.has(target) && target !== 'Provenance')
        ? [`${type}:${name}`]
        : [],
    );
    return [
      {
        type: type as 'Patient',
        ...saidBy(ehr?.supportedProfiles, 'supportedProfile'),
        ...documentationOf(type, rule),
        interaction: [
          ...may(ehr?.read, 'read'),
          ...may(ehr?.vread, 'vread'),
          ...may(ehr?.history, 'history-instance'),
          ...may(ehr?.search, 'search-type'),
        ],
        versioning: ehr === undefined || ehr.versioning === 'no-version' ? 'no-version' : 'versioned',
        readHistory: ehr?.history !== false,
        conditionalRead: 'not-match',
        referencePolicy: ['literal', 'local'],
        ...(includes.length === 0 ? {} : { searchInclude: includes }),
        ...(kind === 'shared' || type === 'Provenance'
          ? {}
          : { searchRevInclude: ['Provenance:target', ...reversesOf(type, rules)] }),
        searchParam: [...subject, ...params].map(([name, { kind: of }]) => ({ name, type: of as 'token' })),
        operation: [
          ...(type === 'Patient' ? [EVERYTHING, MATCH, EXPORT_PATIENTS] : []),
          ...[OPERATIONS[type] ?? []].flat(),
          validateOf(type, deps.profiles),
        ],
      },
    ];
  });
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date,
    kind: 'instance',
    instantiates: [...new Set([...(capability?.instantiates ?? []).filter(deps.isShown), BULK_DATA_INSTANTIATES])],
    software: { name: 'Chartgate', version },
    implementation: { description: 'A read API in front of an EHR', url: rules.base },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'application/json', 'json'],
    ...saidBy(capability?.implementationGuides, 'implementationGuide'),
    rest: [
      {
        mode: 'server',
        documentation: capability === null ? `${NO_WRITES} ${NOT_ASKED_YET}` : NO_WRITES,
        security: {
          cors: true,
          service: [
            {
              coding: [
                { system: 'http://terminology.hl7.org/CodeSystem/restful-security-service', code: 'SMART-on-FHIR' },
              ],
              text: 'OAuth2 as SMART App Launch has it',
            },
          ],
          ...(oauthUris === null
            ? {}
            : {
                extension: [
                  {
                    url: OAUTH_URIS,
                    extension: Object.entries(oauthUris).map(([url, valueUri]) => ({
                      url,
                      valueUri: valueUri as string,
                    })),
                  },
                ],
              }),
        },
        resource: [...resource, ...(deps.binary === 'read' ? [BINARY] : []), AUDIT_EVENT, GROUP, ...(deps.own ?? [])],
        operation: [EXPORT_SYSTEM],
      },
    ],
  };
}
