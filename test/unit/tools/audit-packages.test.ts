import { expect, test } from '@jest/globals';
import { weighAudit } from '../../../tools/audit-packages.ts';

const report = (severity: string): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: { weak: { severity, via: [{ title: 'reads what it should not' }, 'other'] } },
  });

test.each<[string, string, object]>([
  ['a registry without a list', '{"message":"405 Method Not Allowed","error":{}}', { kind: 'not-run' }],
  ['a registry that does not answer', '', { kind: 'not-run' }],
  ['nothing known', '{"auditReportVersion":2,"vulnerabilities":{}}', { kind: 'looked-at', grave: [], others: 0 }],
  ['something moderate', report('moderate'), { kind: 'looked-at', grave: [], others: 1 }],
  [
    'something critical',
    report('critical'),
    { kind: 'looked-at', grave: ['weak: critical: reads what it should not; other'], others: 0 },
  ],
])('%s', (_name, printed, expected) => {
  expect(weighAudit(printed)).toEqual(expected);
});
