import { canonicalJson, fault, isObject, type Fault } from '../kernel/index.ts';
import { bundle, referenceOf, resource as resourceShape, type AnyResource } from './clinical-ready.ts';
import type { Read } from './finding.ts';
import { withoutUnzonedTimes } from './unzoned-times.ts';

/**
 * A structured laboratory result. Its envelope is not published: the FHIR content is where `path` says, or else the one
 * place in the payload that holds a Bundle, a DiagnosticReport, an Observation or an array of resources. Two such
 * places are two documents in one envelope, and nobody has said which is which.
 */
export type LabResult =
  | {
      readonly kind: 'lab_result';
      readonly format: 'fhir';
      readonly resource: AnyResource;
      readonly documentId: string | null;
      /** Times without a zone were made dates. */
      readonly hasUnzoned: boolean;
    }
  /** The service's own JSON, which a template reads. */
  | { readonly kind: 'lab_result'; readonly format: 'service'; readonly documentId: string | null };

const DEPTH = 5;
const RESULTS = new Set(['DiagnosticReport', 'Observation']);
const isRoot = ({ resourceType }: AnyResource): boolean => resourceType === 'Bundle' || RESULTS.has(resourceType);
type Found = { readonly at: string; readonly resource: AnyResource };

const isResource = (value: unknown): value is AnyResource =>
  isObject(value) && typeof value['resourceType'] === 'string';

/** Resources side by side are one document, as the entries of a Bundle are. Null where they are something else. */
function asOneBundle(values: readonly unknown[]): AnyResource | null {
  const isDocument =
    values.length > 1 &&
    values.every((one) => isResource(one) && one.resourceType !== 'Bundle') &&
    values.some((one) => RESULTS.has((one as AnyResource).resourceType));
  return isDocument
    ? { resourceType: 'Bundle', type: 'collection', entry: values.map((resource) => ({ resource })) }
    : null;
}

/** The outermost resources of the payload; what is inside them belongs to them. */
function findRoots(value: unknown, at: string, depth: number): Found[] {
  if (depth > DEPTH) return [];
  if (Array.isArray(value)) {
    const resource = asOneBundle(value);
    return resource === null ? value.flatMap((one, i) => findRoots(one, `${at}[${i}]`, depth + 1)) : [{ at, resource }];
  }
  if (isResource(value)) return isRoot(value) ? [{ at, resource: value }] : [];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    findRoots(part, at === '' ? name : `${at}.${name}`, depth + 1),
  );
}

const atPath = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), value);

function findFhir(value: unknown, path: string | null): Found | null {
  const place = path === null ? value : atPath(value, path);
  // What the setting names is a resource or a list of them, and not merely around one.
  if (path !== null && !isResource(place) && !Array.isArray(place)) return null;
  const [only, ...others] = findRoots(place, path ?? '', 0);
  return only !== undefined && others.length === 0 ? only : null;
}

/** `document_id` correlates a result with its submission; where it stands is not published either. */
function findDocumentId(value: unknown, depth = 0): string | null {
  if (depth > 3 || !isObject(value)) return null;
  for (const [name, part] of Object.entries(value))
    if (/^document_id(_string)?$/.test(name) && typeof part === 'string') return part;
  for (const part of Object.values(value)) {
    const found = isObject(part) && part['resourceType'] === undefined ? findDocumentId(part, depth + 1) : null;
    if (found !== null) return found;
  }
  return null;
}

interface Entry {
  readonly resource: AnyResource;
  readonly fullUrl?: string | undefined;
}

/** Those of a Bundle, or the one; each with what it contains, which is named by `#id` inside it. */
function resourcesOf(root: AnyResource): Entry[] {
  return entriesOf(root).flatMap((entry) => [entry, ...containedIn(entry.resource)]);
}

/** An entry may tell only of a request or a response; of those nothing is said here. */
function entriesOf(root: AnyResource): readonly Entry[] {
  if (root.resourceType !== 'Bundle') return [{ resource: root }];
  const entries = Array.isArray(root['entry']) ? (root['entry'] as unknown[]) : [];
  const withResource = entries.filter((one) => isObject(one) && isObject(one['resource']));
  const parsed = bundle.safeParse({ ...root, entry: withResource });
  return parsed.success ? parsed.data.entry : [];
}

function containedIn(owner: AnyResource): Entry[] {
  const contained = Array.isArray(owner['contained']) ? (owner['contained'] as unknown[]) : [];
  return contained.flatMap((one): Entry[] => {
    const parsed = resourceShape.safeParse(one);
    if (!parsed.success) return [];
    return [
      { resource: parsed.data, fullUrl: typeof parsed.data['id'] === 'string' ? `#${parsed.data['id']}` : undefined },
    ];
  });
}

/** The user ids that the envelope of the result repeats, outside of its FHIR content. */
function userIdsIn(value: unknown, at: string, depth = 0): { at: string; id: string }[] {
  if (depth > DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((one, i) => userIdsIn(one, `${at}[${i}]`, depth + 1));
  if (!isObject(value) || typeof value['resourceType'] === 'string') return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const place = at === '' ? name : `${at}.${name}`;
    if (/^user_id(_string)?$/.test(name)) return [{ at: place, id: typeof part === 'string' ? part : '' }];
    return userIdsIn(part, place, depth + 1);
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a Patient inside is called at the source must be the user of the envelope. */
function patientIdsIn(all: readonly Entry[], at: string, userSystem: string | null): { at: string; id: string }[] {
  if (userSystem === null) return [];
  return all
    .filter(({ resource: one }) => one.resourceType === 'Patient')
    .flatMap(({ resource: one }) => (Array.isArray(one['identifier']) ? (one['identifier'] as unknown[]) : []))
    .filter((one) => isObject(one) && one['system'] === userSystem)
    .map((one) => ({ at: `${at}.Patient.identifier`, id: textOf((one as { value?: unknown }).value) }));
}

/** At most one Patient, and all subjects agree. */
function checkPatients(all: readonly Entry[], at: string): Fault | null {
  const patients = all.filter(({ resource: one }) => one.resourceType === 'Patient');
  if (patients.length > 1) return fault('payload.identity', { at });
  // By what it points at, or else by all that it says: two who are only named are two.
  const subjects = new Set(
    all.flatMap(({ resource: one }) =>
      one['subject'] === undefined ? [] : [referenceOf(one['subject']) ?? canonicalJson(one['subject'])],
    ),
  );
  const [patient] = patients;
  if (patient !== undefined) {
    const names = [
      patient.fullUrl,
      typeof patient.resource['id'] === 'string' ? `Patient/${patient.resource['id']}` : undefined,
    ];
    for (const subject of subjects)
      if (!names.includes(subject)) return fault('payload.identity', { at: `${at}.subject` });
    return null;
  }
  return subjects.size > 1 ? fault('payload.identity', { at: `${at}.subject` }) : null;
}

const isLaboratoryName = (dataStructure: string): boolean => /(^|_)lab(s|_|$)|laborator/i.test(dataStructure);

const codesIn = (category: unknown): unknown[] =>
  (Array.isArray(category) ? (category as unknown[]) : []).flatMap((one) => {
    const coding = isObject(one) && Array.isArray(one['coding']) ? (one['coding'] as unknown[]) : [];
    return coding.map((each) => (isObject(each) ? each['code'] : undefined));
  });

/**
 * A report says that results are of a laboratory. Without one the structure must, or the category of each result: a
 * weight in a Bundle of another structure is no laboratory result.
 */
function isLaboratory(all: readonly Entry[], dataStructure: string): boolean {
  if (all.some(({ resource: one }) => one.resourceType === 'DiagnosticReport')) return true;
  const results = all.filter(({ resource: one }) => one.resourceType === 'Observation');
  return (
    results.length > 0 &&
    (isLaboratoryName(dataStructure) ||
      results.every(({ resource: one }) => codesIn(one['category']).includes('laboratory')))
  );
}

/** Null where the payload is no laboratory result. */
export function readLabResult(
  value: unknown,
  dataStructure: string,
  path: string | null,
  userSystem: string | null,
): Read<LabResult> | null {
  const found = findFhir(value, path);
  const documentId = findDocumentId(value);
  const keyOf = (content: unknown): string[] =>
    documentId === null ? ['lab-content', canonicalJson(content)] : ['lab', documentId];
  if (found === null)
    return isLaboratoryName(dataStructure)
      ? {
          document: { kind: 'lab_result', format: 'service', documentId },
          userIds: userIdsIn(value, ''),
          findings: [],
          keyParts: keyOf(value),
          order: { by: 'version' },
          clinical: () => canonicalJson(value),
        }
      : null;
  const resource = withoutUnzonedTimes(found.resource);
  const all = resourcesOf(resource);
  if (!isLaboratory(all, dataStructure)) return null;
  const wrong = checkPatients(all, found.at);
  const said = all.map(({ resource: { meta: _meta, ...one } }) => canonicalJson(one)).sort();
  return {
    document: { kind: 'lab_result', format: 'fhir', resource, documentId, hasUnzoned: resource !== found.resource },
    userIds: [...userIdsIn(value, ''), ...patientIdsIn(all, found.at, userSystem)],
    findings: [],
    keyParts: keyOf(said),
    order: { by: 'version' },
    clinical: () => said.join('\n'),
    ...(wrong === null ? {} : { fault: wrong }),
  };
}
