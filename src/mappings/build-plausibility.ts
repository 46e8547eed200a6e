import { z } from 'zod';
import { isUcum } from '../r4/index.ts';
import { applyStep, type Conversions, type Step } from './build-conversions.ts';
import { checkCode } from './check-code.ts';
import { deepFreeze } from './deep-freeze.ts';
import { readExact } from './exact.ts';
import type { MetricRow, PlausibilityRow, Range } from './mapping.ts';
import type { Report } from './problem.ts';
import { list, numberOrNull, object, readShape, words } from './read-shape.ts';

const FILE = 'plausibility.json';
const SHAPE = z.strictObject({
  system: words,
  code: words,
  unit: words,
  hard: object,
  soft: object,
  source: words,
  reviewer: words,
});
const RANGE = z.strictObject({ low: numberOrNull, high: numberOrNull });

type Given = Omit<PlausibilityRow, 'row'> & { readonly system: string; readonly code: string };

const isWithin = (inner: Range, outer: Range): boolean =>
  (outer.low === null || (inner.low !== null && inner.low >= outer.low)) &&
  (outer.high === null || (inner.high !== null && inner.high <= outer.high));
const isUpright = ({ low, high }: Range): boolean => low === null || high === null || low <= high;

function readRow(value: unknown, place: string, localCodes: ReadonlySet<string>, report: Report): Given | null {
  const given = readShape(value, SHAPE, place, report);
  if (given === null) return null;
  const row = `${FILE}#${given.code}`;
  const hard = readShape(given.hard, RANGE, row, report);
  const soft = readShape(given.soft, RANGE, row, report);
  if (hard === null || soft === null) return null;
  const wrong = checkCode(given.system, given.code, localCodes);
  if (wrong !== null) report(row, wrong);
  if (!isUcum(given.unit)) report(row, `${given.unit} is not UCUM`);
  if (!isUpright(hard) || !isUpright(soft)) report(row, 'low is above high');
  if (!isWithin(soft, hard)) report(row, 'the soft range reaches beyond the hard one');
  return { ...given, hard, soft };
}

/** Twelve digits: a bound is a judgement, and binary noise in it would only puzzle its reader. */
function turnRange({ low, high }: Range, step: Step): Range {
  const turn = (bound: number | null): number | null => {
    const exact = bound === null ? null : readExact(String(bound));
    if (exact === null) return null;
    const { top, bottom } = applyStep(exact, step);
    return Number((Number(top) / Number(bottom)).toPrecision(12));
  };
  return { low: turn(low), high: turn(high) };
}

export type FindPlausibility = (code: string, unit: string) => PlausibilityRow | null;

export function buildPlausibility(
  value: unknown,
  deps: { conversions: Conversions; localCodes: ReadonlySet<string>; metrics: readonly MetricRow[] },
  report: Report,
): FindPlausibility {
  const file = readShape(value, z.strictObject({ rows: list, consistency: list.optional() }), FILE, report);
  if (file === null) return () => null;
  const { conversions, localCodes, metrics } = deps;
  const given = file.rows
    .map((one, i) => readRow(one, `${FILE}#rows[${i}]`, localCodes, report))
    .filter((one) => one !== null);
  // By code, then by unit: every metric of every delivery asks, and no key is made for it.
  const rows = new Map<string, Map<string, PlausibilityRow>>();
  const units = new Map<string, string>();
  for (const { code, unit, hard, soft, source, reviewer } of given) {
    const row = `${FILE}#${code}`;
    if (units.has(code)) report(row, 'is there twice');
    units.set(code, unit);
    const byUnit = rows.get(code) ?? new Map<string, PlausibilityRow>();
    rows.set(code, byUnit);
    byUnit.set(unit, deepFreeze({ row, source, reviewer, unit, hard, soft }));
    for (const family of conversions.families.filter((one) => one.units.some((other) => other.code === unit)))
      for (const { code: to } of family.units) {
        const step = conversions.findStep(unit, to);
        if (step === null || to === unit) continue;
        const turned = { hard: turnRange(hard, step), soft: turnRange(soft, step) };
        byUnit.set(to, deepFreeze({ row, source, reviewer, unit: to, ...turned }));
      }
  }
  for (const metric of metrics) {
    const code = metric.codings[0]?.code ?? '';
    const unit = units.get(code);
    if (unit === undefined) report(metric.row, `${code} has no row in ${FILE}`);
    else if (metric.unit !== null && metric.unit.code !== unit)
      report(`${FILE}#${code}`, `is in ${unit}, but ${metric.row} is in ${metric.unit.code}`);
  }
  return (code, unit) => rows.get(code)?.get(unit) ?? null;
}
