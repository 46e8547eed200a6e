import { describe, expect, test } from '@jest/globals';
import { listRows, makeProposeRows } from '../../../src/mappings/index.ts';
import { shippedFiles } from '../../support/mapping-files.ts';

const rows = listRows(shippedFiles());
const propose = makeProposeRows(rows);
const codes = (kind: string, what: string): string[] => propose(kind, what).map(({ code }) => code);

describe('rows of the shipped data', () => {
  test('are told with their key, target, source and reviewer', () => {
    expect(rows.find(({ row }) => row === 'conceptmap-metrics.json#weight/point')).toMatchObject({
      code: 'weight',
      when: 'point',
      target: '29463-7',
      display: 'Body weight',
      says: 'equivalent',
    });
    expect(rows.find(({ row }) => row === 'plausibility.json#29463-7')).toMatchObject({
      when: 'kg',
      says: 'hard 0.2 to 650, soft 2 to 250',
    });
    expect(rows.filter(({ source, reviewer }) => source === '' || reviewer === '')).toEqual([]);
  });
});

describe('proposals', () => {
  test.each([
    ['code', 'body_weight', '29463-7'],
    ['code', 'Weight of the body', '29463-7'],
    ['unit', 'MMOL / L', 'mmol/L'],
    ['unit', 'glucose in MG/DL', 'mg/dL'],
  ])('%s %s might be %s', (kind, what, code) => {
    expect(codes(kind, what)).toContain(code);
  });

  test('are at most three, each code once, and none where nothing is alike', () => {
    const found = codes('code', 'glucose');
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(3);
    expect(new Set(found).size).toBe(found.length);
    expect(codes('code', 'aura')).toEqual([]);
    expect(codes('code', '')).toEqual([]);
    expect(codes('unit', '')).toEqual([]);
    expect(codes('structure', 'dream_event')).toEqual([]);
  });
});
