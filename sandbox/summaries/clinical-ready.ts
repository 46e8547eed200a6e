import { hash } from 'node:crypto';
import { canonicalJson } from '../../src/kernel/index.ts';
import { localTime, type DaySummary, type SourceDevice } from '../population/index.ts';
import { CATEGORY_OF, clinicalValuesOf, type ClinicalValue, type SummaryGroup } from './clinical-metrics.ts';
import { stableUuid } from './stable-uuid.ts';

const SERVICE = 'urn:example:health-data-service';
const CATEGORIES = 'http://terminology.hl7.org/CodeSystem/observation-category';
const UCUM = 'http://unitsofmeasure.org';

/** Whose document it is, under which client. */
export interface About {
  readonly clientUuid: string;
  readonly userId: string;
}

export interface ClinicalObservation {
  readonly resourceType: 'Observation';
  readonly id: string;
  readonly meta: { readonly source: string };
  readonly extension?: readonly { readonly url: string; readonly valueString: string }[];
  readonly status: 'final';
  readonly category: readonly { readonly coding: readonly { readonly system: string; readonly code: string }[] }[];
  readonly code: {
    readonly coding: readonly { readonly system: string; readonly code: string; readonly display: string }[];
  };
  readonly subject: { readonly reference: string };
  readonly effectivePeriod: { readonly start: string; readonly end: string };
  readonly valueQuantity: {
    readonly value: number;
    readonly unit: string;
    readonly system: string;
    readonly code: string;
  };
}

export interface ClinicalPatient {
  readonly resourceType: 'Patient';
  readonly id: string;
  readonly meta: { readonly source: string };
  readonly identifier: readonly { readonly system: string; readonly value: string }[];
}

export interface ClinicalBundle {
  readonly resourceType: 'Bundle';
  readonly id: string;
  readonly meta: {
    readonly profile: readonly string[];
    readonly source: string;
    readonly tag: readonly { readonly system: string; readonly code: string; readonly display: string }[];
  };
  readonly type: 'collection';
  readonly timestamp: string;
  readonly entry: readonly { readonly fullUrl: string; readonly resource: ClinicalPatient | ClinicalObservation }[];
}

/** Section 2.3. */
export interface ClinicalReadyPayload {
  readonly version: 1;
  readonly document_version: number;
  readonly data_structure: 'clinical_ready';
  readonly user_id: string;
  readonly client_uuid: string;
  readonly clinical_ready: {
    readonly metadata: {
      readonly datetime_string: string;
      readonly user_id: string;
      readonly sources_of_data_array: readonly string[];
      readonly fhir_export_ready: boolean;
      readonly fhir_export_completed_at: string;
    };
    readonly clinical_ready_data: ClinicalBundle;
  };
  readonly device_source_data_array?: readonly SourceDevice[];
}

const urn = (uuid: string): string => `urn:uuid:${uuid}`;
const instant = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** The last second of the day, since a period's end belongs to it. */
const periodOf = ({ zone, startsAt, endsAt }: DaySummary): { readonly start: string; readonly end: string } => ({
  start: localTime(zone, startsAt),
  end: localTime(zone, endsAt - 1_000),
});

/** A document is one group of one date of one user of one client, and keeps its name through all versions. */
export const documentIdOf = ({ clientUuid, userId }: About, group: SummaryGroup, date: string): string =>
  stableUuid('clinical-ready', clientUuid, userId, group, date);

const patientIdOf = ({ clientUuid, userId }: About): string => stableUuid('patient', clientUuid, userId);

interface Frame {
  readonly documentId: string;
  readonly group: SummaryGroup;
  readonly subject: string;
  readonly period: { readonly start: string; readonly end: string };
}

function observationOf({ documentId, group, subject, period }: Frame, one: ClinicalValue): ClinicalObservation {
  return {
    resourceType: 'Observation',
    id: stableUuid('observation', documentId, one.code),
    meta: { source: `${SERVICE}:sources:${one.source}` },
    ...(one.context === undefined ? {} : { extension: [{ url: `${SERVICE}:context`, valueString: one.context }] }),
    status: 'final',
    category: [{ coding: [{ system: CATEGORIES, code: CATEGORY_OF[group] }] }],
    code: { coding: [{ system: `${SERVICE}:codes`, code: one.code, display: one.display }] },
    subject: { reference: subject },
    effectivePeriod: period,
    valueQuantity: { value: one.value, unit: one.unit, system: UCUM, code: one.ucum },
  };
}

export interface ClinicalReadyQuestion {
  readonly about: About;
  readonly summary: DaySummary;
  readonly group: SummaryGroup;
  readonly documentVersion: number;
  /** When it is made, in simulated time. */
  readonly at: number;
  /** Device Metadata: what stands behind each source; null while the add-on is not active. */
  readonly deviceOf: ((dataSource: string) => SourceDevice) | null;
}

/** The clinical document of one summary; null where the summary has nothing that has a service code. */
export function buildClinicalReady(question: ClinicalReadyQuestion): ClinicalReadyPayload | null {
  const { about, summary, group, documentVersion, at, deviceOf } = question;
  const values = clinicalValuesOf(summary, group);
  if (values.length === 0) return null;
  const documentId = documentIdOf(about, group, summary.date);
  const patientId = patientIdOf(about);
  const period = periodOf(summary);
  const frame = { documentId, group, subject: urn(patientId), period };
  const sources = [...new Set(values.map(({ source }) => source))].sort();
  return {
    version: 1,
    document_version: documentVersion,
    data_structure: 'clinical_ready',
    user_id: about.userId,
    client_uuid: about.clientUuid,
    clinical_ready: {
      metadata: {
        datetime_string: period.end,
        user_id: about.userId,
        sources_of_data_array: sources,
        fhir_export_ready: true,
        fhir_export_completed_at: instant(at),
      },
      clinical_ready_data: {
        resourceType: 'Bundle',
        id: documentId,
        meta: {
          profile: ['http://hl7.org/fhir/StructureDefinition/Bundle'],
          source: SERVICE,
          tag: [{ system: `${SERVICE}:tags`, code: 'clinical-ready', display: 'Clinical Ready' }],
        },
        type: 'collection',
        timestamp: instant(at),
        entry: [
          {
            fullUrl: urn(patientId),
            resource: {
              resourceType: 'Patient',
              id: patientId,
              meta: { source: SERVICE },
              identifier: [{ system: `${SERVICE}:users`, value: about.userId }],
            },
          },
          ...values.map((one) => {
            const resource = observationOf(frame, one);
            return { fullUrl: urn(resource.id), resource };
          }),
        ],
      },
    },
    ...(deviceOf === null ? {} : { device_source_data_array: sources.map((source) => deviceOf(source)) }),
  };
}

/** What is said clinically: which metric, of when, how much. Not who measured it, and not when it was written. */
function contentOf({ clinical_ready: { clinical_ready_data: bundle } }: ClinicalReadyPayload): string {
  const said = bundle.entry.flatMap(({ resource }) => {
    if (resource.resourceType === 'Patient') return [];
    const { code, extension = null, effectivePeriod, valueQuantity } = resource;
    return [canonicalJson({ code, extension, effectivePeriod, valueQuantity })];
  });
  return said.sort().join('\n');
}

export const isSameClinicalContent = (one: ClinicalReadyPayload, other: ClinicalReadyPayload): boolean =>
  contentOf(one) === contentOf(other);

/** What must be kept of a document that was sent, to know whether there is a next version of it. JSON. */
export interface SentDocument {
  readonly documentVersion: number;
  readonly digest: string;
}

export const asSent = (payload: ClinicalReadyPayload): SentDocument => ({
  documentVersion: payload.document_version,
  digest: hash('sha256', contentOf(payload)).slice(0, 32),
});

/**
 * The next version of a document; null where its clinical content is what was sent before, and where nothing is left of
 * it: a version never becomes empty.
 */
export function nextClinicalReady(
  previous: SentDocument | null,
  question: Omit<ClinicalReadyQuestion, 'documentVersion'>,
): ClinicalReadyPayload | null {
  const next = buildClinicalReady({ ...question, documentVersion: (previous?.documentVersion ?? 0) + 1 });
  return next === null || (previous !== null && asSent(next).digest === previous.digest) ? null : next;
}
