import { searchParamsOf, type SearchParam as R4Param } from '../../src/r4/index.ts';
import { COMPOSITES } from './composite-params.ts';
import { EXPRESSIONS, OWN_PARAMS, US_CORE_PARAMS } from './further-params.ts';
import { literalOf, typeOfLiteral } from './values.ts';

const KINDS = ['token', 'reference', 'date', 'string', 'uri', 'quantity', 'composite', 'special'] as const;
export type Kind = (typeof KINDS)[number];

export interface SearchParam {
  readonly kind: Kind;
  /** What the parameter looks at in a resource; for a part of a composite, in one of its elements. */
  readonly read: (from: unknown) => unknown[];
  /** The types that a reference may lead to. */
  readonly targets: readonly string[] | 'any';
  /** Of a composite: what is compared with each part of a value, in each element that `read` gives. */
  readonly parts?: readonly SearchParam[];
}

/** The types that this server keeps. */
export const RESOURCE_TYPES: readonly string[] = [
  'AllergyIntolerance',
  'AuditEvent',
  'Basic',
  'Binary',
  'CarePlan',
  'CareTeam',
  'Communication',
  'Condition',
  'Coverage',
  'DetectedIssue',
  'Device',
  'DiagnosticReport',
  'DocumentReference',
  'Encounter',
  'Endpoint',
  'Flag',
  'Goal',
  'Group',
  'HealthcareService',
  'Immunization',
  'Location',
  'Media',
  'Medication',
  'MedicationDispense',
  'MedicationRequest',
  'Observation',
  'Organization',
  'Patient',
  'Practitioner',
  'PractitionerRole',
  'Procedure',
  'Provenance',
  'Questionnaire',
  'QuestionnaireResponse',
  'RelatedPerson',
  'ServiceRequest',
  'Specimen',
];

/** As what an element of several types may stand in JSON where R4's path does not choose one of them. */
const DATE_TYPES = ['', 'DateTime', 'Period', 'Instant', 'Timing', 'Date'];
const OTHER_TYPES = ['', 'Reference', 'CodeableConcept'];

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

type SearchPath = R4Param['paths'][number];
type Step = readonly string[];

function stepsOf({ steps, choice }: SearchPath, kind: string): Step[] {
  const types = choice !== null ? [capital(choice), ''] : kind === 'date' ? DATE_TYPES : OTHER_TYPES;
  return steps.map((name, i) => (i < steps.length - 1 ? [name] : types.map((type) => `${name}${type}`)));
}

function follow(value: unknown, steps: readonly Step[], at: number, out: unknown[]): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value) follow(one, steps, at, out);
    return;
  }
  const names = steps[at];
  if (names === undefined) out.push(value);
  else if (typeof value === 'object')
    for (const name of names) follow((value as Record<string, unknown>)[name], steps, at + 1, out);
}

/** Only references to this type: `patient` is `subject` where that is a Patient. */
export const onlyTo =
  (read: SearchParam['read'], type: string): SearchParam['read'] =>
  (from) =>
    read(from).filter((element) => typeOfLiteral(literalOf(element) ?? '') === type);

function readPath(path: SearchPath, kind: string): SearchParam['read'] {
  const steps = stepsOf(path, kind);
  const read = (from: unknown): unknown[] => {
    const out: unknown[] = [];
    follow(from, steps, 0, out);
    return out;
  };
  return path.reference === null ? read : onlyTo(read, path.reference);
}

const isKind = (kind: string): kind is Kind => (KINDS as readonly string[]).includes(kind);

function toParam(type: string, name: string, { kind, paths, isPlain, targets }: R4Param): SearchParam | null {
  if (!isKind(kind)) return null;
  if (kind === 'composite') return COMPOSITES[type]?.[name] ?? null;
  const special = EXPRESSIONS[`${type}.${name}`];
  if (special !== undefined) return { kind, targets, read: special };
  if (!isPlain) return null;
  const reads = paths.map((path) => readPath(path, kind));
  const [only] = reads;
  return {
    kind,
    targets,
    read: reads.length === 1 && only !== undefined ? only : (from) => reads.flatMap((read) => read(from)),
  };
}

const BY_TYPE = new Map(
  RESOURCE_TYPES.map((type) => {
    const ofR4 = [...searchParamsOf(type)].flatMap(([name, param]): [string, SearchParam][] => {
      const made = toParam(type, name, param);
      return made === null ? [] : [[name, made]];
    });
    const further = { ...US_CORE_PARAMS[type], ...OWN_PARAMS[type] };
    return [type, new Map([...ofR4, ...Object.entries(further)])];
  }),
);

export const paramsOf = (type: string): ReadonlyMap<string, SearchParam> | undefined => BY_TYPE.get(type);

export const mayLeadTo = ({ kind, targets }: SearchParam, type: string): boolean =>
  kind === 'reference' && (targets === 'any' || targets.includes(type));
