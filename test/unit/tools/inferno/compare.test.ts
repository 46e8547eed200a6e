import { describe, expect, test } from '@jest/globals';
import { findLost, judgeRuns, tally, type Compared } from '../../../../tools/inferno/compare.ts';
import { EXPECTED, type Expected } from '../../../../tools/inferno/expected.ts';
import { PLAN } from '../../../../tools/inferno/plan.ts';
import type { Finished, Outcome, TestResult } from '../../../../tools/inferno/test-result.ts';

const aTest = (id: string, outcome: Outcome): TestResult => ({ id, outcome, isOptional: false, message: `of ${id}` });
const aRun = (outcomes: Readonly<Record<string, Outcome>>, stopped: string | null = null): Finished => ({
  session: 's',
  tests: Object.entries(outcomes).map(([id, outcome]) => aTest(id, outcome)),
  stopped,
  seconds: 1,
});
const compared = (gateway: Finished, ehr: Finished | null = null): Compared => ({
  name: 'US Core 6.1.0',
  gateway,
  ehr,
});
const idsOf = (found: readonly { readonly test: string }[]): string[] => found.map(({ test: id }) => id);

test('what is omitted counts nowhere; what was cancelled or still waits has failed', () => {
  const { tests } = aRun({ a: 'pass', b: 'fail', c: 'error', d: 'skip', e: 'omit', f: 'cancel', g: 'wait' });
  expect(tally(tests)).toEqual({ pass: 1, fail: 4, skip: 1 });
});

describe('lost', () => {
  test('is what passes at the EHR itself, and fails, is skipped, omitted or not even run through the gateway', () => {
    const ehr = aRun({ a: 'pass', b: 'pass', c: 'pass', d: 'pass', e: 'pass' });
    const gateway = aRun({ a: 'pass', b: 'fail', c: 'skip', d: 'omit' });
    expect(findLost(ehr.tests, gateway.tests).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['b', 'fail'],
      ['c', 'skip'],
      ['d', 'omit'],
      ['e', 'cancel'],
    ]);
  });

  test('is not what the EHR itself does not pass, nor what only the gateway passes', () => {
    const ehr = aRun({ a: 'fail', b: 'skip' });
    expect(findLost(ehr.tests, aRun({ a: 'fail', b: 'pass', c: 'pass' }).tests)).toEqual([]);
  });
});

describe('the verdict', () => {
  test('counts a test that is both failed and lost once', () => {
    const { unexpected } = judgeRuns([compared(aRun({ a: 'fail', b: 'fail' }), aRun({ a: 'pass', b: 'fail' }))], []);
    expect(unexpected.map(({ kind, test: id }) => [kind, id])).toEqual([
      ['failed', 'b'],
      ['lost', 'a'],
    ]);
  });

  test('minds no skipped test where the EHR was not asked', () => {
    expect(judgeRuns([compared(aRun({ a: 'pass', b: 'skip' }))], []).unexpected).toEqual([]);
  });

  const list: readonly Expected[] = [
    { run: 'US Core', test: '-read', reason: 'nobody reads it', of: 'gateway' },
    { run: 'US Core', test: '-search', reason: 'nobody searches it', of: 'gateway' },
    { run: 'Bulk', test: '-export', reason: 'not run here', of: 'gateway' },
  ];

  test('takes what the list expects by the beginning of the run and the end of the test, and names the reason', () => {
    const verdict = judgeRuns([compared(aRun({ 'x-read': 'fail', 'x-reads': 'fail' }))], list);
    expect(idsOf(verdict.unexpected)).toEqual(['x-reads']);
    expect(verdict.expected.map(({ test: id, reason }) => [id, reason])).toEqual([['x-read', 'nobody reads it']]);
  });

  test('what fails for want of data may fail, is not missed where it does not, and may never be lost', () => {
    const data: readonly Expected[] = [{ run: 'US Core', test: '-read', reason: 'nobody has one', of: 'data' }];
    const both = aRun({ 'x-read': 'fail' });
    expect(judgeRuns([compared(both, both)], data).unexpected).toEqual([]);
    expect(judgeRuns([compared(aRun({ 'x-read': 'pass' }))], data).unneeded).toEqual([]);
    const lost = judgeRuns([compared(both, aRun({ 'x-read': 'pass' }))], data);
    expect(lost.unexpected.map(({ kind }) => kind)).toEqual(['lost']);
  });

  test('tells of entries that nothing was found for, if the run they are about took place', () => {
    const { unneeded } = judgeRuns([compared(aRun({ 'x-read': 'fail' }))], list);
    expect(idsOf(unneeded)).toEqual(['-search']);
  });

  test('expects no run that stopped, whatever the list says, at the gateway or at the EHR', () => {
    const any: readonly Expected[] = [{ run: '', test: '', reason: 'anything', of: 'gateway' }];
    const runs = [compared(aRun({}, 'no Inferno')), compared(aRun({}), aRun({}, 'no EHR'))];
    expect(judgeRuns(runs, any).unexpected.map(({ kind, message }) => [kind, message])).toEqual([
      ['stopped', 'no Inferno'],
      ['stopped', 'no EHR'],
    ]);
  });
});

test('every entry of the list is about a run that exists, names a test and says why', () => {
  for (const { run, test: id, reason } of EXPECTED) {
    expect([run, PLAN.some(({ name }) => name.startsWith(run))]).toEqual([run, true]);
    expect([id, id.length > 0, reason.length > 20]).toEqual([id, true, true]);
  }
});

test('no two runs have the same name', () => {
  expect(new Set(PLAN.map(({ name }) => name)).size).toBe(PLAN.length);
});
