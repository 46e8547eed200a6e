import { z } from 'zod';

const Entry = z.looseObject({
  fullUrl: z.string().optional(),
  resource: z.looseObject({ resourceType: z.string(), id: z.string().optional() }),
});
export const Transaction = z.looseObject({ resourceType: z.literal('Bundle'), entry: z.array(Entry) });
export type Transaction = z.infer<typeof Transaction>;

export type Patient = { readonly id: string; readonly mrn: string };
export type Prepared = {
  readonly bundle: Transaction;
  readonly patients: readonly Patient[];
  /** The types that the EHR does not keep, which were left out. */
  readonly leftOut: readonly string[];
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value without references to what is left out, and without the objects and lists that this leaves empty. */
function withoutReferences(value: unknown, gone: ReadonlySet<unknown>): unknown {
  if (Array.isArray(value)) {
    const rest = value.map((one) => withoutReferences(one, gone)).filter((one) => one !== undefined);
    return rest.length === 0 && value.length > 0 ? undefined : rest;
  }
  if (!isObject(value)) return value;
  if (gone.has(value['reference'])) return undefined;
  const rest = Object.entries(value).flatMap(([name, one]) => {
    const kept = withoutReferences(one, gone);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return rest.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(rest);
}

const MR = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] };

/** A transaction of a patient as this EHR can take it, and as the gateway can find the patient: by an MRN. */
export function prepareBundle(given: Transaction, kept: ReadonlySet<string>, mrnSystem: string): Prepared {
  const isKept = ({ resource }: Transaction['entry'][number]): boolean => kept.has(resource.resourceType);
  const out = given.entry.filter((entry) => !isKept(entry));
  const gone = new Set<unknown>(out.flatMap(({ fullUrl }) => (fullUrl === undefined ? [] : [fullUrl])));
  const patients: Patient[] = [];
  const entry = given.entry.filter(isKept).map((one) => {
    const resource = withoutReferences(one.resource, gone) as typeof one.resource;
    if (resource.resourceType !== 'Patient' || resource.id === undefined) return { ...one, resource };
    const mrn = `INF${resource.id}`;
    patients.push({ id: resource.id, mrn });
    const others = Array.isArray(resource['identifier']) ? (resource['identifier'] as unknown[]) : [];
    const identifier = [...others, { use: 'usual', type: MR, system: mrnSystem, value: mrn }];
    return { ...one, resource: { ...resource, identifier } };
  });
  const leftOut = [...new Set(out.map(({ resource }) => resource.resourceType))].sort();
  return { bundle: { ...given, entry }, patients, leftOut };
}
