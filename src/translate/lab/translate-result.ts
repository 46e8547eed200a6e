import type { LabFound, LabQuestion, LabRow, MappedCoding } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { codesText } from '../notebook.ts';
import { codeable, type Element } from '../observation.ts';
import { findUcum, judgeValue } from '../quantity.ts';
import { HL7_CATEGORY, LOINC, metaOf, type Scene } from '../scene.ts';
import { readResult } from './read-result.ts';
import { fitsSpecimen, nameWith } from './specimen.ts';
import { UNKNOWN_UNIT, checkStandardCode, inCodingOrder, loincsIn } from './check-standard-code.ts';
import { rangesAsReported, translateValue } from './translate-value.ts';
import { listOf, partOf, pick, textOf, type Part } from '../parts.ts';

const INTERPRETATION = 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation';

/** What the test is called: its text, else the display, else the code. */
export function nameOfCode(code: unknown): string {
  const { text, coding } = partOf(code);
  const [first] = listOf(coding);
  return textOf(text) ?? textOf(first?.['display']) ?? textOf(first?.['code']) ?? '';
}

const hasResult = (given: Part): boolean => Object.keys(given).some((name) => /^_?value[A-Z]/.test(name));

const isLoinc = ({ system }: Part): boolean => system === LOINC;
const loincOf = (code: unknown): string | null => textOf(listOf(partOf(code)['coding']).find(isLoinc)?.['code']);

export const withCodings = (code: unknown, codings: readonly MappedCoding[]): Element => {
  const given = listOf(partOf(code)['coding']);
  return { ...codeable([...codings, ...(given as unknown as MappedCoding[])]), text: nameOfCode(code) };
};

/** Of what kind the result is, and in which unit: together with its name they decide the code. */
function questionOf(scene: Scene, given: Part, specimen: string): LabQuestion {
  const name = nameWith(nameOfCode(given['code']), specimen);
  const { low, high } = partOf(given['valueRange']);
  const quantity = partOf(given['valueQuantity'] ?? low ?? high);
  if (quantity['value'] !== undefined) {
    const unit = textOf(quantity['unit']);
    const code = textOf(quantity['code']);
    const isSaid = unit !== null || code !== null;
    return {
      name,
      unit: isSaid ? (findUcum(scene, { unit, code, system: textOf(quantity['system']) })?.ucum ?? UNKNOWN_UNIT) : null,
      value: 'quantity',
    };
  }
  const words = textOf(given['valueString']);
  const read = words === null ? null : readResult(words);
  if (read !== null && read.kind !== 'words' && read.kind !== 'ratio')
    return {
      name,
      unit: read.unit === null ? null : (scene.mappings.findUnit(read.unit)?.ucum ?? UNKNOWN_UNIT),
      value: 'quantity',
    };
  return {
    name,
    unit: null,
    value: given['valueCodeableConcept'] !== undefined || read?.kind === 'words' ? 'coded' : 'text',
  };
}

/** A code whose name says another specimen is no code for this one. */
function findLab(
  { mappings }: Scene,
  question: LabQuestion,
  specimen: string,
): LabFound | { kind: 'none'; why: 'specimen' } {
  const found = mappings.findLab(question);
  const isFitting = found.kind === 'none' || fitsSpecimen(found.row.codings[0]?.display ?? '', specimen);
  return isFitting ? found : { kind: 'none', why: 'specimen' };
}

function translateCode(
  scene: Scene,
  at: string,
  asGiven: Part,
  specimen: string,
): { code: Element; row: LabRow | null } {
  const { mappings, notebook } = scene;
  const code = inCodingOrder(partOf(asGiven['code']));
  const given: Part = { ...asGiven, code };
  const question = questionOf(scene, given, specimen);
  if (loincsIn(code).length > 0) {
    notebook.decide(at, 'code', nameOfCode(code), 'as given', null);
    checkStandardCode(scene, at, code, question, specimen);
    return { code, row: null };
  }
  const isPanel =
    listOf(given['hasMember']).length > 0 && given['valueQuantity'] === undefined && given['valueString'] === undefined;
  const panel = isPanel ? mappings.findPanel(question.name) : null;
  if (panel !== null) {
    notebook.decide(at, 'code', question.name, codesText(panel), panel);
    return { code: withCodings(code, panel.codings), row: null };
  }
  // The unit itself is the finding, and it is found where the value is read.
  if (question.unit === UNKNOWN_UNIT) return { code: withCodings(code, []), row: null };
  const found = findLab(scene, question, specimen);
  notebook.decide(
    at,
    'code',
    question.name,
    found.kind === 'found' ? codesText(found.row) : null,
    found.kind === 'found' ? found.row : null,
  );
  if (found.kind === 'found') return { code: withCodings(code, found.row.codings), row: found.row };
  // A result without a value has no unit by which to choose a code; its name stands for itself.
  if (found.why === 'dimension' && !hasResult(given)) return { code: withCodings(code, []), row: null };
  // Whether the name or its unit is new is told apart: they are mended in different files.
  if (found.why === 'dimension')
    notebook.find('unit.unmapped', at, `${question.name} in ${question.unit ?? 'no unit'}`);
  else notebook.find('code.unmapped', at, found.why === 'specimen' ? `${question.name} (${specimen})` : question.name);
  return { code: withCodings(code, []), row: null };
}

function interpretationsOf({ mappings, notebook }: Scene, at: string, given: unknown): Element {
  const list = listOf(given).map((one): Element => {
    if (listOf(one['coding']).some(({ system }) => system === INTERPRETATION)) return one;
    const word = nameOfCode(one);
    const row = mappings.findInterpretation(word);
    notebook.decide(at, 'code', word, row === null ? null : codesText(row), row);
    return row === null ? one : { ...one, coding: [...row.codings, ...listOf(one['coding'])] };
  });
  return list.length === 0 ? {} : { interpretation: list };
}

/** HL7's laboratory category exactly once, in front. */
export function laboratoryFirst(given: unknown, system: string, code: string): readonly Element[] {
  const others = listOf(given).filter(
    (one) => !listOf(one['coding']).some((c) => c['system'] === system && c['code'] === code),
  );
  return [{ coding: [{ system, code }] }, ...others];
}

export const statusOf = ({ setting, notebook }: Scene, at: string, given: unknown): string => {
  const status = textOf(given) ?? 'unknown';
  if (setting.labStatus === 'as-given' || status !== 'final') return status;
  notebook.decide(at, 'status', status, 'preliminary', null);
  return 'preliminary';
};

/** In words, since few EHRs show a tag. */
const READ_BY_SOFTWARE =
  'Read by software from a laboratory document. Check against the original before relying on it.';

const UNKNOWN = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }] };
/** Neither a value nor why there is none, nor parts that have one. */
const isEmptyResult = (given: AnyResource, value: Element): boolean =>
  Object.keys(value).length === 0 && listOf(given['component']).length === 0 && listOf(given['hasMember']).length === 0;

export interface ResultParts {
  readonly at: string;
  readonly given: AnyResource;
  /** When the sample was taken, where the result itself does not say. */
  readonly effective: Element;
  /** What the sample is, in the words of the source. */
  readonly specimen: string;
}

/** A result of a test: as reported, with the codes that it lacks. */
export function translateResult(scene: Scene, { at, given, effective: otherwise, specimen }: ResultParts): AnyResource {
  const { code, row } = translateCode(scene, at, given, specimen);
  const loinc = loincOf(code);
  const { value, ucum, digits } = translateValue(scene, at, given, row, loinc);
  const note = digits === null || loinc === null ? null : judgeValue(scene, at, loinc, ucum ?? '1', digits);
  const effective = pick(given, 'effectiveDateTime', 'effectivePeriod', 'effectiveInstant', 'effectiveTiming');
  const notes = [{ text: READ_BY_SOFTWARE }, ...listOf(given['note']), ...(note === null ? [] : [{ text: note }])];
  return {
    resourceType: 'Observation',
    meta: metaOf(scene, 'machine-extracted'),
    identifier: listOf(given['identifier']),
    status: statusOf(scene, at, given['status']),
    category: laboratoryFirst(given['category'], HL7_CATEGORY, 'laboratory'),
    code,
    subject: scene.subject,
    ...(Object.keys(effective).length === 0 ? otherwise : effective),
    ...pick(given, 'issued', 'performer'),
    ...(isEmptyResult(given, value) ? { dataAbsentReason: UNKNOWN } : value),
    ...interpretationsOf(scene, at, given['interpretation']),
    note: notes,
    ...pick(given, 'bodySite', 'method', 'specimen'),
    ...rangesAsReported(scene, at, given['referenceRange'], loinc),
    ...pick(given, 'hasMember', 'derivedFrom'),
    ...componentsOf(scene, at, given['component'], specimen),
  };
}

function componentsOf(scene: Scene, at: string, given: unknown, specimen: string): Element {
  const list = listOf(given).map((one, i): Element => {
    const place = `${at}.component[${i}]`;
    const { code, row } = translateCode(scene, place, one, specimen);
    const loinc = loincOf(code);
    const { value, ucum, digits } = translateValue(scene, place, one, row, loinc);
    if (digits !== null && loinc !== null) judgeValue(scene, place, loinc, ucum ?? '1', digits);
    return {
      code,
      ...value,
      ...interpretationsOf(scene, place, one['interpretation']),
      ...rangesAsReported(scene, place, one['referenceRange'], loinc),
    };
  });
  return list.length === 0 ? {} : { component: list };
}
