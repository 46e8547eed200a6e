import { expect, test } from '@jest/globals';
import { readIssues, type Exchange } from '../../../src/ehr/index.ts';

const answered = (value: unknown, status = 422): Exchange => ({
  kind: 'answered',
  status,
  headers: {},
  body: { kind: 'json', value },
  bytes: new Uint8Array(),
});
const outcome = (...issue: readonly unknown[]) => ({ resourceType: 'OperationOutcome', issue });
const error = (more: object) => ({ severity: 'error', code: 'value', diagnostics: 'Jane Roe has no weight', ...more });

test('an OperationOutcome gives the codes and paths of what it calls wrong, and none of its texts', () => {
  const value = outcome(
    error({ expression: ['Bundle.entry[3].resource.valueQuantity', 'Bundle'] }),
    error({ code: 'required', location: ['Observation.value[x]'] }),
    { severity: 'information', code: 'informational' },
    { severity: 'fatal', code: 'exception', details: { text: 'Jane Roe' } },
  );
  expect(readIssues(answered(value))).toEqual([
    { code: 'value', at: 'Bundle.entry[3].resource.valueQuantity' },
    { code: 'required', at: 'Observation.value[x]' },
    { code: 'exception', at: null },
  ]);
});

test.each([
  ["Patient.name.where(family = 'Roe')"],
  ['Jane.Roe'],
  ['Patient/pat-1'],
  ['Patient.Roe'],
  ['f:Patient/f:name[1]'],
  [`Observation.${'a'.repeat(300)}`],
  [42],
])('a path that could say something of a patient is left out: %s', (expression) => {
  expect(readIssues(answered(outcome(error({ expression: [expression] }))))).toEqual([{ code: 'value', at: null }]);
});

test('a code that is not of the standard is left out', () => {
  expect(readIssues(answered(outcome(error({ code: 'roe-jane' }), error({ code: 7 }), null)))).toEqual([]);
});

test('entries of a Bundle tell theirs, with the place of the entry', () => {
  const value = {
    resourceType: 'Bundle',
    type: 'batch-response',
    entry: [
      { response: { status: '201' } },
      { response: { status: '422', outcome: outcome(error({})) } },
      { response: { status: '200', outcome: outcome({ severity: 'information', code: 'informational' }) } },
      null,
    ],
  };
  expect(readIssues(answered(value, 200))).toEqual([{ code: 'value', at: 'Bundle.entry[1]' }]);
});

test('what was not answered, or by nothing that can be read, tells nothing', () => {
  expect(readIssues(null)).toEqual([]);
  expect(readIssues({ kind: 'unanswered', because: 'timeout', sent: 'something' })).toEqual([]);
  expect(readIssues(answered(null))).toEqual([]);
  expect(readIssues(answered(outcome(...Array.from({ length: 30 }, () => error({})))))).toHaveLength(10);
});
