import { z } from 'zod';
import { isObject } from '../kernel/index.ts';
import { checkCode } from './check-code.ts';
import type { ConsistencyRow, MetricRow } from './mapping.ts';
import type { Report } from './problem.ts';
import { number, oneOf, readShape, words } from './read-shape.ts';
import { LOINC } from './systems.ts';

const FILE = 'plausibility.json';

const SAID = { action: oneOf('finding', 'preliminary', 'park'), source: words, reviewer: words };
const KINDS = {
  order: z.strictObject({ kind: z.literal('order'), ...SAID, lower: words, upper: words }),
  'body-mass-index': z.strictObject({
    kind: z.literal('body-mass-index'),
    ...SAID,
    weight: words,
    height: words,
    index: words,
    share: number,
  }),
  jump: z.strictObject({ kind: z.literal('jump'), ...SAID, code: words, share: number, hours: number }),
  repeat: z.strictObject({ kind: z.literal('repeat'), ...SAID, code: words, days: number }),
};
const CODES = ['lower', 'upper', 'weight', 'height', 'index', 'code'];

const isKind = (kind: unknown): kind is keyof typeof KINDS => typeof kind === 'string' && Object.hasOwn(KINDS, kind);

function readRow(value: unknown, place: string, known: ReadonlySet<string>, report: Report): ConsistencyRow | null {
  const kind = isObject(value) ? value['kind'] : undefined;
  if (!isKind(kind)) {
    report(place, `kind must be one of ${Object.keys(KINDS).join(', ')}`);
    return null;
  }
  const given = readShape(value, KINDS[kind], place, report);
  if (given === null) return null;
  const parts = new Map(Object.entries(given));
  const codes = CODES.map((name) => parts.get(name)).filter((code) => typeof code === 'string');
  const row = `${FILE}#${kind}/${codes.join('/')}`;
  for (const code of codes) {
    const wrong = checkCode(LOINC, code, new Set());
    if (wrong !== null) report(row, wrong);
    else if (!known.has(code)) report(row, `no metric becomes ${code}`);
  }
  for (const [name, one] of parts) if (typeof one === 'number' && one <= 0) report(row, `${name} must be above 0`);
  return { ...given, row };
}

/** What values of one document must be to each other. The list may be left out. */
export function buildConsistency(
  value: unknown,
  metrics: readonly MetricRow[],
  report: Report,
): readonly ConsistencyRow[] {
  const given = isObject(value) ? value['consistency'] : undefined;
  if (given === undefined) return [];
  if (!Array.isArray(given)) {
    report(FILE, 'consistency must be a list');
    return [];
  }
  const known = new Set(metrics.flatMap(({ codings }) => codings[0]?.code ?? []));
  const rows = given
    .map((one: unknown, i) => readRow(one, `${FILE}#consistency[${i}]`, known, report))
    .filter((one) => one !== null);
  const seen = new Set<string>();
  for (const { row } of rows) {
    if (seen.has(row)) report(row, 'is there twice');
    seen.add(row);
  }
  return rows;
}
