import { contentOf, THIS_PATIENT } from '../content/index.ts';
import { readLocation, type AddressGuard } from '../ehr/index.ts';
import { openFingerprints, type ChartContent, type Fingerprint } from '../lanes/index.ts';

/**
 * Reads what resources say: those of a document, whose references are still to be resolved, and those that the EHR
 * shows.
 */
export interface ContentReader {
  contentOf(resource: Readonly<Record<string, unknown>>): ChartContent;
  fingerprintOf(resource: Readonly<Record<string, unknown>>): Fingerprint;
  /**
   * As it was when one of these, who were merged since, was the patient of the chart; null where it is about none of
   * them.
   */
  formerFingerprintOf(resource: Readonly<Record<string, unknown>>, merged: readonly string[]): Fingerprint | null;
}

const ABSOLUTE = /^https?:\/\/.*\/([A-Z][A-Za-z]+\/[A-Za-z0-9.-]+(?:\/_history\/[A-Za-z0-9.-]+)?)$/;

export function makeContentReader(deps: {
  readonly guard: AddressGuard;
  readonly key: string;
  /** The patient of the chart: how a document refers to it, and its address; null: whomever a resource is about. */
  readonly patient: { readonly urn: string; readonly reference: string } | null;
}): ContentReader {
  const { guard, key, patient } = deps;
  /**
   * `Practitioner/1`, whether it is written so, with a version, or as an address of the EHR, by whatever name it calls
   * itself.
   */
  function local(reference: string): string {
    // Names of what a document brings along: no address, and most of what is asked for.
    if (reference.startsWith('urn:')) return reference;
    const below = ABSOLUTE.exec(reference)?.[1];
    const located = readLocation(guard, reference) ?? (below === undefined ? null : readLocation(guard, below));
    return located === null ? reference : `${located.type}/${located.id}`;
  }

  function subjectOf(resource: Readonly<Record<string, unknown>>): string | null {
    const subject = (resource['subject'] ?? resource['patient']) as { reference?: unknown } | undefined;
    return typeof subject?.reference === 'string' ? local(subject.reference) : null;
  }

  /**
   * The patient of the chart is `this patient`, also after a merge, when the EHR has moved what we wrote to another
   * record.
   */
  function resolverFor(resource: Readonly<Record<string, unknown>>): (reference: string) => string {
    const own = patient?.reference ?? subjectOf(resource);
    return (reference) => {
      const name = local(reference);
      return name === own || (patient !== null && reference === patient.urn) ? THIS_PATIENT : name;
    };
  }

  const printOf = openFingerprints(key);
  /** A resource is asked about several times on its way: what it means to do, what it did, what the EHR makes of it. */
  const read = new WeakMap<object, { readonly content: ChartContent; readonly fingerprint: Fingerprint }>();
  function of(resource: Readonly<Record<string, unknown>>): {
    readonly content: ChartContent;
    readonly fingerprint: Fingerprint;
  } {
    const known = read.get(resource);
    if (known !== undefined) return known;
    const content = contentOf(resource, resolverFor(resource));
    const made = { content, fingerprint: printOf(content) };
    read.set(resource, made);
    return made;
  }
  return {
    contentOf: (resource) => of(resource).content,
    fingerprintOf: (resource) => of(resource).fingerprint,
    formerFingerprintOf(resource, merged) {
      if (patient === null || merged.length === 0) return null;
      const former = merged.find((reference) => reference === subjectOf(resource));
      if (former === undefined) return null;
      return makeContentReader({ guard, key, patient: { ...patient, reference: former } }).fingerprintOf(resource);
    },
  };
}
