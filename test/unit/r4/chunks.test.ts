import { describe, expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { aClinicalBundle } from '../../support/clinical-bundle.ts';

const validator = loadValidator();
const bundle = aClinicalBundle(3_000);
const text = JSON.stringify(bundle);

const questionnaire = JSON.stringify({
  resourceType: 'Questionnaire',
  status: 'draft',
  item: Array.from({ length: 8_000 }, (_, i) => ({
    linkId: `q${i}`,
    text: `Frage ${i}: wie geht es Ihnen über den Tag?`,
    type: 'decimal',
    initial: [{ valueDecimal: i / 8 }],
  })),
}).replaceAll('.5}', '.50}');

describe('in chunks', () => {
  test.each([
    ['a bundle', text],
    ['a questionnaire with kept digits', questionnaire],
    ['a wrapped bundle', JSON.stringify({ data: { inner: [{ bundle }] } })],
    ['a repeated key', text.replace('"id":"obs-2000"', '"id":"obs-2000","id":"x"')],
    ['a broken text', text.slice(0, -1)],
    ['a comma too many', text.replace('},{"fullUrl"', '},,{"fullUrl"')],
    ['something small', '{"resourceType":"Patient"}'],
    ['a byte order mark', `\ufeff${text}`],
    ['nothing', ''],
    ['findings', text.replace('"id":"obs-2000"', '"id":"obs 2000"').replace('"status":"final"', '"status":"x"')],
  ])('%s is judged as in one go', async (_, input) => {
    const whole = validator.checkText(input);
    const chunked = await validator.checkInChunks(Buffer.from(input));
    expect(chunked.kind).toBe(whole.kind);
    const sorted = (issues: typeof whole.issues) => issues.map((i) => `${i.rule} ${i.expression}`).sort();
    expect(sorted(chunked.issues)).toEqual(sorted(whole.issues));
    if (whole.kind === 'read' && chunked.kind === 'read')
      expect([JSON.stringify(chunked.value), chunked.hasMark]).toEqual([JSON.stringify(whole.value), whole.hasMark]);
    if (whole.kind === 'unreadable' && chunked.kind === 'unreadable')
      expect(chunked.fault.offset).toBe(whole.fault.offset);
  });

  test('limits hold', async () => {
    expect((await validator.checkInChunks('['.repeat(200_000))).issues[0]?.rule).toBe('json-depth');
    expect((await validator.checkInChunks(text, { bytesMax: 10 })).issues[0]?.rule).toBe('json-size');
    expect((await validator.checkInChunks(text, { tokensMax: 1_000 })).issues[0]?.rule).toBe('json-tokens');
  });

  test('others get their turn while 5 MB are judged', async () => {
    const large = Buffer.from(JSON.stringify(aClinicalBundle(8_000)));
    expect(large.length).toBeGreaterThan(5_000_000);
    await validator.checkInChunks(large);
    let turns = 0;
    let isRunning = true;
    const tick = (): void => {
      turns++;
      if (isRunning) setImmediate(tick);
    };
    setImmediate(tick);
    const checked = await validator.checkInChunks(large);
    isRunning = false;
    expect(checked).toMatchObject({ kind: 'read', issues: [] });
    // The longest block itself is a figure of the bench: a shared machine cannot promise milliseconds here.
    expect(turns).toBeGreaterThan(4);
  });
});

describe('elsewhere', () => {
  const nested = JSON.stringify({
    resourceType: 'Questionnaire',
    status: 'draft',
    item: [{ linkId: 'g', type: 'group', item: (JSON.parse(questionnaire) as { item: unknown[] }).item }],
  });

  test.each([
    ['a bundle', text],
    ['one large item', nested],
    ['a repeated key', text.replace('"id":"obs-2000"', '"id":"obs-2000","id":"x"')],
    ['a broken text', text.slice(0, -1)],
    ['a byte order mark', `\ufeff${text}`],
    ['nothing', ''],
    ['findings', text.replace('"status":"final"', '"status":"x"')],
  ])('%s is judged as here', async (_, input) => {
    const here = validator.checkText(input);
    const there = await validator.checkElsewhere(Buffer.from(input));
    expect([there.kind, there.issues]).toEqual([here.kind, here.issues]);
    if (there.kind === 'read') expect(there.hasMark).toBe(input.startsWith('\ufeff'));
  });

  test('several texts at once are each answered for themselves', async () => {
    const inputs = [text, '{', nested, '{"resourceType":"Patient"}'];
    const judged = await Promise.all(inputs.map((input) => validator.checkElsewhere(Buffer.from(input))));
    expect(judged.map(({ kind }) => kind)).toEqual(['read', 'unreadable', 'read', 'read']);
  });

  test('limits hold', async () => {
    expect((await validator.checkElsewhere(Buffer.from(text), { tokensMax: 1_000 })).issues[0]?.rule).toBe(
      'json-tokens',
    );
  });
});
