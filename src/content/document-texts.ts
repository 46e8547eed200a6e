import { hash } from 'node:crypto';
import { canonicalJson, flatText, quote } from '../kernel/index.ts';
import { NO_CONTENT, openFingerprints } from '../lanes/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { rewriteReferences } from '../r4/index.ts';
import { isSharedElement, meaningOfText, meaningText, type Wanted } from '../translate/index.ts';
import {
  conceptText,
  contentPartsOf,
  countText,
  elementText,
  periodText,
  plainText,
  timeText,
  type ContentTexts,
} from './chart-content.ts';
import {
  cutAtReferences,
  identifierTextsOf,
  otherOf,
  quantityTextsOf,
  sharedTextsOf,
  type ElementTexts,
} from './element-texts.ts';
import type { Finished } from './finished-lines.ts';
import { labelsOf } from './labels.ts';
import { planOf, type ResourcePlan } from './resource-plan.ts';

/** Names within the document itself: they mean the same at every EHR. */
const OWN = /^(?:urn:|#|$)/;

/** Elements that resources of one document share as one object. */
const OF_DOCUMENT: ReadonlySet<string> = new Set(['subject', 'performer', 'device', 'effectivePeriod']);

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
 * JSON of a resource, or of the element that is all of it, behind `head`. Null where a reference would have to be escaped,
 * or where something else has its name: all that is found in the text is a reference only if there are as many as the
 * definitions find.
 */
function piecesOf(head: string, json: string, resource: AnyResource): readonly string[] | null {
  const pieces = cutAtReferences(flatText(head, json));
  if (pieces === null || pieces.length === 1) return pieces;
  return pieces.length === countReferences(resource) * 2 + 1 ? pieces : null;
}

const elementPieces = (type: string, name: string, head: string, element: unknown): readonly string[] | null =>
  piecesOf(head, JSON.stringify(element), { resourceType: type, [name]: element });

const concepts = new WeakMap<object, string>();
/** Remembered of concepts that stand in very many resources. */
function sharedConceptText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return conceptText(value);
  const found = concepts.get(value);
  if (found !== undefined) return found;
  const text = conceptText(value);
  if (isSharedElement(value)) concepts.set(value, flatText(text, ''));
  return text;
}

/** Remembers by the given, while a document is read. */
function remember<K>(make: (value: K) => string): (value: K) => string {
  const known = new Map<K, string>();
  return (value) => {
    const found = known.get(value);
    if (found !== undefined) return found;
    const made = make(value);
    known.set(value, made);
    return made;
  };
}

/**
 * Reads the resources of one document, each in one walk: its digest, its statement, its fingerprint and its JSON are put
 * together from texts of its elements, and those of elements that it shares with others are there already.
 */
export function openDocumentTexts(patient: string, thisPatient: string, key: string) {
  let isForeign = false;
  const fingerprintOf = openFingerprints(key);
  const resolve = (reference: string): string => {
    if (reference === patient) return thisPatient;
    if (!OWN.test(reference)) isForeign = true;
    return reference;
  };
  /** Of the resource that is read. */
  let plan: ResourcePlan;
  const ofDocument = new Map<unknown, { readonly type: string; readonly texts: ElementTexts }>();

  /** Null where the same object stands elsewhere as well, where the definitions may see no reference in it. */
  function documentTextsOf(name: string, element: object, at: number): ElementTexts | null {
    const { type, heads, isOther } = plan;
    const head = heads[at] ?? '';
    const found = ofDocument.get(element);
    if (found !== undefined) return found.type === type && found.texts.name === name ? found.texts : null;
    const texts = {
      name,
      canonical: flatText(head, canonicalJson(element)),
      meaning: flatText(head, meaningText(element)),
      other: isOther[at] === true ? otherOf(name, plainText(element, resolve)) : '',
      pieces: elementPieces(type, name, head, element),
    };
    ofDocument.set(element, { type, texts });
    return texts;
  }

  /** Of the elements of the resource that is read, by their places; empty where there is none. Used for each again. */
  const canonicals: string[] = [];
  const meanings: string[] = [];
  const others: string[] = [];

  function knownTextsOf(name: string, element: object, at: number): ElementTexts | null {
    const shared = sharedTextsOf(name, element);
    if (shared !== null) return shared;
    if (name === 'valueQuantity') return quantityTextsOf(element as Readonly<Record<string, unknown>>);
    if (name === 'identifier') return identifierTextsOf(element);
    return OF_DOCUMENT.has(name) ? documentTextsOf(name, element, at) : null;
  }

  /** Writes the texts of one element, and answers its pieces. */
  function readElement(i: number, name: string, element: unknown): readonly string[] | null {
    const head = plan.heads[i] ?? '';
    const isOther = plan.isOther[i] === true;
    const isCounted = plan.isCounted[i] === true;
    if (typeof element === 'string') {
      const quoted = quote(element);
      const text = head + quoted;
      canonicals[i] = text;
      meanings[i] = text;
      others[i] = isOther ? otherOf(name, isCounted ? countText(element) : quoted) : '';
      return [text];
    }
    const texts = typeof element === 'object' && element !== null ? knownTextsOf(name, element, i) : null;
    if (texts !== null) {
      canonicals[i] = texts.canonical;
      meanings[i] = texts.meaning;
      others[i] = isCounted ? otherOf(name, countText(element)) : texts.other;
      return texts.pieces;
    }
    canonicals[i] = head + canonicalJson(element);
    meanings[i] = plan.isTelling[i] === true ? head + meaningText(element) : '';
    others[i] = isOther ? otherOf(name, elementText(name, element, resolve)) : '';
    return elementPieces(plan.type, name, head, element);
  }

  /** Writes the texts of every element, and answers the pieces of the whole. */
  function readElements(resource: AnyResource): string[] | null {
    const { names } = plan;
    const pieces: string[] = [];
    let run: string[] = [];
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i] ?? '';
      const element = resource[name];
      if (element === undefined) {
        canonicals[i] = '';
        meanings[i] = '';
        others[i] = '';
        continue;
      }
      const own = readElement(i, name, element);
      if (own === null) return null;
      run.push(own[0] ?? '');
      for (let at = 1; at < own.length; at += 2) {
        pieces.push(run.join(), own[at] ?? '');
        run = [own[at + 1] ?? ''];
      }
    }
    pieces.push(`${run.join()}}`);
    pieces[0] = `{${pieces[0] ?? ''}`;
    return pieces;
  }

  /** An object of some of the elements, by their sorted names. */
  function sortedObject(texts: readonly string[], isIn: readonly boolean[] | null): string {
    const run: string[] = [];
    for (const i of plan.sorted) {
      const text = texts[i] ?? '';
      if (text !== '' && (isIn === null || isIn[i] === true)) run.push(text);
    }
    run[0] = `{${run[0] ?? ''}`;
    run.push(`${run.pop() ?? ''}}`);
    return run.join();
  }

  const braced = remember((text: string) => flatText('{', text, '}'));
  const contentTexts: ContentTexts = {
    resolve,
    concept: sharedConceptText,
    time: remember(timeText),
    period: remember(periodText),
    other() {
      const run: string[] = [];
      for (const i of plan.sorted) {
        const text = others[i] ?? '';
        if (text !== '' && plan.isOther[i] === true) run.push(text);
      }
      if (run.length === 0) return '';
      return braced(run.length === 1 ? (run[0] ?? '') : run.join());
    },
  };

  /** Null where only the EHR's own address can tell what it says, or where its references cannot be cut out. */
  function finish({ resource, assumed }: Wanted): Finished | null {
    plan = planOf(resource);
    const pieces = readElements(resource);
    if (pieces === null) return null;
    const fingerprint = fingerprintOf(contentPartsOf(resource, contentTexts));
    if (isForeign) return null;
    // What was only assumed is no part of the statement.
    if (assumed !== undefined && assumed in resource) canonicals[plan.names.indexOf(assumed)] = '';
    const meaning = plan.hasMeaning ? meaningOfText(sortedObject(meanings, plan.isTelling)) : null;
    return {
      resourceType: plan.type,
      labels: labelsOf(resource),
      digest: hash('sha256', sortedObject(canonicals, null)),
      said: meaning === null ? null : { status: String(resource['status']), meaning },
      fingerprint,
      pieces,
    };
  }

  /** Of a Provenance: the ledger does not hold it, so that nobody asks what it says. */
  function finishProvenance({ resource, name }: Wanted): Finished | null {
    const pieces = piecesOf('', JSON.stringify(resource), resource);
    return (
      pieces && { resourceType: 'Provenance', labels: [], digest: name, said: null, fingerprint: NO_CONTENT, pieces }
    );
  }

  return (one: Wanted): Finished | null =>
    one.resource.resourceType === 'Provenance' ? finishProvenance(one) : finish(one);
}
