import { expect, test } from '@jest/globals';
import { FAULT_CODES, HANDLING, fault } from '../../../src/kernel/index.ts';

test('every code has a kind of the table, and keeps it', () => {
  for (const [code, kind] of Object.entries(FAULT_CODES)) {
    expect(Object.keys(HANDLING)).toContain(kind);
    expect(fault(code as 'store.full').kind).toBe(kind);
  }
});

test.each(Object.entries(HANDLING))('what a caller reads of %s is one or two whole sentences', (_kind, { text }) => {
  expect(text).toMatch(/^[A-Z].*\.$/);
});

test('what is answered as a matter of time is tried again later', () => {
  for (const [kind, { status, retry }] of Object.entries(HANDLING))
    if (kind === 'not-configured') expect(retry).toBe('after-a-person');
    else if (status === 503 || status === 504 || status === 429) expect(retry).toBe('later');
});
