import { canonicalJson } from '../../kernel/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import type { Element } from '../observation.ts';
import { judgeBirth, judgeTimes } from '../judge-time.ts';
import { nameIn, want, type Scene } from '../scene.ts';
import { effectiveOf, type Times } from '../times.ts';
import { referenceTo } from '../name.ts';
import type { DeliveryFacts, Wanted } from '../translation.ts';
import { mapReferences } from './map-references.ts';
import { WITHIN_LENGTH_MIN, withoutSourceIds, type SourceIds } from '../without-source-ids.ts';
import { findModifiers } from '../find-modifiers.ts';
import { byAddress, keyOfContent, nameEntries } from './name-entries.ts';
import { addressOf, readEntries, type LabEntry } from './read-entries.ts';
import {
  documentOf,
  translateDocument,
  translateOrganization,
  translateReport,
  translateSpecimen,
} from './translate-report.ts';
import { namesSpecimen, specimenName } from './specimen.ts';
import { nameOfCode, translateResult } from './translate-result.ts';
import { listOf, partOf, textOf, wordOf, type Part } from '../parts.ts';

const KEPT = new Set(['Organization', 'Specimen', 'Observation', 'DiagnosticReport', 'DocumentReference']);
const PLACE = { group: 'lab', chartDay: null } as const;

/** Every address in the result that means the patient. */
const patientAddresses = (entries: readonly LabEntry[]): ReadonlySet<string> =>
  new Set(
    entries.flatMap(({ resource, addresses, scope }) => {
      if (resource.resourceType === 'Patient') return addresses;
      const { reference } = (resource['subject'] ?? {}) as { reference?: unknown };
      return typeof reference === 'string' ? [addressOf(reference, scope)] : [];
    }),
  );

const effectiveIn = (resource: AnyResource | undefined): Element => {
  for (const name of ['effectiveDateTime', 'effectivePeriod', 'effectiveInstant', 'effectiveTiming'])
    if (resource?.[name] !== undefined) return { [name]: resource[name] };
  return {};
};

const collectedAt = (specimen: AnyResource | undefined): Element => {
  const { collectedDateTime, collectedPeriod } = partOf(specimen?.['collection']);
  if (typeof collectedDateTime === 'string') return { effectiveDateTime: collectedDateTime };
  return collectedPeriod === undefined ? {} : { effectivePeriod: collectedPeriod };
};

/** The one of these times that is said, where all that say one say the same. */
function onlyOne(times: readonly Element[]): Element {
  const said = new Map(times.filter((one) => Object.keys(one).length > 0).map((one) => [canonicalJson(one), one]));
  const [only] = said.values();
  return said.size === 1 && only !== undefined ? only : {};
}

/**
 * When the sample of an entry was taken, where it does not say so itself: by its specimen, its report, or all that say
 * anything.
 */
function makeSampledAt(kept: readonly LabEntry[]): (entry: LabEntry) => Element {
  const at = byAddress(kept);
  const linked = (references: unknown, scope: string): AnyResource[] =>
    (Array.isArray(references) ? listOf(references) : [partOf(references)]).flatMap(
      ({ reference }) => at.get(addressOf(wordOf(reference), scope))?.resource ?? [],
    );
  const reports = kept.filter(({ resource }) => resource.resourceType === 'DiagnosticReport');
  const ownTime = (resource: AnyResource): Element => {
    const effective = effectiveIn(resource);
    return Object.keys(effective).length > 0 || resource.resourceType !== 'Specimen'
      ? effective
      : collectedAt(resource);
  };
  const overall = onlyOne(kept.map(({ resource }) => ownTime(resource)));
  return ({ resource, scope }) => {
    const listing = reports.filter((report) => linked(report.resource['result'], report.scope).includes(resource));
    for (const times of [
      linked(resource['specimen'], scope).map(collectedAt),
      listing.map((report) => effectiveIn(report.resource)),
      linked(resource['result'], scope).map(ownTime),
    ]) {
      const one = onlyOne(times);
      if (Object.keys(one).length > 0) return one;
    }
    return overall;
  };
}

/** Results that nothing refers to, though a report should. */
function unnamedResults(entries: readonly LabEntry[]): LabEntry[] {
  const named = new Set<string>();
  for (const { resource, scope } of entries)
    for (const list of [resource['result'], resource['hasMember']])
      for (const { reference } of listOf(list))
        if (typeof reference === 'string') named.add(addressOf(reference, scope));
  return entries.filter(
    ({ resource, addresses }) =>
      resource.resourceType === 'Observation' && !addresses.some((address) => named.has(address)),
  );
}

/**
 * A laboratory result in FHIR: its reports, results, specimens, organizations and original document, each under its
 * name, for the linked patient. Whatever else the source put beside them stays behind. Results without a report get
 * none: a report says that a laboratory issued it, under a code and at a time that nobody has told us, and would look
 * as if it were complete.
 */
export function translateLab(
  scene: Scene,
  root: AnyResource,
  documentId: string | null,
  delivery: DeliveryFacts,
): Wanted[] {
  const all = readEntries(root);
  const patients = patientAddresses(all);
  const kept = all.filter(({ resource }) => KEPT.has(resource.resourceType));
  for (const { resource, at } of all)
    if (!KEPT.has(resource.resourceType) && resource.resourceType !== 'Patient')
      scene.notebook.find('resource.left-out', at, resource.resourceType);
  const leftOut = new Set(all.filter((entry) => !kept.includes(entry)).flatMap(({ addresses }) => addresses));
  const document = documentId ?? keyOfContent(kept);
  const nameOf = nameEntries(scene, 'lab', document, kept);
  const references = new Map(
    kept.flatMap((entry) => entry.addresses.map((address) => [address, referenceTo(nameOf(entry).text)])),
  );
  const when = makeSampledAt(kept);
  const reports = kept.filter(({ resource }) => resource.resourceType === 'DiagnosticReport');
  const unnamed =
    reports.length === 1 ? unnamedResults(kept).map((entry) => ({ reference: referenceTo(nameOf(entry).text) })) : [];

  /** To what is written with it; to the patient; else in words only. */
  function follow(reference: Part, scope: string, place: string): Part | null {
    const address = typeof reference['reference'] === 'string' ? addressOf(reference['reference'], scope) : null;
    const known = address === null ? undefined : references.get(address);
    if (known !== undefined) return { reference: known };
    if (address !== null && patients.has(address)) return scene.subject;
    const { display } = reference;
    if (typeof display === 'string' && display !== '') return { display };
    if (address !== null && !leftOut.has(address)) scene.notebook.find('reference.dangling', place);
    return null;
  }

  const at = byAddress(kept);
  const specimenNames = (references: unknown, scope: string): string[] =>
    (Array.isArray(references) ? listOf(references) : [partOf(references)]).flatMap(({ reference, display }) => {
      const found = at.get(addressOf(wordOf(reference), scope));
      const name = found === undefined ? wordOf(display) : specimenName(found.resource['type']);
      return name === '' ? [] : [name];
    });
  /** What a result was measured on: by its own specimen; else by the one of its report, unless its name says it. */
  function specimenOf({ resource, scope }: LabEntry): string {
    const [own] = specimenNames(resource['specimen'], scope);
    if (own !== undefined) return own;
    if (namesSpecimen(nameOfCode(resource['code']))) return '';
    const ofReports = new Set(reports.flatMap((report) => specimenNames(report.resource['specimen'], report.scope)));
    const [only] = ofReports;
    return ofReports.size === 1 && only !== undefined ? only : '';
  }
  const sourceIds = sourceIdsOf(scene, all);
  const birthDate = textOf(all.find(({ resource }) => resource.resourceType === 'Patient')?.resource['birthDate']);

  function translateOne(entry: LabEntry): AnyResource {
    const { at: place, resource, scope } = entry;
    findModifiers(scene.notebook, place, resource);
    judgeEntryTimes(scene, entry, effectiveOf({ ...when(entry), ...effectiveIn(resource) }), birthDate);
    const followed = mapReferences(resource, (one) => follow(one, scope, place)) as AnyResource;
    const given = withoutSourceIds(followed, sourceIds);
    switch (resource.resourceType) {
      case 'Observation':
        return translateResult(scene, { at: place, given, effective: when(entry), specimen: specimenOf(entry) });
      case 'DiagnosticReport':
        return translateReport(scene, { at: place, given, documentId, delivery, effective: when(entry), unnamed });
      case 'Specimen':
        return translateSpecimen(scene, place, given);
      case 'Organization':
        return translateOrganization(given);
      default:
        return translateDocument(scene, given, documentId);
    }
  }

  const wanted = kept.map((entry): Wanted => {
    const isShared = entry.resource.resourceType === 'Organization';
    const mark = scene.notebook.mark();
    const made = want(
      nameOf(entry),
      translateOne(entry),
      isShared ? { group: 'support', chartDay: null, write: 'if-absent' } : PLACE,
    );
    const isAssumed = entry.resource.resourceType === 'DiagnosticReport' && entry.resource['issued'] === undefined;
    if (isAssumed) return { ...made, assumed: 'issued' };
    // Only a result can wait by itself: the report over it says that it is missing.
    const why = entry.resource.resourceType === 'Observation' ? scene.notebook.heldSince(mark) : null;
    return why === null ? made : { ...made, waits: { at: entry.at, why } };
  });
  return wanted.flatMap((one) => withOriginals(scene, one, document, documentId));
}

/** When a sample was taken, a test done or a report made. */
function judgeEntryTimes(
  scene: Scene,
  { at, resource }: LabEntry,
  effective: Times | null,
  birthDate: string | null,
): void {
  const times = resource.resourceType === 'Specimen' ? effectiveOf(collectedAt(resource)) : effective;
  judgeTimes(scene, at, times);
  if (resource.resourceType !== 'Organization') judgeBirth(scene, at, times, birthDate);
  const issued = textOf(resource['issued']);
  if (issued !== null) judgeTimes(scene, at, { start: issued, end: issued });
}

/** The forms of a report become documents of their own, where the EHR takes documents. */
function withOriginals(scene: Scene, wanted: Wanted, document: string, documentId: string | null): Wanted[] {
  const { types } = scene.setting.dialect;
  const forms = listOf(wanted.resource['presentedForm']);
  if (wanted.resource.resourceType !== 'DiagnosticReport' || forms.length === 0) return [wanted];
  if (types !== null && !types.includes('DocumentReference')) return [wanted];
  const { presentedForm: _forms, ...report } = wanted.resource;
  return [
    { ...wanted, resource: report },
    ...forms.map((form, i) =>
      want(
        nameIn(scene, 'lab', document, 'original', wanted.name, String(i)),
        documentOf(scene, wanted.resource, form, documentId, wanted.reference),
        PLACE,
      ),
    ),
  ];
}

/** What the source calls the patient: its user id, and the ids of the Patient inside. */
function sourceIdsOf({ envelope }: Scene, all: readonly LabEntry[]): SourceIds {
  const exact = new Set<string>([envelope.userId]);
  for (const { resource } of all) {
    if (resource.resourceType !== 'Patient') continue;
    for (const one of [resource['id'], ...listOf(resource['identifier']).map(({ value }) => value)])
      if (typeof one === 'string') exact.add(one);
  }
  return { exact, within: [...exact].filter((one) => one.length >= WITHIN_LENGTH_MIN) };
}
