import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hash } from 'node:crypto';
import { contentOf, finishedOf, finishTranslation, openTranslation, THIS_PATIENT } from '../../../src/content/index.ts';
import { canonicalJson } from '../../../src/kernel/index.ts';
import { CONTENT_PARTS } from '../../../src/lanes/index.ts';
import type { AnyResource } from '../../../src/payloads/index.ts';
import { rewriteReferences } from '../../../src/r4/index.ts';
import type { Translation, Wanted } from '../../../src/translate/index.ts';
import {
  aClinicalReady,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  type Json,
} from '../../support/payloads/index.ts';
import { everything, translated } from '../../support/translated.ts';
import { aDocument } from '../translate/arbitrary.ts';

const KEY = 'a key';
const sha256 = (text: string): string => hash('sha256', text);

type Part = Readonly<Record<string, unknown>>;
const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('rawJSON' in value);

/** What is written of a resource, each by its definition and by a walk of its own. */
function plainly({ resource, assumed }: Wanted, patient: string) {
  const foreign: string[] = [];
  const content = contentOf(resource, (reference) => {
    if (!/^(?:urn:|#|$)/.test(reference)) foreign.push(reference);
    return reference === patient ? THIS_PATIENT : reference;
  });
  const json = JSON.stringify(resource);
  const pieces = json.split(/(?<="reference":")([^"]*)(?=")/);
  let references = 0;
  rewriteReferences(resource, () => {
    references += 1;
    return undefined;
  });
  const isCut =
    pieces.length === references * 2 + 1 && pieces.every((one, i) => i % 2 === 0 || /^[\w:./#-]*$/.test(one));
  if ('id' in resource || foreign.length > 0 || !isCut) return null;
  return {
    resourceType: resource.resourceType,
    digest: sha256(canonicalJson(Object.fromEntries(Object.entries(resource).filter(([name]) => name !== assumed)))),
    said: plainStatement(resource),
    labels: ['code', 'category']
      .flatMap((name) => codingsOf(resource[name]).map((coding) => `${name}=${coding}`))
      .slice(0, 20),
    fingerprint: CONTENT_PARTS.map((part) => {
      const text = content[part];
      return text === undefined ? '00000000' : sha256(`${KEY}\n${part}\n${text}`).slice(0, 8);
    }).join(''),
    pieces,
  };
}

const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
const codingsOf = (concepts: unknown): string[] =>
  listed(concepts)
    .flatMap((concept) => listed((concept as Part | null)?.['coding']))
    .flatMap((coding) => {
      const { system, code } = (coding ?? {}) as Part;
      return typeof code === 'string' ? [`${typeof system === 'string' ? system : ''}|${code}`] : [];
    });

const TELLING: Readonly<Record<string, RegExp>> = {
  Observation:
    /^_?(?:code|effective[A-Z]\w*|value[A-Z]\w*|dataAbsentReason|interpretation|referenceRange|component|specimen|method|bodySite|hasMember)$/,
  DiagnosticReport: /^_?(?:code|effective[A-Z]\w*|result|conclusion|conclusionCode|specimen)$/,
};

/** Without displays, and without texts and units beside codes. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (!isPart(value)) return value;
  const isCoded =
    Array.isArray(value['coding']) || (typeof value['code'] === 'string' && typeof value['system'] === 'string');
  const stays = (name: string): boolean => name !== 'display' && !(isCoded && (name === 'text' || name === 'unit'));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => stays(name))
      .map(([name, part]) => [name, withoutWords(part)]),
  );
}

function plainStatement(resource: AnyResource) {
  const telling = TELLING[resource.resourceType];
  if (telling === undefined) return null;
  const said = Object.fromEntries(Object.entries(resource).filter(([name]) => telling.test(name)));
  return {
    status: String(resource['status']),
    meaning: sha256(canonicalJson(withoutWords(said))).slice(0, 32),
  };
}

function expectPlain(translation: Translation): void {
  const finished = finishTranslation(translation, KEY);
  const expected = translation.wanted.map((one) => plainly(one, translation.patient.reference));
  if (finished === null) {
    expect(expected).toContain(null);
    return;
  }
  const opened = openTranslation(structuredClone(finished));
  expect(opened.wanted.map(finishedOf)).toEqual(expected);
  const withoutResource = (one: Wanted): unknown =>
    Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'resource'));
  expect(everything(opened).map(withoutResource)).toEqual(everything(translation).map(withoutResource));
}

test.each<[string, Json]>([
  ['a clinical document', aClinicalReady()],
  ['an alert', anAlertEvent()],
  ['a day of alerts', anAlertSummary()],
  ['a step count', aStepsEvent()],
  ['a profile', aUserProfile()],
  ['a laboratory result', aLabResult()],
])('the one walk over %s writes what walks of their own write', (_, payload) => {
  const translation = translated(payload);
  expect(finishTranslation(translation, KEY)).not.toBeNull();
  expectPlain(translation);
  // What was remembered of the first is used for the second.
  expectPlain(translated(payload));
});

test('the same of any clinical document', () => {
  fc.assert(
    fc.property(aDocument, (payload) => {
      const translation = translated(payload, { unmapped: 'leave-out' });
      fc.pre(translation.trouble === null);
      expectPlain(translation);
    }),
    { numRuns: 60 },
  );
});

test('the same of any resource, with elements of the translation among its own', () => {
  const base = translated(aClinicalReady());
  const made = base.wanted.map(({ resource }) => resource);
  const text = fc.oneof(fc.constantFrom('final', 'urn:x', 'a"b', 'Patient/1', 'reference', 'kg'), fc.string());
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom('70.10', '1e3').map(raw),
  );
  const quantity = fc.record({ value: number, unit: text, system: text, code: text }, { noNullPrototype: true });
  const concept = fc.record(
    { coding: fc.array(fc.record({ system: text, code: text, display: text })), text },
    { noNullPrototype: true },
  );
  const reference = fc.record(
    { reference: fc.oneof(text, fc.constant(base.patient.reference)) },
    { noNullPrototype: true },
  );
  const any = fc.oneof(quantity, concept, reference, fc.array(reference), fc.array(concept), text, fc.jsonValue());
  const names = [
    ...['status', 'code', 'category', 'subject', 'performer', 'device', 'valueQuantity', 'effectivePeriod', 'result'],
    ...['effectiveDateTime', 'hasMember', 'derivedFrom', 'note', 'issued', 'component', 'extension', 'interpretation'],
    ...['meta', 'text', 'identifier', 'method', 'conclusion', 'valueString', '_status', 'odd"name', '__proto__'],
  ];
  const given = fc.tuple(
    fc.constantFrom('Observation', 'DiagnosticReport', 'Device', 'Patient'),
    fc.dictionary(fc.constantFrom(...names), any, { noNullPrototype: true }),
    fc.constantFrom(...made),
    fc.subarray(Object.keys(made[0] ?? {})),
    fc.boolean(),
  );
  const resources = given.map(([resourceType, own, from, taken, isLast]): AnyResource => {
    const elements = Object.fromEntries(taken.map((name) => [name, from[name]]));
    return isLast ? { ...elements, ...own, resourceType } : { resourceType, ...own, ...elements };
  });
  fc.assert(
    fc.property(fc.array(resources, { minLength: 1, maxLength: 3 }), fc.boolean(), (all, isAssumed) => {
      const wanted = all.map((resource, i): Wanted => ({
        ...(base.wanted[i] as Wanted),
        resource,
        ...(isAssumed ? { assumed: 'issued' } : {}),
      }));
      expectPlain({ ...base, wanted });
    }),
    { numRuns: 400 },
  );
});

const raw = (digits: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);

test('what has a line end in a code is not written in lines', () => {
  const base = translated(anAlertEvent());
  const wanted = base.wanted.map((one) => ({
    ...one,
    resource: { ...one.resource, category: [{ coding: [{ code: 'a\nb' }] }] },
  }));
  expect(finishTranslation({ ...base, wanted }, KEY)).toBeNull();
});

test('a copy with another resource has nothing of the finished one', () => {
  const finished = finishTranslation(translated(anAlertEvent()), KEY);
  if (finished === null) throw new Error('it was not finished');
  const [first] = openTranslation(finished).wanted;
  if (first === undefined) throw new Error('nothing is wanted');
  expect(finishedOf(first)).not.toBeNull();
  expect(finishedOf({ ...first })).toBeNull();
  expect({ ...first }.resource).toEqual(first.resource);
});
