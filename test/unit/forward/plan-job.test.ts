import { expect, test } from '@jest/globals';
import { planFrom } from '../../../src/forward/plan-job.ts';
import { aLabResult } from '../../support/payloads/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { settingOf } from '../../support/translate-steps.ts';
import { translated } from '../../support/translated.ts';

const REASONS = ['suspicious', 'identity', 'ambiguous'] as const;
const { dialect } = settingOf(standardMappings());
const planOf = (labs: object, approved: readonly string[]) =>
  planFrom({ translation: translated(aLabResult(labs)), saidAt: 0 }, [], dialect, 0, approved).planned;

test.each(REASONS)('who approves a plan that is %s approves it for no other reason, and no other plan', (reason) => {
  const approved = [planOf({}, []).digest(reason)];
  const again = planOf({}, approved);
  expect(REASONS.filter((one) => again.isApproved(one))).toEqual([reason]);
  expect(REASONS.filter((one) => planOf({ documentId: 'another' }, approved).isApproved(one))).toEqual([]);
});
