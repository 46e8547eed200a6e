import type { LabRow } from '../../mappings/index.ts';
import { digitsOf, numberOf } from '../../r4/index.ts';
import { codesText } from '../notebook.ts';
import type { Element } from '../observation.ts';
import { ucumOf } from '../quantity.ts';
import { UCUM, type Scene } from '../scene.ts';
import { plainQuantity, readResult } from './read-result.ts';
import { textOf, type Part } from '../parts.ts';

/** U of this test is the assay's own unit, where its code says so: no enzyme unit. */
function withArbitrary({ mappings, notebook }: Scene, at: string, ucum: string, loinc: string | null): string {
  const row = loinc === null ? null : mappings.findArbitrary(loinc, ucum);
  if (row?.unit === undefined || row.unit === null) return ucum;
  notebook.decide(at, 'unit', ucum, row.unit, row);
  return row.unit;
}

/** As reported, never converted: only a unit in words gets its UCUM code beside it. */
export function quantityAsReported(scene: Scene, at: string, given: Part, loinc: string | null): Element {
  const unit = textOf(given['unit']);
  const code = textOf(given['code']);
  if (unit === null && code === null) return given;
  const ucum = ucumOf(scene, at, { unit, system: textOf(given['system']), code });
  if (ucum === null) {
    scene.notebook.find('unit.unmapped', at, unit ?? code);
    return given;
  }
  return { ...given, unit: unit ?? code, system: UCUM, code: withArbitrary(scene, at, ucum, loinc) };
}

function codedOf(scene: Scene, at: string, text: string): Element {
  const row = scene.mappings.findQualitative(text);
  if (row !== null) scene.notebook.decide(at, 'value', 'a result in words', codesText(row), row);
  return { valueCodeableConcept: { ...(row === null ? {} : { coding: row.codings }), text } };
}

/** The value elements of a result or a component, and the UCUM code of a quantity. */
export function translateValue(
  scene: Scene,
  at: string,
  given: Part,
  row: LabRow | null,
  loinc: string | null,
): { value: Element; ucum: string | null; digits: string | null } {
  const ucumIn = (quantity: Element): string | null => (quantity['system'] === UCUM ? textOf(quantity['code']) : null);
  if (typeof given['valueQuantity'] === 'object' && given['valueQuantity'] !== null) {
    const quantity = quantityAsReported(scene, at, given['valueQuantity'] as Part, loinc);
    return { value: { valueQuantity: quantity }, ucum: ucumIn(quantity), digits: digitsOf(quantity['value']) ?? null };
  }
  if (typeof given['valueRange'] === 'object' && given['valueRange'] !== null)
    return {
      value: { valueRange: sidesAsReported(scene, at, given['valueRange'] as Part, loinc) },
      ucum: null,
      digits: null,
    };
  const words = textOf(given['valueString']);
  if (words !== null && row?.scale !== 'narrative') return fromWords(scene, at, words, loinc);
  const concept = given['valueCodeableConcept'] as Part | undefined;
  const text = concept?.['coding'] === undefined ? textOf(concept?.['text']) : null;
  if (text !== null) return { value: codedOf(scene, at, text), ucum: null, digits: null };
  const value = Object.fromEntries(
    Object.entries(given).filter(([name]) => /^_?(value[A-Z]|dataAbsentReason$)/.test(name)),
  );
  return { value, ucum: null, digits: null };
}

function fromWords(
  scene: Scene,
  at: string,
  words: string,
  loinc: string | null,
): { value: Element; ucum: string | null; digits: string | null } {
  const read = readResult(words);
  const withUnit = (digits: string, unit: string | null): Element =>
    quantityAsReported(scene, at, { value: numberOf(digits), ...(unit === null ? {} : { unit }) }, loinc);
  switch (read.kind) {
    case 'quantity': {
      const { value, ...rest } = withUnit(read.digits, read.unit);
      const quantity = { value, ...(read.comparator === null ? {} : { comparator: read.comparator }), ...rest };
      return {
        value: { valueQuantity: quantity },
        ucum: textOf(rest['code']),
        digits: read.digits,
      };
    }
    case 'range':
      return {
        value: { valueRange: { low: withUnit(read.low, read.unit), high: withUnit(read.high, read.unit) } },
        ucum: null,
        digits: null,
      };
    case 'ratio':
      return {
        value: {
          valueRatio: { numerator: plainQuantity(read.numerator), denominator: plainQuantity(read.denominator) },
        },
        ucum: null,
        digits: null,
      };
    case 'words':
      return { value: codedOf(scene, at, read.text), ucum: null, digits: null };
  }
}

/** UCUM beside the units of both ends; what is only text stays text. */
function sidesAsReported(scene: Scene, at: string, range: Part, loinc: string | null): Element {
  const side = (name: 'low' | 'high'): Element =>
    typeof range[name] === 'object' && range[name] !== null
      ? { [name]: quantityAsReported(scene, at, range[name] as Part, loinc) }
      : {};
  return { ...range, ...side('low'), ...side('high') };
}

export function rangesAsReported(scene: Scene, at: string, ranges: unknown, loinc: string | null): Element {
  if (!Array.isArray(ranges) || ranges.length === 0) return {};
  return {
    referenceRange: (ranges as readonly Part[]).map((range) =>
      sidesAsReported(scene, `${at}.referenceRange`, range, loinc),
    ),
  };
}
