import type { AnyResource } from '../payloads/index.ts';
import { parseLossless } from '../r4/index.ts';
import type { Translation, Wanted } from '../translate/index.ts';
import { statementDigest } from './digest.ts';
import { openDocumentTexts } from './document-texts.ts';
import { addLines, readLines, type Finished, type Unfinished } from './finished-lines.ts';

/** The patient of the chart, whatever its address. */
export const THIS_PATIENT = 'this patient';

/** A translation without objects of FHIR, as plain data. What explains it stays behind. */
export interface FinishedTranslation extends Omit<
  Translation,
  'patient' | 'wanted' | 'provenance' | 'decisions' | 'findings' | 'trouble'
> {
  readonly patient: readonly [of: Unfinished, text: string];
  /** All that is wanted, and the Provenance at the end where there is one. */
  readonly lines: string;
  readonly hasProvenance: boolean;
}

/** Null where one of its resources cannot be finished: then all of it goes the long way. `key`: of the fingerprints. */
export function finishTranslation(translation: Translation, key: string): FinishedTranslation | null {
  const { patient, wanted, provenance, whose, leftOut, scopes, clearsAlertsOf } = translation;
  if (translation.trouble !== null) return null;
  const textsOf = openDocumentTexts(patient.reference, THIS_PATIENT, key);
  const lines: string[] = [];
  for (const one of provenance === null ? wanted : [...wanted, provenance]) {
    const { resource } = one;
    const texts = 'id' in resource ? null : textsOf(one);
    if (texts === null || addLines(lines, one, texts) === 'unwritable') return null;
  }
  const { resource, ...named } = patient;
  const text = JSON.stringify(resource);
  const hasProvenance = provenance !== null;
  return { whose, leftOut, scopes, clearsAlertsOf, patient: [named, text], lines: lines.join('\n'), hasProvenance };
}

/**
 * Where a wanted resource has what was worked out of it. A copy of it with another resource has it too, but is not the
 * one that it is `of`. A WeakMap took a fifth of the opening, and made the collection of garbage dearer.
 */
const FINISHED = Symbol('finished');
interface Opened extends Wanted {
  [FINISHED]?: { readonly of: Wanted; readonly finished: Finished };
}

/** What was worked out of a wanted resource, where something was. */
export function finishedOf(wanted: Wanted): Finished | null {
  const known = (wanted as Opened)[FINISHED];
  return known?.of === wanted ? known.finished : null;
}
/** Of what a document says in a resource. */
export const digestOf = (wanted: Wanted): string => finishedOf(wanted)?.digest ?? statementDigest(wanted);

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

/** The translation again. Its resources are built where somebody looks at them. */
export function openTranslation({ patient, lines, hasProvenance, ...rest }: FinishedTranslation): Translation {
  const [named, text] = patient;
  const wanted: Wanted[] = [];
  readLines(lines, (of, finished) => {
    const one: Opened = withText(of, () => finished.pieces.join(''));
    one[FINISHED] = { of: one, finished };
    wanted.push(one);
  });
  const provenance = hasProvenance ? (wanted.pop() ?? null) : null;
  return {
    ...rest,
    patient: withText(named, () => text),
    wanted,
    provenance,
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
