import { describe, expect, test } from '@jest/globals';
import { checkRecord } from '../../../src/audit/check-record.ts';
import type { StoredRecord } from '../../../src/audit/commands.ts';
import { Flawed } from '../../../src/audit/flaw.ts';
import { extendChain, leafOf, linkOf } from '../../../src/audit/record.ts';
import { aDraft, memoryVault } from '../../support/memory-audit.ts';

const PREVIOUS = Buffer.alloc(32, 4);
const written = (seq = 3, chain = 'a.0'): StoredRecord => extendChain(memoryVault, chain, seq, PREVIOUS, aDraft(1));
/** As whoever knows the rules would write it: leaf and link are those of the text. */
const fitting = (record: string): StoredRecord => {
  const leaf = leafOf(record);
  return { ...written(), record, leaf, link: linkOf(PREVIOUS, leaf) };
};
const exported = (one: StoredRecord): StoredRecord => ({ ...one, leaf: null, columns: null });

function flawOf(stored: StoredRecord): string {
  try {
    return checkRecord('a.0', 3, PREVIOUS, stored).toString('hex');
  } catch (thrown) {
    if (!(thrown instanceof Flawed)) throw thrown;
    expect([thrown.flaw.chain, thrown.flaw.seq]).toEqual(['a.0', 3]);
    return thrown.flaw.what;
  }
}

test('a record as it was written is sound, in the store and in an export, and its leaf is told', () => {
  const leaf = leafOf(written().record).toString('hex');
  expect([flawOf(written()), flawOf(exported(written()))]).toEqual([leaf, leaf]);
});

describe('what is wrong with a record', () => {
  const { record, columns } = written();
  const told = JSON.parse(record) as object;
  test.each<[string, StoredRecord, string]>([
    ['one behind it is in its place', written(4), 'record-missing'],
    ['one before it is in its place', written(2), 'record-moved'],
    ['another text', { ...written(), record: record.replace('req_1', 'req_2') }, 'record-changed'],
    [
      'another text in an export',
      exported({ ...written(), record: record.replace('req_1', 'req_2') }),
      'record-changed',
    ],
    ['another leaf', { ...written(), leaf: Buffer.alloc(32, 1) }, 'record-changed'],
    ['another link', { ...written(), link: Buffer.alloc(32, 1) }, 'link-broken'],
    ['a text that is no JSON, all else fitting', fitting('{'), 'record-changed'],
    ['one of another chain, all else fitting', fitting(JSON.stringify({ ...told, chain: 'b.0' })), 'record-moved'],
    ['one of another place, all else fitting', fitting(JSON.stringify({ ...told, seq: 4 })), 'record-moved'],
    [
      'another column',
      { ...written(), columns: columns === null ? null : { ...columns, client: 'other' } },
      'columns-changed',
    ],
    [
      'another time in a column',
      { ...written(), columns: columns === null ? null : { ...columns, atMs: 0 } },
      'columns-changed',
    ],
  ])('%s', (_name, stored, expected) => {
    expect(flawOf(stored)).toBe(expected);
  });
});
