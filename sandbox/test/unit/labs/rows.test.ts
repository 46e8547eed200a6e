import { describe, expect, test } from '@jest/globals';
import { BIOMARKERS } from '../../../labs/biomarkers.ts';
import { isPlausible } from '../../../labs/check-rows.ts';
import { findRows } from '../../../labs/find-rows.ts';
import { findMisreadUnits, findUnit } from '../../../labs/units.ts';
import { linesOf } from '../../../labs/word.ts';
import { PRINTED_PANELS } from '../../../lab-reports/analytes.ts';
import { standardMappings } from '../../../../test/support/standard-mappings.ts';

/** Blanks are as wide as letters; two and more part cells. */
function rowsOf(origin: 'printed' | 'scanned', ...lines: readonly string[]): string[] {
  const words = lines.flatMap(
    (line, row) =>
    [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({ text, x0: index * 6, x1: (index + text.length) * 6, y0: row * 14, y1: row * 14 + 8 })), // prettier-ignore
  );
  return findRows(linesOf({ origin, width: 600, words }, 0)).map(({ biomarker, value, unit, range, flag }) => {
    const said =
      value.kind === 'number'
        ? `${value.comparator ?? ''}${value.digits}`
        : value.kind === 'word'
          ? value.word
          : `${value.low}-${value.high}`;
    const normal =
      range === null ? '' : range.kind === 'words' ? range.text : `${range.low ?? ''}..${range.high ?? ''}`;
    return [biomarker.key, said, unit ?? '', normal, flag ?? ''].join(' ').trim();
  });
}

describe('2.5 biomarkers', () => {
  test.each([
    ['Glucose   94   mg/dL   70-99', ['glucose 94 mg/dL 70..99']],
    ['Glucose   5.2   mmol/L   3.9 - 5.5', ['glucose 5.2 mmol/L 3.9..5.5']],
    ['Glucose   105 H   mg/dL   70-99', ['glucose 105 mg/dL 70..99 H']],
    ['Glucose   H   105   70-99   mg/dL', ['glucose 105 mg/dL 70..99 H']],
    ['Glucose   105H mg/dL (70 to 99)', ['glucose 105 mg/dL 70..99 H']],
    ['Potassium........4.1 mmol/L (3.5-5.1)', ['potassium 4.1 mmol/L 3.5..5.1']],
    ['Kalium   4,1 mmol/L', []],
    ['Potassium   4,1 mmol/L', ['potassium 4.1 mmol/L']],
    ['Platelet Count   1,250   K/uL', ['platelets 1250 10*3/uL']],
    ['TSH   < 0.01   mIU/L   0.45-4.50', ['tsh <0.01 m[IU]/L 0.45..4.50']],
    ['CA 125   18   U/mL   <35', ['ca125 18 U/mL ..35']],
    ['Vitamin B12   450   pg/mL', ['vitamin_b12 450 pg/mL']],
    ['Neutrophils   55.1   %', ['neutrophils_pct 55.1 %']],
    ['Neutrophils   3.2   10^3/uL', ['neutrophils_abs 3.2 10*3/uL']],
    ['HBsAg   Non-Reactive   Non-Reactive', ['hbsag Non-Reactive  Non-Reactive']],
    [
      'Sodium   140 mmol/L   135-145     Potassium   4.1 mmol/L   3.5-5.1',
      ['sodium 140 mmol/L 135..145', 'potassium 4.1 mmol/L 3.5..5.1'],
    ],
    ['Sodium   140 mmol/L   135-145     Serum indices not performed today', ['sodium 140 mmol/L 135..145']],
    ['Glucose of 126 mg/dL or higher suggests diabetes', []],
    ['Glucose   94', []],
    ['Glucose   94   IU/mL', []],
    ['eGFR   88   mL/min/1.73m2', []],
    ['INR   1.1   0.9-1.1', ['inr 1.1  0.9..1.1']],
  ])('%s', (line, found) => {
    expect(rowsOf('printed', line)).toEqual(found);
  });

  test.each([
    ['Hemoglobin Alc   5.4   %', ['hba1c 5.4 %']],
    ['Thyroid Stimulating Horrnone   1.9   miU/L', ['tsh 1.9 m[IU]/L']],
    ['Sodlum   l4O   mmol/l', ['sodium 140 mmol/L']],
    ['Iron   90   pg/dL   50-180', ['iron 90 ug/dL 50..180']],
    ['WBC   6.6   x10M9/L', ['wbc 6.6 10*9/L']],
    ['Free T5   1.2   ng/dL', []],
  ])('misread: %s', (line, found) => {
    expect(rowsOf('scanned', line)).toEqual(found);
  });

  test('results of an earlier visit are not of this one', () => {
    const head = 'Test Name    Result   Previous   Units    Reference   Flag';
    expect(rowsOf('printed', head, 'Ferritin     224      211        ng/mL    30-400')).toEqual([
      'ferritin 224 ng/mL 30..400',
    ]);
  });

  test('what a name means depends on the panel that it stands under', () => {
    const lines = ['Urinalysis', 'Glucose   Negative   Negative', 'pH   6.0   5.0-8.0', 'WBC   0-5   /HPF'];
    expect(rowsOf('printed', ...lines)).toEqual([
      'urine_glucose Negative  Negative',
      'urine_ph 6.0  5.0..8.0',
      'urine_wbc 0-5 /[HPF]',
    ]);
  });

  test('what no body can have is not believed', () => {
    const [row] = findRows(linesOf({ origin: 'printed', width: 600, words: [
      { text: 'Potassium', x0: 0, x1: 54, y0: 0, y1: 8 }, { text: '41', x0: 100, x1: 112, y0: 0, y1: 8 }, { text: 'mmol/L', x0: 140, x1: 176, y0: 0, y1: 8 }, // prettier-ignore
    ] }, 0)); // prettier-ignore
    expect(row === undefined ? null : isPlausible(row)).toBe(false);
  });
});

describe('2.5 codes and units', () => {
  const mappings = standardMappings();

  test('agree with the mapping data of the gateway, wherever that knows the name', () => {
    const other = BIOMARKERS.flatMap(({ name, forms }) =>
      forms.flatMap((form) => {
        const unit = form.kind === 'number' ? (form.units[0] ?? null) : null;
        const found = mappings.findLab({ name, unit, value: form.kind === 'number' ? 'quantity' : 'coded' });
        const code = found.kind === 'found' ? found.row.codings[0]?.code : form.loinc;
        return code === form.loinc ? [] : [`${name} ${form.loinc} ${code ?? ''}`];
      }),
    );
    expect(other).toEqual([]);
  });

  test('every unit that may be sent is known to the gateway', () => {
    const units = new Set(
      BIOMARKERS.flatMap(({ forms }) => forms.flatMap((form) => (form.kind === 'number' ? form.units : []))),
    );
    expect([...units].filter((unit) => mappings.findUnit(unit) === null && !/^[[{/]/.test(unit))).toEqual([]);
  });

  test('every unit that the generator prints is read as what it is', () => {
    for (const { analytes } of PRINTED_PANELS)
      for (const { us, si } of analytes)
        for (const reported of [us, si])
          if (reported.kind === 'number')
            for (const { text, ucum } of reported.units) expect(text === '' ? null : findUnit(text)).toBe(ucum);
  });

  test('one slip is forgiven only where the analyte leaves one unit', () => {
    expect(findMisreadUnits('gL', ['g/dL', 'g/L'])).toEqual(['g/L']);
    expect(findMisreadUnits('xg/mL', ['ng/mL', 'ug/mL'])).toEqual([]);
  });
});
