import { describe, expect, test } from '@jest/globals';
import type { Verdict } from '../../../src/ehr/index.ts';
import { fault, type FaultCode } from '../../../src/kernel/index.ts';
import { afterFault, decideOutcome } from '../../../src/forward/decide-outcome.ts';

const PAST = { attempts: 0, fewInARow: 0, sinceFirstMs: 0, spread: 0 };
const of = (code: FaultCode) => fault(code);
const after = (verdict: Exclude<Verdict, { kind: 'ok' }>, past = PAST) =>
  decideOutcome({ kind: 'verdict', verdict }, past);
const later = { kind: 'retry-later', afterMs: null, patience: 'long', effect: 'none', fault: of('ehr.busy') } as const;

describe('what becomes of a job', () => {
  test.each<[string, Exclude<Verdict, { kind: 'ok' }>, object]>([
    ['that found the EHR busy', later, { kind: 'retry', afterMs: 1_000 }],
    ['that the EHR told when to come', { ...later, afterMs: 90_000 }, { kind: 'retry', afterMs: 90_000 }],
    ['that found the EHR paused', { ...later, fault: of('ehr.paused') }, { kind: 'put-back', afterMs: 1_000 }],
    [
      'that was told how long the EHR is paused',
      { ...later, afterMs: 90_000, fault: of('ehr.paused') },
      { kind: 'put-back', afterMs: 90_000 },
    ],
    ['that may have been done', { ...later, effect: 'unknown' }, { kind: 'unknown' }],
    ['that got no answer', { kind: 'ambiguous', fault: of('ehr.timeout') }, { kind: 'unknown' }],
    [
      'that was ended before it was sent',
      { kind: 'abandoned', effect: 'none', fault: of('ehr.abandoned') },
      { kind: 'retry' },
    ],
    [
      'that was ended while it was sent',
      { kind: 'abandoned', effect: 'unknown', fault: of('ehr.abandoned') },
      { kind: 'unknown' },
    ],
    ['without credentials', { kind: 'auth', fault: of('ehr.unauthorized') }, { kind: 'retry' }],
    ['at a wrong address', { kind: 'misconfigured', fault: of('ehr.redirected') }, { kind: 'retry' }],
    [
      'that met another write',
      { kind: 'conflict', because: 'concurrency', fault: of('ehr.conflict') },
      { kind: 'retry' },
    ],
    [
      'on another version',
      { kind: 'conflict', because: 'version', fault: of('ehr.conflict') },
      { kind: 'park', reason: 'conflict' },
    ],
    ['on what was removed', { kind: 'gone', fault: of('ehr.gone') }, { kind: 'park', reason: 'conflict' }],
    ['on several', { kind: 'several', fault: of('ehr.several') }, { kind: 'park', reason: 'ambiguous' }],
    ['that was refused', { kind: 'rejected', fault: of('ehr.rejected') }, { kind: 'park', reason: 'rejected' }],
    [
      'that is too large alone',
      { kind: 'too-large', fault: of('ehr.too-large') },
      { kind: 'park', reason: 'rejected' },
    ],
  ])('%s', (_, verdict, outcome) => {
    expect(after(verdict)).toMatchObject(outcome);
  });

  test('that has been tried for seven days, or ten times where more is pointless, is for a person', () => {
    expect(after(later, { ...PAST, sinceFirstMs: 7 * 86_400_000 })).toEqual({
      kind: 'park',
      reason: 'exhausted',
      faultCode: 'ehr.busy',
    });
    const few = { ...later, patience: 'few' } as const;
    expect(after(few, { ...PAST, attempts: 9, fewInARow: 9 })).toMatchObject({ kind: 'park', reason: 'exhausted' });
    expect(after(few, { ...PAST, attempts: 400, fewInARow: 8 })).toMatchObject({ kind: 'retry', patience: 'few' });
  });
});

test.each<[FaultCode, object]>([
  ['patient.none', { kind: 'park', reason: 'patient' }],
  ['patient.merged', { kind: 'park', reason: 'patient' }],
  ['ehr.timeout', { kind: 'retry' }],
  ['ehr.unauthorized', { kind: 'retry' }],
  ['ehr.rejected', { kind: 'retry' }],
  ['ehr.paused', { kind: 'put-back', afterMs: 1_000 }],
  ['ehr.gone', { kind: 'park', reason: 'rejected' }],
])('a patient that could not be looked up (%s)', (code, outcome) => {
  expect(afterFault(fault(code), PAST)).toMatchObject(outcome);
});
