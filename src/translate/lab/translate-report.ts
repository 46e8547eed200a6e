import type { AnyResource } from '../../payloads/index.ts';
import { SYSTEMS } from '../name.ts';
import { codesText } from '../notebook.ts';
import type { Element } from '../observation.ts';
import { LOINC, metaOf, type Scene } from '../scene.ts';
import type { DeliveryFacts } from '../translation.ts';
import { laboratoryFirst, nameOfCode, statusOf, withCodings } from './translate-result.ts';
import { listOf, pick, type Part } from '../parts.ts';

const V2_0074 = 'http://terminology.hl7.org/CodeSystem/v2-0074';
/** The whole document, where no panel is named that anybody knows. */
const WHOLE_DOCUMENT = 'laboratory report';

function codeOf({ mappings, notebook }: Scene, at: string, given: unknown): Element {
  const { coding } = (given ?? {}) as Part;
  if (listOf(coding).some(({ system }) => system === LOINC)) return given as Element;
  const name = nameOfCode(given);
  const row = mappings.findPanel(name) ?? mappings.findPanel(WHOLE_DOCUMENT);
  notebook.decide(at, 'code', name, row === null ? null : codesText(row), row);
  return withCodings(given, row?.codings ?? []);
}

export interface ReportParts {
  readonly at: string;
  readonly given: AnyResource;
  readonly documentId: string | null;
  readonly delivery: DeliveryFacts;
  readonly effective: Element;
  /** Results of the document that no report names. */
  readonly unnamed: readonly Element[];
}

/**
 * The report over the results: what US Core asks of a laboratory report, and the id under which the document was
 * submitted.
 */
export function translateReport(
  scene: Scene,
  { at, given, documentId, delivery, effective, unnamed }: ReportParts,
): AnyResource {
  const own = pick(given, 'effectiveDateTime', 'effectivePeriod');
  const issued = pick(given, 'issued');
  if (issued['issued'] === undefined) scene.notebook.find('issued.assumed', at);
  const result = [...listOf(given['result']), ...unnamed];
  return {
    resourceType: 'DiagnosticReport',
    meta: metaOf(scene, 'machine-extracted'),
    identifier: [
      ...(documentId === null ? [] : [{ system: SYSTEMS.labDocument, value: documentId }]),
      ...listOf(given['identifier']),
    ],
    status: statusOf(scene, at, given['status']),
    category: laboratoryFirst(given['category'], V2_0074, 'LAB'),
    code: codeOf(scene, at, given['code']),
    subject: scene.subject,
    ...(Object.keys(own).length === 0 ? effective : own),
    issued: issued['issued'] ?? delivery.receivedAt.toISOString(),
    ...pick(given, 'performer', 'resultsInterpreter', 'specimen'),
    ...(result.length === 0 ? {} : { result }),
    ...pick(given, 'conclusion', 'conclusionCode', 'presentedForm'),
  };
}

/** The original document beside its report, so that a person can check what a machine read. */
export function documentOf(
  scene: Scene,
  report: AnyResource,
  form: Part,
  documentId: string | null,
  reference: string,
): AnyResource {
  return {
    resourceType: 'DocumentReference',
    meta: metaOf(scene),
    identifier: documentId === null ? [] : [{ system: SYSTEMS.labDocument, value: documentId }],
    status: report['status'] === 'entered-in-error' ? 'entered-in-error' : 'current',
    type: codeOf(scene, 'presentedForm', { text: WHOLE_DOCUMENT }),
    subject: scene.subject,
    ...(typeof report['issued'] === 'string' ? { date: report['issued'] } : {}),
    content: [{ attachment: form }],
    context: { related: [{ reference }] },
  };
}

export function translateSpecimen(scene: Scene, at: string, given: AnyResource): AnyResource {
  const name = nameOfCode(given['type']);
  const isCoded = listOf(((given['type'] ?? {}) as Part)['coding']).length > 0;
  const row = isCoded || name === '' ? null : scene.mappings.findSpecimen(name);
  if (row !== null) scene.notebook.decide(at, 'code', name, codesText(row), row);
  return {
    resourceType: 'Specimen',
    meta: metaOf(scene),
    identifier: listOf(given['identifier']),
    ...pick(given, 'accessionIdentifier', 'status'),
    ...(given['type'] === undefined
      ? {}
      : { type: row === null ? given['type'] : withCodings(given['type'], row.codings) }),
    subject: scene.subject,
    ...pick(given, 'receivedTime', 'collection', 'condition', 'note'),
  };
}

export const translateOrganization = (given: AnyResource): AnyResource => ({
  resourceType: 'Organization',
  identifier: listOf(given['identifier']),
  ...pick(given, 'active', 'type', 'name', 'alias', 'telecom', 'address'),
});

export const translateDocument = (scene: Scene, given: AnyResource, documentId: string | null): AnyResource => ({
  resourceType: 'DocumentReference',
  meta: metaOf(scene),
  identifier: [
    ...(documentId === null ? [] : [{ system: SYSTEMS.labDocument, value: documentId }]),
    ...listOf(given['identifier']),
  ],
  ...pick(given, 'status', 'docStatus', 'type', 'category'),
  subject: scene.subject,
  ...pick(given, 'date', 'author', 'description', 'content', 'context'),
});
