import type { AnyResource } from '../payloads/index.ts';
import { digitsOf } from '../r4/index.ts';
import { nameOfMetric } from './clinical/name-metric.ts';
import { readMetric } from './clinical/read-metric.ts';
import { translateMetrics } from './clinical/translate-metrics.ts';
import { findModifiers } from './find-modifiers.ts';
import { mapReferences } from './lab/map-references.ts';
import { nameEntries } from './lab/name-entries.ts';
import { addressOf, readEntries, type LabEntry } from './lab/read-entries.ts';
import { referenceTo } from './name.ts';
import { judgeValue } from './quantity.ts';
import { WITHIN_LENGTH_MIN, withoutSourceIds } from './without-source-ids.ts';
import { LOINC, metaOf, want, type Scene } from './scene.ts';
import type { CustomContent, Wanted } from './translation.ts';
import { listOf, partOf, wordOf, type Part } from './parts.ts';

/** Types that call their patient so; the others say `subject`. */
const BY_PATIENT = new Set([
  'AllergyIntolerance',
  'BodyStructure',
  'Consent',
  'DetectedIssue',
  'Device',
  'EpisodeOfCare',
  'FamilyMemberHistory',
  'Immunization',
  'ImmunizationRecommendation',
  'NutritionOrder',
]);
/** Never from a template: the patient is the link's, and organizations are shared. */
const REFUSED = new Set([
  'Patient',
  'Person',
  'RelatedPerson',
  'Bundle',
  'Organization',
  'Practitioner',
  'Provenance',
  'Coverage',
]);

const isMetric = ({ resource }: LabEntry, system: string): boolean =>
  resource.resourceType === 'Observation' &&
  listOf(((resource['code'] ?? {}) as Part)['coding']).some((coding) => coding['system'] === system);

function bind(scene: Scene, resource: AnyResource): AnyResource {
  const { id: _id, meta: _meta, text: _text, subject: _subject, patient: _patient, identifier, ...rest } = resource;
  return {
    ...(rest as AnyResource),
    meta: metaOf(scene),
    identifier: Array.isArray(identifier) ? listOf(identifier) : [],
    [BY_PATIENT.has(resource.resourceType) ? 'patient' : 'subject']: scene.subject,
  };
}

/** What a template says of itself is as likely or unlikely as what anybody says. */
function judgeValues(scene: Scene, at: string, resource: AnyResource): void {
  if (resource.resourceType !== 'Observation') return;
  for (const part of [resource, ...listOf(resource['component'])]) {
    const quantity = partOf(part['valueQuantity']);
    const digits = digitsOf(quantity['value']);
    const loinc = listOf(partOf(part['code'])['coding']).find(({ system }) => system === LOINC);
    if (digits !== undefined && loinc !== undefined)
      judgeValue(scene, at, wordOf(loinc['code']), wordOf(quantity['code']), digits);
  }
}

/**
 * What a site's template made, for the linked patient and under names; metrics with a code of the source go the way of
 * all metrics.
 */
export function translateCustom(scene: Scene, { key, resources }: CustomContent, devices: readonly Wanted[]): Wanted[] {
  const { notebook, mappings, envelope } = scene;
  const all = readEntries({ resourceType: 'Bundle', entry: resources.map((resource) => ({ resource })) });
  const kept = all.filter(({ resource, at }) => {
    if (!REFUSED.has(resource.resourceType)) return true;
    notebook.find('resource.left-out', at, resource.resourceType);
    return false;
  });
  const metrics = kept.filter((entry) => isMetric(entry, mappings.uris.code));
  const others = kept.filter((entry) => !metrics.includes(entry));
  const nameOf = nameEntries(scene, 'custom', `${envelope.dataStructure} ${key}`, others);
  const ids = {
    exact: new Set<string>([envelope.userId]),
    within: [envelope.userId].filter((id) => id.length >= WITHIN_LENGTH_MIN),
  };
  const references = new Map(
    others.flatMap((entry) => entry.addresses.map((address) => [address, referenceTo(nameOf(entry).text)])),
  );
  for (const entry of metrics) {
    const name = nameOfMetric(scene, readMetric(entry.resource, entry.at, scene));
    for (const address of entry.addresses) references.set(address, referenceTo(name.text));
  }
  const follow = (reference: Part, scope: string): Part | null => {
    const known =
      typeof reference['reference'] === 'string' ? references.get(addressOf(reference['reference'], scope)) : undefined;
    if (known !== undefined) return { reference: known };
    return typeof reference['display'] === 'string' ? { display: reference['display'] } : null;
  };
  return [
    ...translateMetrics(
      scene,
      {
        kind: 'clinical_ready',
        bundle: { resourceType: 'Bundle', entry: metrics.map(({ resource }) => ({ resource })) },
        sources: [],
        at: '',
        isReady: true,
      },
      devices,
    ),
    ...others.map((entry) => {
      findModifiers(notebook, entry.at, entry.resource);
      judgeValues(scene, entry.at, entry.resource);
      const followed = mapReferences(entry.resource, (one) => follow(one, entry.scope)) as AnyResource;
      const resource = withoutSourceIds(followed, ids);
      return want(nameOf(entry), bind(scene, resource), { group: 'custom', chartDay: null });
    }),
  ];
}
