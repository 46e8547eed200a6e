import type { Mappings } from '../mappings/index.ts';
import type { AnyResource, Envelope } from '../payloads/index.ts';
import { nameIdentifier, nameOf, referenceTo, type makeNameOf, type Name } from './name.ts';
import type { TimeFacts } from './judge-time.ts';
import { shareElement } from './shared-elements.ts';
import type { Notebook } from './notebook.ts';
import type { Times } from './times.ts';
import type { Group, LinkedPatient, Setting, Wanted } from './translation.ts';

/** What every builder of one translation shares. */
export interface Scene {
  readonly envelope: Envelope;
  readonly patient: LinkedPatient;
  readonly setting: Setting;
  readonly mappings: Mappings;
  readonly notebook: Notebook;
  /** Names within this chart and of this user. */
  readonly nameOf: ReturnType<typeof makeNameOf>;
  /** When the document came; null where nothing was received, such as a file that is explained. */
  readonly receivedAt: Date | null;
  readonly timeFacts: (times: Times) => TimeFacts;
  /** When a resource was measured; null where it does not say. */
  readonly timesOf: (resource: Readonly<Record<string, unknown>>) => Times | null;
  /** By which resources refer to the patient. */
  readonly subject: { readonly reference: string };
  /** The patient, who tells of what is measured, in the one list that all its resources share. */
  readonly performers: readonly Scene['subject'][];
  /** The device behind the document, where there is exactly one. */
  readonly device: { readonly reference: string } | null;
}

export const HL7_CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
export const LOINC = 'http://loinc.org';
export const UCUM = 'http://unitsofmeasure.org';
export const SERVICE = 'Health data service';

const PATIENT_SUPPLIED = {
  system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-tags',
  code: 'patient-supplied',
  display: 'Patient Supplied',
};
const TEST_DATA = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason',
  code: 'HTEST',
  display: 'test health data',
};

/**
 * Bound to the source user and to the chart: another MRN gives other names, so a re-link never moves a resource between
 * charts.
 */
export const nameIn = ({ nameOf: own }: Scene, kind: string, ...parts: readonly (string | null)[]): Name =>
  own(kind, ...parts);

const PLAIN = shareElement({ tag: [PATIENT_SUPPLIED] });
const PLAIN_TEST = shareElement({ security: [TEST_DATA], tag: [PATIENT_SUPPLIED] });

/** `tags`: codes of the gateway's own CodeSystem. */
export function metaOf({ setting, mappings }: Scene, ...tags: readonly string[]): AnyResource['meta'] {
  if (tags.length === 0) return setting.environment === 'sandbox' ? PLAIN_TEST : PLAIN;
  return {
    ...(setting.environment === 'sandbox' ? { security: [TEST_DATA] } : {}),
    tag: [PATIENT_SUPPLIED, ...tags.map((code) => mappings.local(code))],
  };
}

export function patientOf({ envelope, patient, setting }: Omit<Scene, 'subject' | 'performers' | 'device'>): Wanted {
  const name = nameOf('patient', patient.mrnSystem, patient.mrn);
  const type = (code: string, display: string) => ({
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code, display }],
  });
  return {
    name,
    shelf: '',
    reference: referenceTo(name),
    resource: {
      resourceType: 'Patient',
      identifier: [
        { use: 'usual', type: type('MR', 'Medical record number'), system: patient.mrnSystem, value: patient.mrn },
        ...(setting.sourceIdentifier === 'secondary'
          ? [
              {
                use: 'secondary',
                type: type('PT', 'Patient external identifier'),
                system: serviceUser(envelope.clientUuid),
                value: envelope.userId,
              },
            ]
          : []),
      ],
    },
    group: 'support',
    chartDay: null,
    write: 'always',
  };
}

const serviceUser = (client: string): string => `urn:chartgate:service-user:${encodeURIComponent(client)}`;

/** In its place, so that the order of elements stays that of the standard. */
function named(resource: AnyResource, name: string): AnyResource {
  const given = resource['identifier'] as readonly unknown[] | undefined;
  const own = nameIdentifier(name);
  (resource as Record<string, unknown>)['identifier'] =
    given === undefined || given.length === 0 ? [own] : [own, ...given];
  return resource;
}

/** A wanted resource, which its builder gives away, under its name; the name is also its first identifier. */
export function want(
  { text: name, shelf }: Name,
  resource: AnyResource,
  place: { readonly group: Group; readonly chartDay: string | null; readonly write?: Wanted['write'] },
): Wanted {
  return {
    name,
    shelf,
    reference: referenceTo(name),
    resource: named(resource, name),
    group: place.group,
    chartDay: place.chartDay,
    write: place.write ?? 'always',
  };
}
