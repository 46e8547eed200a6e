import { expect, test } from '@jest/globals';
import { CSV_HEAD, toCsvLine } from '../../../src/audit/to-csv.ts';
import type { AuditRecord } from '../../../src/audit/index.ts';

const RECORD: AuditRecord = {
  v: 1,
  chain: 'c1',
  seq: 7,
  at: '2026-01-02T03:04:05.000Z',
  type: 'admin',
  tenant: 'default',
  requestId: 'req_1',
  action: 'R',
  outcome: '0',
  sealed: 'c2VhbGVk',
};
const cells = (record: AuditRecord): Readonly<Record<string, string>> => {
  const names = CSV_HEAD.trimEnd().split(',');
  const values = toCsvLine(record).trimEnd().split(',');
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
};

test('a line has a cell for each column, and nothing that was sealed', () => {
  expect(cells({ ...RECORD, roles: ['engineer', 'auditor'], count: 3 })).toMatchObject({
    at: '2026-01-02T03:04:05.000Z',
    roles: 'engineer auditor',
    count: '3',
    actor: '',
    seq: '7',
  });
  expect(toCsvLine(RECORD)).not.toContain('c2VhbGVk');
  expect(toCsvLine(RECORD).split(',')).toHaveLength(CSV_HEAD.split(',').length);
});

test('every step that a record names is in its cell', () => {
  const steps = [
    { from: 'sending', to: 'unknown', why: 'lease-lost' },
    { from: 'unknown', to: 'queued' },
  ];
  expect(cells({ ...RECORD, steps })['steps']).toBe('sending>unknown:lease-lost unknown>queued');
});

test.each([
  ['a "quoted" reason, with a comma', '"a ""quoted"" reason, with a comma"'],
  ['=1+1', "'=1+1"],
  ['@sum', "'@sum"],
  ['-1,2', '"\'-1,2"'],
])('%s is written so that a spreadsheet shows it as text', (reason, written) => {
  expect(toCsvLine({ ...RECORD, reason })).toContain(`,${written},`);
});
