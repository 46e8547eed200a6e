import { describe, expect, test } from '@jest/globals';
import { loadValidator } from '../../../src/r4/index.ts';
import { buildDemoHistory, DEMO_DAYS } from '../../../src/sandbox/index.ts';

const NOW = new Date('2026-11-15T10:00:00Z');
const person = { n: 2, user: 'demo-user-2', clientUuid: 'demo-client' };
const history = buildDemoHistory(person, NOW);

type Content = { clinical_ready?: { clinical_ready_data: unknown }; lab_result?: { result: unknown } };
const bundleOf = (document: unknown): unknown => {
  const { clinical_ready: day, lab_result: lab } = document as Content;
  return day?.clinical_ready_data ?? lab?.result;
};
const codesOf = (document: unknown): string[] =>
  [...JSON.stringify(bundleOf(document)).matchAll(/:codes","code":"(\w+)"/g)].map(([, code = '']) => code);

describe('the invented history of a person', () => {
  test('is the same whenever it is built', () => {
    expect(buildDemoHistory(person, NOW)).toEqual(history);
  });

  test('holds valid R4 only', () => {
    const validator = loadValidator();
    for (const document of [...history.documents, history.correction])
      expect(validator.validate(JSON.parse(JSON.stringify(bundleOf(document))))).toEqual([]);
  });

  test('has a document for each day up to yesterday, and each has its own name', () => {
    const names = history.documents.map((document) => JSON.stringify(bundleOf(document)).match(/"id":"([^"]+)"/)?.[1]);
    expect(new Set(names).size).toBe(DEMO_DAYS + 3);
    expect(JSON.stringify(history.documents.at(-1))).toContain('2026-11-14T23:59:59Z');
  });

  test('is corrected once: a weight is gone, the steps are others, under the same name and a higher version', () => {
    const { mistaken, correction } = history;
    expect(codesOf(mistaken).filter((code) => !codesOf(correction).includes(code))).toEqual(['weight']);
    expect([mistaken['document_version'], correction['document_version']]).toEqual([1, 2]);
    expect((bundleOf(correction) as { id: string }).id).toBe((bundleOf(mistaken) as { id: string }).id);
    expect(history.documents).toContain(mistaken);
  });
});
