import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeSearchValue } from '../../../src/ehr/index.ts';
import { isMrn, readLinkRows, writeCsv } from '../../../src/identity/index.ts';
import { decideChange, type LiveLink } from '../../../src/identity/decide-change.ts';
import { parseCsv } from '../../../src/identity/parse-csv.ts';

const LIMITS = { recordsMax: 100, mistakesMax: 100 };
const recordsOf = async (text: string) => {
  const parsed = await parseCsv(text, LIMITS);
  if (parsed.kind !== 'records') throw new Error(parsed.kind);
  return parsed.records;
};

describe('a value in a FHIR search', () => {
  /** As a server reads it: a backslash takes the next character as it is, the others divide. */
  function readAsServer(value: string): string[] {
    const parts: string[] = [];
    let part = '';
    for (let i = 0; i < value.length; i += 1) {
      const char = value.charAt(i);
      if (char === '\\') {
        i += 1;
        part += value.charAt(i);
      } else if ([',', '|', '$'].includes(char)) {
        parts.push(part);
        part = '';
      } else part += char;
    }
    return [...parts, part];
  }

  test('is read back as one value, whatever it holds', () => {
    const odd = fc.string({ unit: fc.constantFrom('\\', ',', '|', '$', 'a', '0', ' ', 'é') });
    fc.assert(
      fc.property(fc.oneof(odd, fc.string()), (value) =>
        expect(readAsServer(escapeSearchValue(value))).toEqual([value]),
      ),
    );
  });
  test('without these four characters is as it was', () => {
    fc.assert(fc.property(fc.string(), (value) => /[\\,|$]/.test(value) || escapeSearchValue(value) === value));
  });
});

test.each([
  ['0012', true],
  ['aB-1/2', true],
  ['1 2', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  [' 1', false],
  ['1 ', false],
  ['1\n2', false],
  ['1\u00002', false],
  ['\u00a01', false],
])('an MRN: %j %s', (mrn, expected) => expect(isMrn(mrn)).toBe(expected));

describe('what becomes of the links of a user', () => {
  const status = fc.constantFrom('proposed' as const, 'confirmed' as const);
  const live = fc
    .array(fc.record({ status, isWanted: fc.boolean() }), { maxLength: 5 })
    .map((all) =>
      all.filter((one, i) => one.status === 'proposed' || all.findIndex((other) => other.status === 'confirmed') === i),
    )
    .map((all) => all.filter((one, i) => !one.isWanted || all.findIndex((other) => other.isWanted) === i))
    .map((all): LiveLink[] => all.map((one, i) => ({ ...one, seq: i + 1 })));

  test('after any change at most one is confirmed, and after a confirmation it is the wanted one alone', () => {
    fc.assert(
      fc.property(live, status, (links, wanted) => {
        const { change, take, revoke } = decideChange(links, wanted);
        const after = links
          .filter(({ seq }) => !revoke.includes(seq))
          .map((one) => (one.seq === take && change !== 'unchanged' ? { ...one, status: wanted } : one));
        if (take === null) after.push({ seq: 99, status: wanted, isWanted: true });
        expect(after.filter((one) => one.status === 'confirmed').length).toBeLessThanOrEqual(1);
        if (wanted === 'confirmed' && change !== 'unchanged')
          expect(after).toMatchObject([{ status: 'confirmed', isWanted: true }]);
        expect(after.some(({ isWanted }) => isWanted)).toBe(true);
      }),
    );
  });
  test('asking twice is asking once', () => {
    fc.assert(
      fc.property(live, status, (links, wanted) => {
        const { take, revoke, change } = decideChange(links, wanted);
        const after: LiveLink[] = links
          .filter(({ seq }) => !revoke.includes(seq))
          .map((one) => (one.seq === take && change !== 'unchanged' ? { ...one, status: wanted } : one));
        if (take === null) after.push({ seq: 99, status: wanted, isWanted: true });
        expect(decideChange(after, wanted).change).toBe('unchanged');
      }),
    );
  });
});

describe('CSV', () => {
  test('that was written is read back, whatever the cells hold', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '1') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), async (all, withMark) => {
        const text = `${withMark ? '\uFEFF' : ''}${writeCsv(all)}`;
        expect((await recordsOf(text)).map((one) => (one.kind === 'cells' ? one.cells : one.kind))).toEqual(all);
      }),
    );
  });
  test('any text at all ends, and every record has a line that is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r') }), async (text) => {
        const lines = text.split('\n').length;
        let last = 0;
        for (const { line } of await recordsOf(text)) {
          expect(line).toBeGreaterThan(last);
          expect(line).toBeLessThanOrEqual(lines);
          last = line;
        }
      }),
    );
  });
  test.each<[string, unknown]>([
    [
      'user_id,mrn\r\nu1,1\r\n',
      { rows: [{ line: 2, user: 'u1', mrn: '1', client: null, status: 'confirmed', evidence: null }], bad: [] },
    ],
    [
      '\uFEFFmrn,evidence,user_id,status,client_uuid\n"0,1","said ""yes""",u1,proposed,c',
      { rows: [{ line: 2, user: 'u1', mrn: '0,1', client: 'c', status: 'proposed', evidence: 'said "yes"' }], bad: [] },
    ],
    [
      'user_id,mrn,status\nu1\n,1,\nu2, 1,\nu3,1,maybe\nu"4,1,\n\nu5,"1\n2",\nu6,1,\nu6,2,\nu7,"1,',
      {
        rows: [],
        bad: [
          { line: 2, code: 'row.columns' },
          { line: 3, code: 'row.user-id' },
          { line: 4, code: 'row.mrn' },
          { line: 5, code: 'row.status' },
          { line: 6, code: 'row.quotes' },
          { line: 8, code: 'row.mrn' },
          { line: 10, code: 'row.repeated' },
          { line: 11, code: 'row.repeated' },
          { line: 12, code: 'row.quotes' },
        ],
      },
    ],
  ])('of links: %j', async (text, expected) =>
    expect(await readLinkRows(text, 'own')).toEqual({ ok: true, value: expected }),
  );
  test.each(['', 'u1,1', 'user_id\nu1', 'user_id,mrn,mrn\n', 'user_id,mrn,name\n', '"user_id,mrn\n'])(
    'without a sound head is refused: %j',
    async (text) => expect(await readLinkRows(text, 'own')).toMatchObject({ ok: false, fault: { code: 'links.csv' } }),
  );
  test('without a client of its own or ours a row is bad', async () => {
    expect(await readLinkRows('user_id,mrn,client_uuid\nu1,1,\nu2,1,c\n', null)).toMatchObject({
      value: { rows: [{ user: 'u2' }], bad: [{ line: 2, code: 'row.client' }] },
    });
  });
  test.each<[string, unknown]>([
    [
      '\uFEFF\r\n\na,"x\r\ny"\r\n\r\nb',
      [
        [3, ['a', 'x\r\ny']],
        [6, ['b']],
      ],
    ],
    [
      '"a""b",\n"é",\r',
      [
        [1, ['a"b', '']],
        [2, ['é', '\r']],
      ],
    ],
    [
      'a\n"b"c\nd"\n"e',
      [
        [1, ['a']],
        [2, 'quotes'],
        [3, 'quotes'],
        [4, 'quotes'],
      ],
    ],
    [
      '""\n"never\nclosed',
      [
        [1, ['']],
        [2, 'quotes'],
        [3, ['closed']],
      ],
    ],
  ])('names the line that each record begins in: %j', async (text, expected) =>
    expect((await recordsOf(text)).map((one) => [one.line, one.kind === 'cells' ? one.cells : one.kind])).toEqual(
      expected,
    ),
  );
  test('a quote that is closed far behind hides none of the rows between', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => `u${i},${i}\n`).join('');
    expect(await readLinkRows(`user_id,mrn\nbad,"1\n${rows}last,"x"\n`, 'own')).toMatchObject({
      value: { rows: { length: 5_001 }, bad: [{ line: 2, code: 'row.quotes' }] },
    });
  });
  test('with more than a thousand mistakes it is given up, and the line is named', async () => {
    expect(await readLinkRows(`user_id,mrn\n${'u"1,1\n'.repeat(1_001)}`, 'own')).toMatchObject({
      fault: { code: 'links.csv', at: 'line 1002' },
    });
  });
  test('more rows than the limit are refused', async () => {
    expect(await readLinkRows(`user_id,mrn\n${'u,1\n'.repeat(100_001)}`, 'own')).toMatchObject({
      fault: { code: 'links.too-many' },
    });
  });
});
