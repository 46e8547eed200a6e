import { z } from 'zod';
import { canonicalJson, fault, type Fault } from '../kernel/index.ts';
import { dateTime, sources } from './envelope.ts';
import type { Read } from './finding.ts';

/** A resource as it came; what R4 says about it is checked elsewhere. */
export type AnyResource = Readonly<Record<string, unknown>> & { readonly resourceType: string };

export interface ClinicalReady {
  readonly kind: 'clinical_ready';
  readonly bundle: AnyResource;
  readonly sources: readonly string[];
  readonly at: string;
}

export const resource = z.looseObject({ resourceType: z.string() });
const entry = z.looseObject({ fullUrl: z.string().optional(), resource });
export const bundle = z.looseObject({
  resourceType: z.literal('Bundle'),
  type: z.string(),
  id: z.string().optional(),
  entry: z.array(entry),
});

const shape = z.looseObject({
  clinical_ready: z.looseObject({
    metadata: z.looseObject({ datetime_string: dateTime, user_id: z.string(), sources_of_data_array: sources }),
    clinical_ready_data: bundle.extend({ type: z.literal('collection'), id: z.string().min(1) }),
  }),
});

const AT = 'clinical_ready.clinical_ready_data';
type Entries = z.infer<typeof bundle>['entry'];

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
  for (const [i, one] of entries.entries()) {
    if (one === patient) continue;
    if (referenceOf(one.resource['subject']) !== patient.fullUrl)
      return fault('payload.identity', { at: `${AT}.entry[${i}].resource.subject` });
  }
  return null;
}

/** What a resource says, without what a new export of the same changes: meta, and ids that are made anew. */
function sayingOf({ resource: one }: Entries[number]): string {
  const { meta: _meta, id: _id, subject: _subject, ...said } = one;
  return canonicalJson(said);
}

export function readClinicalReady(
  value: unknown,
  documentKey: 'bundle-id' | 'user-day',
): z.ZodSafeParseResult<Read<ClinicalReady>> {
  return shape
    .transform(({ clinical_ready: { metadata, clinical_ready_data: data } }): Read<ClinicalReady> => {
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
        clinical: data.entry.map(sayingOf).sort().join('\n'),
        ...(wrong === null ? {} : { fault: wrong }),
      };
    })
    .safeParse(value);
}
