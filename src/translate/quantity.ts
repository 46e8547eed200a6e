import type { Converted, MetricRow, UnitRow } from '../mappings/index.ts';
import { digitsOf, isUcum, numberOf } from '../r4/index.ts';
import { UCUM, type Scene } from './scene.ts';

/** A number of the source with its unit, as a Quantity or in its own words. */
export interface Measured {
  readonly value: unknown;
  readonly unit: string | null;
  readonly system: string | null;
  readonly code: string | null;
}

export type Quantity = Readonly<Record<string, unknown>>;

export const quantity = (digits: string, code: string, text: string): Quantity => ({
  value: numberOf(digits),
  unit: text,
  system: UCUM,
  code,
});

/** The UCUM code that the source means; by its code where that is one, else by the text of the unit. */
export function findUcum(
  { mappings }: Scene,
  measured: Omit<Measured, 'value'>,
): { ucum: string; by: (UnitRow & { text: string }) | null } | null {
  if (measured.system === UCUM && measured.code !== null && isUcum(measured.code))
    return { ucum: measured.code, by: null };
  for (const text of [measured.code, measured.unit]) {
    const row = text === null || text === '' ? null : mappings.findUnit(text);
    if (text !== null && row !== null) return { ucum: row.ucum, by: { ...row, text } };
  }
  return null;
}

/** The same, with the decision written down. */
export function ucumOf(scene: Scene, at: string, measured: Omit<Measured, 'value'>): string | null {
  const found = findUcum(scene, measured);
  if (found !== null && found.by !== null) scene.notebook.decide(at, 'unit', found.by.text, found.ucum, found.by);
  return found?.ucum ?? null;
}

/** Between units of one kind, or by the molar mass of what was measured. */
function convertTo(
  { mappings }: Scene,
  digits: string,
  from: string,
  to: string,
  { codings, decimals }: MetricRow,
): Converted | null {
  if (from === to) return { digits, row: null };
  const code = codings[0]?.code ?? '';
  return mappings.convert(digits, from, to, decimals) ?? mappings.convertSubstance(code, digits, from, to, decimals);
}

/** In the unit of its row: exact, or not at all. */
export function toRowUnit(
  scene: Scene,
  at: string,
  measured: Measured,
  row: MetricRow,
): { digits: string; quantity: Quantity } | null {
  const digits = digitsOf(measured.value);
  if (digits === undefined || row.unit === null) {
    scene.notebook.find('value.unreadable', at);
    return null;
  }
  const said = measured.code ?? measured.unit;
  const from = said === null ? row.unit.code : ucumOf(scene, at, measured);
  const converted = from === null ? null : convertTo(scene, digits, from, row.unit.code, row);
  if (from === null || converted === null) {
    scene.notebook.find('unit.unmapped', at, said);
    return null;
  }
  if (converted.row !== null)
    scene.notebook.decide(at, 'unit', from, row.unit.code, {
      row: converted.row,
      source: row.source,
      reviewer: row.reviewer,
    });
  return { digits: converted.digits, quantity: quantity(converted.digits, row.unit.code, row.unit.text) };
}

const isOutside = (
  value: number,
  { low, high }: { readonly low: number | null; readonly high: number | null },
): boolean => (low !== null && value < low) || (high !== null && value > high);

/**
 * What is to be said of a value that can hardly be true; a value that cannot be is a finding that stops the document.
 */
export function judgeValue(scene: Scene, at: string, code: string, unit: string, digits: string): string | null {
  const row = scene.mappings.findPlausibility(code, unit);
  if (row === null) return null;
  const value = Number(digits);
  if (isOutside(value, row.hard)) {
    scene.notebook.find('value.implausible', at);
    scene.notebook.decide(at, 'value', 'outside the hard range', null, row);
    return 'Outside the range in which such a value can be true.';
  }
  if (!isOutside(value, row.soft)) return null;
  scene.notebook.find('value.rare', at);
  scene.notebook.decide(at, 'value', 'outside the usual range', 'sent with a note', row);
  return 'Outside the usual range of such values; sent as the source reported it.';
}
