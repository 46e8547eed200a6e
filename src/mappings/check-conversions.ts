import { isUcum, measureUcum } from '../r4/index.ts';
import { applyStep, type Conversions } from './build-conversions.ts';
import { compare, isEqual, minus, readExact, type Exact } from './exact.ts';
import { isLoinc } from './check-code.ts';
import type { Report } from './problem.ts';
import { UNITS_FILE } from './read-units.ts';

const DAY_SECONDS = 86_400;

const toNumber = ({ top, bottom }: Exact): number => Number(top) / Number(bottom);
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= Math.abs(b) * 1e-9;

/** The factors of every family against UCUM's own definitions, and there and back. */
function checkFamilies({ families, findStep }: Conversions, report: Report): void {
  for (const { name, base, units } of families) {
    if (!units.some(({ code }) => code === base))
      report(`${UNITS_FILE}#${name}`, `the base ${base} is not among the units`);
    const [ofBase, isCount] = [measureUcum(base), base.startsWith('{')];
    for (const { code } of units) {
      const row = `${UNITS_FILE}#${name}/${code}`;
      if (!isUcum(code)) {
        report(row, `${code} is not UCUM`);
        continue;
      }
      const [there, back] = [findStep(code, base), findStep(base, code)];
      if (there === null || back === null) continue;
      // 7/3 shows a wrong inverse that 1 would hide.
      const value: Exact = { top: 7n, bottom: 3n };
      if (!isEqual(applyStep(applyStep(value, there), back), value)) report(row, 'there and back is not the same');
      const measure = measureUcum(code);
      if (measure?.dimension !== ofBase?.dimension && !(isCount || base === '1'))
        report(row, `${code} and ${base} are of different dimensions`);
      const [own, its] = [measure?.magnitude ?? null, ofBase?.magnitude ?? null];
      if (own !== null && its !== null && !isNear(toNumber(there.factor), own / its))
        report(row, `UCUM has another factor: ${own / its}`);
    }
  }
}

function checkPerDay({ perDay }: Conversions, report: Report): void {
  for (const [key, { row }] of perDay) {
    const [from = '', to = ''] = key.split(' > ').map((code) => measureUcum(code)?.magnitude ?? NaN);
    if (!isNear(Number(from) / DAY_SECONDS, Number(to))) report(row, 'is not the same per day');
  }
}

/** Each known pair: exact arithmetic gives the stated number, within half a unit of its last digit. */
function checkKnownPairs({ knownPairs, findStep }: Conversions, report: Report): void {
  for (const { code, from, to, value, expected } of knownPairs) {
    const row = `${UNITS_FILE}#knownPairs/${code === undefined ? '' : `${code} `}${from} > ${to}`;
    const step = findStep(from, to, code);
    const [given, stated] = [readExact(value), readExact(expected)];
    if (step === null || given === null || stated === null) {
      report(row, 'there is no way between these units');
      continue;
    }
    const found = applyStep(given, step);
    const distance = compare(found, stated) < 0 ? minus(stated, found) : minus(found, stated);
    const decimals = /\.(\d+)/.exec(expected)?.[1]?.length ?? 0;
    const halfOfLast = { top: 1n, bottom: 2n * 10n ** BigInt(decimals) };
    if (compare(distance, halfOfLast) > 0) report(row, `gives ${toNumber(found)}, not ${expected}`);
  }
}

export function checkConversions(conversions: Conversions, report: Report): void {
  checkFamilies(conversions, report);
  checkPerDay(conversions, report);
  checkKnownPairs(conversions, report);
  for (const { row, code } of conversions.substances)
    if (!isLoinc(code)) report(row, `${code} has a wrong LOINC check digit`);
}
