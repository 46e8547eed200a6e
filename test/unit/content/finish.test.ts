import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { digestOf, finishedOf, finishTranslation, openTranslation, saidIn } from '../../../src/content/index.ts';
import type { WritePlan } from '../../../src/ehr/index.ts';
import { makeContentReader } from '../../../src/forward/content-reader.ts';
import { beginWrite } from '../../../src/forward/next-write.ts';
import { planFrom } from '../../../src/forward/plan-job.ts';
import type { Translation, Wanted } from '../../../src/translate/index.ts';
import {
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  type Json,
} from '../../support/payloads/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { settingOf } from '../../support/translate-steps.ts';
import { everything, translated } from '../../support/translated.ts';
import { aPlan, GUARD, someFacts } from '../../support/write-facts.ts';
import { aDocument } from '../translate/arbitrary.ts';

const KEY = 'a key';
const bytesOf = ({ resource }: Wanted): string => JSON.stringify(resource);

/** As it comes out of a thread. */
const opened = (translation: Translation): Translation | null => {
  const finished = finishTranslation(translation, KEY);
  return finished === null ? null : openTranslation(structuredClone(finished));
};

const readerOf = ({ patient }: Translation) =>
  makeContentReader({ guard: GUARD, key: KEY, patient: { urn: patient.reference, reference: 'Patient/1' } });

/** The first request that the translation leads to, and what the ledger would be told after it. */
function requestOf(translation: Translation, plan: WritePlan, removed: readonly string[]): unknown {
  const { dialect } = settingOf(standardMappings());
  const { items } = planFrom({ translation, saidAt: 1 }, [], dialect, 0, []).planned;
  const patient = { urn: translation.patient.reference, reference: 'Patient/1', via: [] };
  const facts = someFacts(items, { plan, removed, patient, provenance: translation.provenance });
  const { act } = beginWrite(facts, 'known');
  if (act.kind !== 'send') return act.kind;
  const { request } = act;
  return request.kind === 'bundle' ? request.entries.map(({ text }) => text) : JSON.stringify(request.resource);
}

const types = (translation: Translation, identity: 'put-by-id' | 'conditional-update' | 'search-then-write') =>
  Object.fromEntries(
    [...translation.wanted.map(({ resource }) => resource.resourceType), 'Provenance'].map((type) => [
      type,
      { identity, change: 'update', ifMatch: 'supported', searchBy: 'post' } as const,
    ]),
  );

function expectSame(translation: Translation): void {
  const again = opened(translation);
  expect(again).not.toBeNull();
  if (again === null) return;
  const reader = readerOf(translation);
  const pairs: (readonly [Wanted, Wanted | undefined])[] = translation.wanted.map((one, i) => [one, again.wanted[i]]);
  for (const [one, other] of pairs) {
    const finished = other === undefined ? null : finishedOf(other);
    expect(finished?.digest).toBe(digestOf(one));
    expect(finished?.said).toEqual(saidIn(one.resource));
    expect(finished?.fingerprint).toBe(reader.fingerprintOf(one.resource));
  }
  for (const identity of ['put-by-id', 'conditional-update', 'search-then-write'] as const)
    for (const bundle of ['transaction', 'batch', 'none'] as const)
      for (const removed of [[], translation.wanted.slice(0, 1).map(({ reference }) => reference)]) {
        const plan = aPlan({
          bundle,
          references: bundle === 'transaction' ? 'in-bundle' : 'by-address',
          provenance: 'yes',
          types: types(translation, identity),
        });
        const sameAs = requestOf(translation, plan, removed);
        expect(requestOf(again, plan, removed)).toEqual(sameAs);
      }
  expect(everything(again).map(bytesOf)).toEqual(everything(translation).map(bytesOf));
}

describe('a finished translation leads to the same bytes, digests, statements and fingerprints', () => {
  test('of any clinical_ready document', () => {
    fc.assert(
      fc.property(aDocument, (payload) => {
        const translation = translated(payload, { unmapped: 'leave-out' });
        fc.pre(translation.trouble === null);
        expectSame(translation);
      }),
      { numRuns: 40 },
    );
  });

  test.each<[string, Json]>([
    ['an alert', anAlertEvent()],
    ['a day of alerts', anAlertSummary()],
    ['a step count', aStepsEvent()],
    ['a profile', aUserProfile()],
    ['a laboratory result', aLabResult()],
  ])('of %s', (_, payload) => {
    const translation = translated(payload);
    expect(translation.trouble).toBeNull();
    expectSame(translation);
  });
});

describe('what is not finished goes the long way', () => {
  const base = translated(anAlertEvent());
  const withResource = (more: object): Translation => ({
    ...base,
    wanted: base.wanted.map((one) => ({ ...one, resource: { ...one.resource, ...more } })),
  });
  test.each<[string, Translation]>([
    ['what refers to an address', withResource({ performer: [{ reference: 'Practitioner/7' }] })],
    ['what refers by a text that JSON would escape', withResource({ performer: [{ reference: 'urn:"x' }] })],
    [
      'what has a text of that name which is no reference',
      withResource({ extension: [{ url: 'urn:x', valueExpression: { language: 'text/cql', reference: 'urn:y' } }] }),
    ],
    ['what has an id', withResource({ id: 'a' })],
    ['what a person must look at', { ...base, trouble: 'unmapped' }],
  ])('%s', (_, translation) => {
    expect(finishTranslation(translation, KEY)).toBeNull();
  });
});

test('what looks like a reference inside a text is none', () => {
  const base = translated(anAlertEvent());
  const [first, ...others] = base.wanted;
  if (first === undefined) throw new Error('nothing is wanted');
  const note = [{ text: `"reference":"${base.patient.reference}"` }];
  const translation = { ...base, wanted: [{ ...first, resource: { ...first.resource, note } }, ...others] };
  expectSame(translation);
});
