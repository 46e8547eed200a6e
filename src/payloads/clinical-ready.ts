import { z } from 'zod';
import { fault, isObject, openCanonicalTexts, type Fault } from '../kernel/index.ts';
import { dateTime, isDateTime, named, sources } from './envelope.ts';
import { mapParsed, type Read } from './finding.ts';

/** A resource as it came; what R4 says about it is checked elsewhere. */
export type AnyResource = Readonly<Record<string, unknown>> & { readonly resourceType: string };

export interface ClinicalReady {
  readonly kind: 'clinical_ready';
  readonly bundle: AnyResource;
  readonly sources: readonly string[];
  readonly at: string;
  /** Whether the source has finished the document (`fhir_export_ready`); one that does not say so has. */
  readonly isReady: boolean;
}

export const resource = z.looseObject({ resourceType: z.string() });

/** A Bundle as it came: what R4 says of it is checked elsewhere, so nothing of it is copied or looked at twice. */
export interface AnyBundle extends AnyResource {
  readonly resourceType: 'Bundle';
  readonly type: string;
  readonly id?: string;
  readonly entry: readonly BundleEntry[];
}
export interface BundleEntry {
  readonly fullUrl?: string;
  readonly resource: AnyResource;
}

const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** Where a value is not a Bundle with resources; null where it is one. */
function placeOfFault(value: unknown): (string | number)[] | null {
  if (!isObject(value)) return [];
  if (value['resourceType'] !== 'Bundle') return ['resourceType'];
  if (typeof value['type'] !== 'string') return ['type'];
  if (!isTextOrNone(value['id'])) return ['id'];
  if (!Array.isArray(value['entry'])) return ['entry'];
  const entries: readonly unknown[] = value['entry'];
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i];
    if (!isObject(entry)) return ['entry', i];
    if (!isTextOrNone(entry['fullUrl'])) return ['entry', i, 'fullUrl'];
    if (!isObject(entry['resource'])) return ['entry', i, 'resource'];
    if (typeof entry['resource']['resourceType'] !== 'string') return ['entry', i, 'resource', 'resourceType'];
  }
  return null;
}

export const bundle = z.unknown().transform((value, context): AnyBundle => {
  const path = placeOfFault(value);
  if (path === null) return value as AnyBundle;
  context.addIssue({ code: 'custom', message: 'is not a Bundle', path });
  return z.NEVER;
});

export const clinicalReadyShape = z.object({
  clinical_ready: z.object({
    metadata: z.object({
      datetime_string: dateTime,
      user_id: z.string(),
      sources_of_data_array: sources,
      fhir_export_ready: z.boolean().nullish(),
    }),
    clinical_ready_data: bundle.transform((value, context): AnyBundle & { readonly id: string } => {
      if (value.type === 'collection' && value.id !== undefined && value.id !== '') return { ...value, id: value.id };
      context.addIssue({
        code: 'custom',
        message: 'is not a collection with an id',
        path: [value.type === 'collection' ? 'id' : 'type'],
      });
      return z.NEVER;
    }),
  }),
});

type Shape = z.infer<typeof clinicalReadyShape>;

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** A document that certainly has the shape, without the schema; null leaves the answer to it. */
function readSoundShape(value: unknown): Shape | null {
  const document = isObject(value) ? value['clinical_ready'] : null;
  const metadata = isObject(document) ? document['metadata'] : null;
  if (!isObject(document) || !isObject(metadata)) return null;
  const { datetime_string: at, user_id: user, sources_of_data_array: given = [], fhir_export_ready: ready } = metadata;
  const data = document['clinical_ready_data'];
  if (!isDateTime(at) || typeof user !== 'string' || !isNames(given)) return null;
  if (ready !== undefined && typeof ready !== 'boolean') return null;
  if (placeOfFault(data) !== null) return null;
  const { type, id } = data as AnyBundle;
  if (type !== 'collection' || id === undefined || id === '') return null;
  return {
    clinical_ready: {
      metadata: { datetime_string: at, user_id: user, sources_of_data_array: named(given), fhir_export_ready: ready },
      clinical_ready_data: data as Shape['clinical_ready']['clinical_ready_data'],
    },
  };
}

export function readShape(value: unknown): z.ZodSafeParseResult<Shape> {
  const data = readSoundShape(value);
  return data === null ? clinicalReadyShape.safeParse(value) : { success: true, data };
}

const AT = 'clinical_ready.clinical_ready_data';
type Entries = readonly BundleEntry[];

export const referenceOf = (value: unknown): string | null => {
  const { reference } = (value ?? {}) as { reference?: unknown };
  return typeof reference === 'string' ? reference : null;
};

function valueOf(identifier: unknown): string {
  const { value } = (identifier ?? {}) as { value?: unknown };
  return typeof value === 'string' ? value : '';
}

/** One Patient, and every other entry about that Patient. */
function checkPatients(entries: Entries): Fault | null {
  const patients = entries.filter((one) => one.resource.resourceType === 'Patient');
  const [patient] = patients;
  if (patients.length !== 1 || patient === undefined) return fault('payload.identity', { at: `${AT}.entry` });
  for (let i = 0; i < entries.length; i += 1) {
    const one = entries[i];
    if (one === undefined || one === patient) continue;
    if (referenceOf(one.resource['subject']) !== patient.fullUrl)
      return fault('payload.identity', { at: `${AT}.entry[${i}].resource.subject` });
  }
  return null;
}

/** What a new export of the same changes in a resource: meta, and ids that are made anew. */
const MADE_ANEW: ReadonlySet<string> = new Set(['meta', 'id', 'subject']);

export function readClinicalReady(
  value: unknown,
  documentKey: 'bundle-id' | 'user-day',
): z.ZodSafeParseResult<Read<ClinicalReady>> {
  return mapParsed(
    readShape(value),
    ({ clinical_ready: { metadata, clinical_ready_data: data } }): Read<ClinicalReady> => {
      const wrong = checkPatients(data.entry);
      const patient = data.entry.find((one) => one.resource.resourceType === 'Patient');
      const identifiers = patient?.resource['identifier'];
      const named = (Array.isArray(identifiers) ? identifiers : []).map((one: unknown) => valueOf(one));
      return {
        document: {
          kind: 'clinical_ready',
          bundle: data,
          sources: metadata.sources_of_data_array,
          at: metadata.datetime_string,
          isReady: metadata.fhir_export_ready !== false,
        },
        userIds: [
          { at: 'clinical_ready.metadata.user_id', id: metadata.user_id },
          // A Patient that names nobody is not the user of the envelope either.
          ...(patient !== undefined && named.length === 0 ? [''] : named).map((id, i) => ({
            at: `${AT}.Patient.identifier[${i}].value`,
            id,
          })),
        ],
        findings: [],
        keyParts: documentKey === 'bundle-id' ? ['bundle', data.id] : ['day', metadata.datetime_string.slice(0, 10)],
        order: { by: 'version' },
        clinical: (texts = openCanonicalTexts(false)) =>
          data.entry
            .map((one) => texts.without(one.resource, MADE_ANEW))
            .sort()
            .join('\n'),
        clinicalPart: data.entry,
        ...(wrong === null ? {} : { fault: wrong }),
      };
    },
  );
}
