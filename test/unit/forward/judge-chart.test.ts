import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CONTENT_PARTS, NO_CONTENT, openFingerprints, type Fingerprint } from '../../../src/lanes/fingerprint.ts';
import { contentOf } from '../../../src/content/index.ts';
import { judgeChart, tookBackOurs, type ChartQuestion, type ChartVerdict } from '../../../src/forward/judge-chart.ts';

const KEY = 'a key';
const print = (value: number | null, more: object = {}): Fingerprint =>
  openFingerprints(KEY)(
    contentOf(
      {
        resourceType: 'Observation',
        status: 'final',
        ...(value === null ? {} : { valueQuantity: { value, code: 'kg' } }),
        ...more,
      },
      (reference) => reference,
    ),
  );
const WITHDRAWN = print(70.5, { status: 'entered-in-error', note: [{ text: 'Superseded' }] });

const SEEN = { seen: [...CONTENT_PARTS], changed: [] };
const standing = (fingerprint: Fingerprint, versionId: string | null, isWithdrawn = false) => ({
  fingerprint,
  versionId,
  isWithdrawn,
});
const known = (fingerprint: Fingerprint | null, versionId: string | null, isRetracted = false) => ({
  fingerprint,
  versionId,
  isRetracted,
});
const ask = (more: Partial<ChartQuestion>): ChartVerdict =>
  judgeChart({
    standing: standing(print(70.5), '2'),
    known: null,
    wanted: print(71.25),
    intents: [],
    habits: SEEN,
    ...more,
  });

describe('what stands in the chart is judged by content, status and version', () => {
  test.each<[string, Partial<ChartQuestion>, ChartVerdict]>([
    ['it says what is wanted', { standing: standing(print(71.25), '9') }, 'says-it'],
    ['the version that the EHR named to us', { known: known(print(70.5), '2') }, 'ours'],
    ['another version with our content, as after a rewrite by the server', { known: known(print(70.5), '1') }, 'ours'],
    ['another version with other content', { known: known(print(70), '1') }, 'foreign'],
    ['the next version with other content, whatever tags it carries', { known: known(print(71.25), '1') }, 'foreign'],
    [
      'a version that is no number, with other content',
      { standing: standing(print(70.5), 'f00d'), known: known(print(70), 'beef') },
      'foreign',
    ],
    [
      'what an attempt in doubt meant, under a new version',
      { known: known(print(70), '1'), intents: [print(70.5)] },
      'ours',
    ],
    [
      'a withdrawal that an attempt in doubt meant',
      { standing: standing(WITHDRAWN, '3', true), known: known(print(70.5), '2'), intents: ['withdraw'] },
      'ours',
    ],
    [
      'a withdrawal that nobody of us meant',
      { standing: standing(WITHDRAWN, '3', true), known: known(print(70.5), '2') },
      'foreign',
    ],
    [
      'what we took back ourselves',
      { standing: standing(WITHDRAWN, '3', true), known: known(WITHDRAWN, '3', true) },
      'ours',
    ],
    [
      'what we took back, without a version',
      { standing: standing(WITHDRAWN, null, true), known: known(WITHDRAWN, null, true) },
      'ours',
    ],
    [
      'what we took back and somebody said again',
      { standing: standing(print(70.5), '4'), known: known(WITHDRAWN, '3', true) },
      'foreign',
    ],
    ['unknown to the ledger, and never changed since it was made', { standing: standing(print(70.5), '1') }, 'ours'],
    ['unknown to the ledger, and changed', {}, 'foreign'],
    [
      'no versions, and our content',
      { standing: standing(print(70.5), null), known: known(print(70.5), null) },
      'ours',
    ],
    [
      'no versions, and other content',
      { standing: standing(print(70), null), known: known(print(70.5), null) },
      'foreign',
    ],
    [
      'a note of somebody on our value',
      { standing: standing(print(70.5, { note: [{ text: 'checked' }] }), '3'), known: known(print(70.5), '2') },
      'foreign',
    ],
    [
      'an interpretation that the EHR adds by itself',
      {
        standing: standing(print(70.5, { interpretation: [{ text: 'H' }] }), '3'),
        known: known(print(70.5), '2'),
        habits: { ...SEEN, changed: ['interpretation'] },
      },
      'ours',
    ],
    [
      'what is wanted and more, at an EHR of which nothing was seen',
      { standing: standing(print(71.25, { text: 'x', bodySite: { text: 'arm' } }), '3'), habits: null },
      'says-it-otherwise',
    ],
    [
      'a note of somebody at an EHR of which nothing was seen, on what we wrote last',
      {
        standing: standing(print(70.5, { note: [{ text: 'checked' }] }), '3'),
        known: known(print(70.5), '2'),
        habits: null,
      },
      'foreign',
    ],
    [
      'the version that we left, where only what the EHR changes by itself is to be changed',
      {
        standing: standing(print(70.5, { interpretation: [{ text: 'H' }] }), '2'),
        known: known(print(70.5, { interpretation: [{ text: 'H' }] }), '2'),
        wanted: print(70.5, { interpretation: [{ text: 'N' }] }),
        habits: { ...SEEN, changed: ['interpretation'] },
      },
      'ours',
    ],
    ['written before fingerprints were kept: by the version alone', { known: known(null, '2') }, 'ours'],
    ['written before fingerprints were kept, and another version', { known: known(null, '1') }, 'foreign'],
    [
      'to be withdrawn, and withdrawn',
      { standing: standing(WITHDRAWN, '9', true), known: known(print(70.5), '2'), wanted: 'withdraw' },
      'says-it',
    ],
    ['to be withdrawn, and said again since', { known: known(print(70.5), '2'), wanted: 'withdraw' }, 'ours'],
  ])('%s', (_name, more, expected) => {
    expect(ask(more)).toBe(expected);
  });

  test('no content that neither the ledger nor an attempt knows is ever written over, whatever its version is called', () => {
    const value = fc.integer({ min: 0, max: 5 });
    const version = fc.constantFrom(null, '2', '3', '4', 'f00d', 'beef');
    fc.assert(
      fc.property(
        value,
        version,
        value,
        version,
        fc.array(value),
        value,
        (now, nowVersion, before, knownVersion, meant, wanted) => {
          const verdict = ask({
            standing: standing(print(now), nowVersion),
            known: known(print(before), knownVersion),
            intents: meant.map((one) => print(one)),
            wanted: print(wanted),
          });
          const isKnown = now === before || meant.includes(now) || (nowVersion !== null && nowVersion === knownVersion);
          expect(verdict).toBe(now === wanted ? 'says-it' : isKnown ? 'ours' : 'foreign');
        },
      ),
    );
  });
});

test('every part of the content is told apart from every other', () => {
  const alike = Object.fromEntries(CONTENT_PARTS.map((part) => [part, 'the same words']));
  const parts = openFingerprints(KEY)(alike).match(/.{8}/g) ?? [];
  expect(new Set(parts).size).toBe(CONTENT_PARTS.length);
  expect(openFingerprints('another key')(alike)).not.toBe(openFingerprints(KEY)(alike));
});

test.each<[string, ReturnType<typeof known>, ReturnType<typeof standing>, ChartVerdict]>([
  ['neither has a version, and both stand', known(null, null), standing(print(70.5), null), 'ours'],
  ['neither has a version, and both are withdrawn', known(null, null, true), standing(WITHDRAWN, null, true), 'ours'],
  ['somebody withdrew it', known(null, null), standing(WITHDRAWN, null, true), 'foreign'],
  ['somebody said it again', known(null, null, true), standing(print(70.5), null), 'foreign'],
  ['the EHR names versions now', known(null, null), standing(print(70.5), '2'), 'foreign'],
  ['the EHR named one then', known(null, '1'), standing(print(70.5), null), 'foreign'],
])('of what was written before fingerprints were kept, where %s', (_name, before, now, verdict) => {
  expect(ask({ known: before, standing: now })).toBe(verdict);
});

describe('what an attempt took back, of which nobody heard', () => {
  const without = print(null, { status: 'corrected' });
  const took = ({ standing: stands = standing(WITHDRAWN, '3', true), ...more }: Partial<ChartQuestion>): boolean =>
    tookBackOurs(stands.fingerprint, {
      standing: stands,
      known: known(print(70.5), '1'),
      wanted: 'withdraw',
      intents: ['withdraw'],
      habits: SEEN,
      ...more,
    });

  test.each<[string, Partial<ChartQuestion>, boolean]>([
    ['as we wrote it is ours', {}, true],
    ['with another value is not', { known: known(print(71.25), '1') }, false],
    [
      'with a value that an attempt in doubt meant is ours',
      { known: known(print(71.25), '1'), intents: ['withdraw', print(70.5)] },
      true,
    ],
    [
      'with another value, at an EHR that changes values, is ours',
      { known: known(print(71.25), '1'), habits: { ...SEEN, changed: ['value'] } },
      true,
    ],
    ['without its value, as some EHRs want it, is ours', { standing: standing(without, '3', true) }, true],
    ['of which the ledger knew that it was not ours is not', { known: known(NO_CONTENT, null) }, false],
    ['of which nobody knows what was written is ours', { known: known(null, '1') }, true],
    ['where no attempt meant to is not', { intents: [] }, false],
  ])('%s', (_name, more, isOurs) => {
    expect(took(more)).toBe(isOurs);
  });
});
