import type { Fingerprint, Said } from '../lanes/index.ts';
import { fingerprintOf } from '../lanes/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { parseLossless, rewriteReferences } from '../r4/index.ts';
import type { Translation, Wanted } from '../translate/index.ts';
import { contentOf } from './chart-content.ts';
import { saidIn, statementDigest } from './digest.ts';
import { labelsOf } from './labels.ts';

/** The patient of the chart, whatever its address. */
export const THIS_PATIENT = 'this patient';

/**
 * Whatever the way to the EHR needs of a wanted resource, worked out once: in plain texts, so that it can be made in a
 * thread, and nobody builds the resource as an object again.
 */
export interface Finished {
  readonly resourceType: string;
  readonly digest: string;
  readonly said: Said | null;
  /** By what apps may filter that it was written. */
  readonly labels: readonly string[];
  /** With the patient of its document as the patient of the chart. */
  readonly fingerprint: Fingerprint;
  /** Its JSON, cut at its references: text, reference, text, and so on, and a text at the end. */
  readonly pieces: readonly string[];
}

/** Names within the document itself: they mean the same at every EHR. */
const OWN = /^(?:urn:|#|$)/;
/** In JSON as it is. */
const PLAIN = /^[\w:./#-]*$/;
const REFERENCE = '"reference":"';

/** By its definition. */
function countReferences(resource: AnyResource): number {
  let count = 0;
  rewriteReferences(resource, () => {
    count += 1;
    return undefined;
  });
  return count;
}

/**
 * Null where a reference would have to be escaped, or where something else has its name: all that is found in the text
 * is a reference only if there are as many as the definitions find.
 */
function cut(resource: AnyResource): string[] | null {
  const text = JSON.stringify(resource);
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(REFERENCE); at >= 0; at = text.indexOf(REFERENCE, from)) {
    const begin = at + REFERENCE.length;
    const end = text.indexOf('"', begin);
    const reference = text.slice(begin, end);
    if (!PLAIN.test(reference)) return null;
    pieces.push(text.slice(from, begin), reference);
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.length === countReferences(resource) * 2 + 1 ? pieces : null;
}

/** Null where only the EHR's own address can tell what it says, or where it has an id already. */
function finishOne(wanted: Wanted, patient: string, key: string, shared: Map<string, string>): Finished | null {
  const { resource } = wanted;
  if ('id' in resource) return null;
  const foreign: string[] = [];
  const content = contentOf(resource, (reference) => {
    if (!OWN.test(reference)) foreign.push(reference);
    return reference === patient ? THIS_PATIENT : reference;
  });
  const pieces = foreign.length === 0 ? cut(resource) : null;
  if (pieces === null) return null;
  return {
    resourceType: resource.resourceType,
    digest: statementDigest(wanted),
    said: saidIn(resource),
    labels: labelsOf(resource),
    fingerprint: fingerprintOf(content, key, shared),
    pieces,
  };
}

type Unfinished = Omit<Wanted, 'resource'>;
type FinishedWanted = readonly [of: Unfinished, finished: Finished];

/** A translation without objects of FHIR, as plain data. What explains it stays behind. */
export interface FinishedTranslation extends Omit<
  Translation,
  'patient' | 'wanted' | 'provenance' | 'decisions' | 'findings' | 'trouble'
> {
  readonly patient: readonly [of: Unfinished, text: string];
  readonly wanted: readonly FinishedWanted[];
  readonly provenance: FinishedWanted | null;
}

/** Null where one of its resources cannot be finished: then all of it goes the long way. `key`: of the fingerprints. */
export function finishTranslation(translation: Translation, key: string): FinishedTranslation | null {
  const { patient, wanted, provenance, decisions: _decisions, findings: _findings, trouble, ...rest } = translation;
  if (trouble !== null) return null;
  const shared = new Map<string, string>();
  const finish = (one: Wanted): FinishedWanted | null => {
    const finished = finishOne(one, patient.reference, key, shared);
    const { resource: _resource, ...of } = one;
    return finished === null ? null : [of, finished];
  };
  const all: FinishedWanted[] = [];
  for (const one of wanted) {
    const finished = finish(one);
    if (finished === null) return null;
    all.push(finished);
  }
  const { resource, ...named } = patient;
  const told = provenance === null ? null : finish(provenance);
  if (provenance !== null && told === null) return null;
  return { ...rest, patient: [named, JSON.stringify(resource)], wanted: all, provenance: told };
}

const known = new WeakMap<Wanted, Finished>();
/** What was worked out of a wanted resource, where something was. */
export const finishedOf = (wanted: Wanted): Finished | null => known.get(wanted) ?? null;
/** Of what a document says in a resource. */
export const digestOf = (wanted: Wanted): string => known.get(wanted)?.digest ?? statementDigest(wanted);

function parse(text: string): AnyResource {
  const parsed = parseLossless(Buffer.from(text));
  if (!parsed.ok) throw new Error('a finished resource is not JSON');
  return parsed.value as AnyResource;
}

function withText(of: Unfinished, text: () => string): Wanted {
  let resource: AnyResource | null = null;
  return {
    ...of,
    get resource() {
      return (resource ??= parse(text()));
    },
  };
}

function open([of, finished]: FinishedWanted): Wanted {
  const wanted = withText(of, () => finished.pieces.join(''));
  known.set(wanted, finished);
  return wanted;
}

/** The translation again. Its resources are built where somebody looks at them. */
export function openTranslation({ patient, wanted, provenance, ...rest }: FinishedTranslation): Translation {
  const [named, text] = patient;
  return {
    ...rest,
    patient: withText(named, () => text),
    wanted: wanted.map(open),
    provenance: provenance === null ? null : open(provenance),
    decisions: [],
    findings: [],
    trouble: null,
  };
}

/** With the references that have an address by now; the others stay. */
export function textWith({ pieces }: Finished, addressOf: (reference: string) => string | undefined): string {
  let text = pieces[0] ?? '';
  for (let i = 1; i + 1 < pieces.length; i += 2) {
    const reference = pieces[i] ?? '';
    const address = addressOf(reference);
    text += (address === undefined ? reference : JSON.stringify(address).slice(1, -1)) + (pieces[i + 1] ?? '');
  }
  return text;
}

/** Whatever it refers to. */
export const referencesIn = ({ pieces }: Finished): readonly string[] => pieces.filter((_, i) => i % 2 === 1);
