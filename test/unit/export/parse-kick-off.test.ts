import { expect, test } from '@jest/globals';
import { parseKickOff, type KickOffRules } from '../../../src/export/parse-kick-off.ts';
import { ok } from '../../../src/kernel/index.ts';

const rules: KickOffRules = {
  level: 'system',
  method: 'GET',
  isServed: () => true,
  parseFilter: () => ok([]),
  handling: 'lenient',
};
const filters = (count: number): string => Array.from({ length: count }, (_, n) => `Observation?code=${n}`).join(',');

test.each([[[20]], [[10, 10]]])('%j filters are taken', (counts) => {
  const parsed = parseKickOff(
    counts.map((count) => ['_typeFilter', filters(count)] as const),
    rules,
  );
  expect(parsed.ok && parsed.value.filters.length).toBe(20);
});

test.each([[[21]], [[10, 11]], [[5_000]]])(
  '%j filters are refused by name, in one parameter or in several',
  (counts) => {
    const parsed = parseKickOff(
      counts.map((count) => ['_typeFilter', filters(count)] as const),
      rules,
    );
    expect(parsed).toMatchObject({
      ok: false,
      fault: { code: 'read.parameter', problems: ['_typeFilter: at most 20'] },
    });
  },
);
