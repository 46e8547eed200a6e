import { describe, expect, test } from '@jest/globals';
import type { AnyResource } from '../../../src/payloads/index.ts';
import { buildFhir, type Findings } from '../../../sandbox/labs/build-fhir.ts';
import { buildServiceJson } from '../../../sandbox/labs/build-service-json.ts';
import { BIOMARKERS, PANELS, type Biomarker, type Form } from '../../../sandbox/labs/biomarkers.ts';
import type { Row } from '../../../sandbox/labs/find-rows.ts';
import type { Value } from '../../../sandbox/labs/read-value.ts';
import { aServiceLabResult, type Json } from '../../support/payloads/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { codesOf, observationsOf, resourcesOf } from '../../support/translated.ts';
import { problemsOf, settingOf, translateText } from '../../support/translate-steps.ts';
import { translateByTemplates } from '../../support/read-by-templates.ts';
import { partAt } from '../../support/payloads/index.ts';

const setting = settingOf(standardMappings());

/**
 * Each way in which the sandbox can report a biomarker: every code in every unit, and one in words, a limit or a range
 * where it is so.
 */
function rowsOf(biomarker: Biomarker, n: number): Row[] {
  const panel = PANELS.get(biomarker.panel);
  if (panel === undefined) throw new Error(biomarker.panel);
  const row = (form: Form, unit: string | null, value: Value): Row => ({
    biomarker,
    form,
    printed: biomarker.name.toUpperCase(),
    value,
    unit,
    range: RANGES[n % RANGES.length] ?? null,
    flag: FLAGS[n % FLAGS.length] ?? null,
    panel,
  });
  return biomarker.forms.flatMap((form): Row[] => {
    if (form.kind === 'words')
      return [row(form, null, { kind: 'word', vocabulary: form.vocabulary, word: WORDS[form.vocabulary] })];
    return form.units.map((unit, i) =>
      row(form, unit, unit === '/[HPF]' ? { kind: 'range', low: '5', high: '10' } : numberOf(form, n + i)),
    );
  });
}
const WORDS = { presence: '1+', color: 'Yellow', clarity: 'Clear', abo: 'AB', rh: 'Positive' } as const;
const RANGES: readonly Row['range'][] = [
  { kind: 'numbers', low: '1.5', high: '9' },
  { kind: 'numbers', low: null, high: '7' },
  { kind: 'words', text: 'see comment' },
  null,
];
const FLAGS: readonly Row['flag'][] = ['H', 'L', 'A', 'N', null];
/** A value that a body can have, with as many digits as it takes. */
function numberOf({ low, high }: Extract<Form, { kind: 'number' }>, n: number): Value {
  const value = Math.sqrt(Math.max(low, 0.01) * high);
  return {
    kind: 'number',
    comparator: n % 7 === 0 ? '<' : null,
    digits: value.toPrecision(3).includes('e') ? String(Math.round(value)) : value.toPrecision(3),
  };
}

/** As many laboratory documents as there are ways to report: no document says one code twice. */
function documents(): Findings[] {
  const all = BIOMARKERS.flatMap(rowsOf);
  const found: Row[][] = [];
  for (const row of all) {
    const home = found.find((rows) =>
      rows.every(({ form, biomarker }) => form.loinc !== row.form.loinc && biomarker !== row.biomarker),
    );
    if (home === undefined) found.push([row]);
    else home.push(row);
  }
  return found.map((rows, i) => ({
    documentId: `6f1c2f6e-2f0a-4f6e-9f57-0d8f6c0f000${i}`,
    userId: 'user-0001',
    collectedAt: i % 2 === 0 ? '2026-11-10T08:15:00+01:00' : '2026-11-10T08:15:00',
    laboratory: i % 3 === 0 ? 'Example laboratory' : null,
    specimen: [null, 'Serum', 'Urine'][i % 3] ?? null,
    rows,
  }));
}
const envelope = (content: unknown): string =>
  JSON.stringify({ ...aServiceLabResult(), user_id: 'user-0001', lab_result: content } satisfies Json);
const loincOf = (one: AnyResource): string => String(codesOf(one['code'])[0]);
/** All that a result says, without what names it and what refers. */
const saying = (one: AnyResource): Json => {
  const {
    identifier: _identifier,
    performer: _performer,
    specimen: _specimen,
    code: _code,
    interpretation,
    ...said
  } = one;
  return { ...said, interpretation: codesOf(partAt(interpretation, '0')) };
};

describe.each(documents().map((one) => [one.documentId.slice(-1), one.rows.length, one] as const))(
  'document %s of the sandbox, with %i results',
  (_id, count, findings) => {
    const read = () => translateByTemplates(envelope(buildServiceJson(findings)), setting);

    test('no value and no unit is lost', async () => {
      const results = new Map(observationsOf(await read()).map((one) => [loincOf(one), one]));
      expect(results.size).toBe(count);
      for (const row of findings.rows) {
        const one = results.get(row.form.loinc);
        const unit = row.unit === null ? {} : { unit: row.unit, system: 'http://unitsofmeasure.org' };
        const { value } = row;
        if (value.kind === 'number')
          expect(one?.['valueQuantity']).toMatchObject({
            value: Number(value.digits),
            ...unit,
            ...(value.comparator === null ? {} : { comparator: value.comparator }),
          });
        if (value.kind === 'range')
          expect(one?.['valueRange']).toMatchObject({
            low: { value: Number(value.low), ...unit },
            high: { value: Number(value.high), ...unit },
          });
        if (value.kind === 'word') expect(one?.['valueCodeableConcept']).toMatchObject({ text: value.word });
      }
    });

    test('says the same as its FHIR form, result by result and report by report, and is valid', async () => {
      const ours = await read();
      const fhir = translateText(envelope({ document_id: findings.documentId, result: buildFhir(findings) }), setting);
      expect([ours.trouble, problemsOf(ours)]).toEqual([fhir.trouble, []]);
      const said = (translation: typeof ours): Record<string, Json> =>
        Object.fromEntries(observationsOf(translation).map((one) => [loincOf(one), saying(one)]));
      const [mine, its] = [said(ours), said(fhir)];
      for (const loinc of Object.keys(its)) expect([loinc, mine[loinc]]).toEqual([loinc, its[loinc]]);
      const panels = (translation: typeof ours) =>
        resourcesOf(translation, 'DiagnosticReport').map((one) => [
          partAt(one, 'code.text'),
          loincOf(one),
          (partAt(one, 'result') as unknown[]).length,
          (partAt(one, 'specimen') as unknown[] | undefined)?.length,
        ]);
      expect(panels(ours).sort()).toEqual(panels(fhir).sort());
      for (const type of ['Organization', 'Specimen'])
        expect(resourcesOf(ours, type).length).toBe(resourcesOf(fhir, type).length);
    });
  },
);

test('what has another form is refused, not half read', async () => {
  await expect(
    translateByTemplates(envelope({ biomarkers: [{ name: 'Glucose', value: 92 }] }), setting),
  ).rejects.toThrow('template.output templates/service-lab-json.json#key');
  await expect(translateByTemplates(envelope({ metadata: {}, panels_array: [{}] }), setting)).rejects.toThrow(
    'template',
  );
});

test('a result under another name of a laboratory structure is read too', async () => {
  const { lab_result: content, ...rest } = aServiceLabResult() as Json & { lab_result: unknown };
  const translation = await translateByTemplates(
    JSON.stringify({ ...rest, data_structure: 'laboratory_report', laboratory_report: content }),
    setting,
  );
  expect([translation.trouble, observationsOf(translation).length]).toEqual([null, 1]);
});
