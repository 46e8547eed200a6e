import { deepFreeze } from './deep-freeze.ts';
import type { CodeRow, UnitRow } from './mapping.ts';
import { normaliseName, normaliseUnit, normaliseWord } from './normalise.ts';
import type { Report } from './problem.ts';
import { origin, type MapForm, type MapRow } from './read-concept-map.ts';
import { LOINC, UCUM } from './systems.ts';

const toWords = (system: string, normalise: (word: string) => string): MapForm => ({
  to: [system],
  when: [],
  gives: [],
  normalise,
});

export const PANEL_FORM = toWords(LOINC, normaliseName);
export const UNIT_FORM = toWords(UCUM, normaliseUnit);
export const CATEGORY_FORM = toWords('http://terminology.hl7.org/CodeSystem/observation-category', (code) => code);
export const INTERPRETATION_FORM = toWords(
  'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
  normaliseWord,
);
export const DEVICE_FORM = toWords('urn:iso:std:iso:11073:10101', normaliseWord);
export const SNOMED_FORM = toWords('http://snomed.info/sct', normaliseWord);

/** A map from words to codes. The question is written as the keys are. */
export function buildWords(maps: readonly MapRow[], { normalise }: MapForm): (word: string) => CodeRow | null {
  const rows = new Map<string, CodeRow>(
    maps.map((map) => [map.code, deepFreeze({ ...origin(map), codings: [map.target], equivalence: map.equivalence })]),
  );
  return (word) => rows.get(normalise(word)) ?? null;
}

/** These call for immediate action; no word of the source may. */
const CRITICAL = ['LL', 'HH', 'AA'];

export function checkInterpretations(maps: readonly MapRow[], report: Report): void {
  for (const { row, target } of maps)
    if (CRITICAL.includes(target.code)) report(row, `${target.code} must not be derived from a word`);
}

/**
 * As written first; then in lower case, where all rows of that spelling agree: `MG/DL` is mg/dL, but `G/L` is not g/L.
 */
export function buildUnitTexts(maps: readonly MapRow[]): (text: string) => UnitRow | null {
  const exact = new Map<string, UnitRow>(
    maps.map((map) => [map.code, deepFreeze({ ...origin(map), ucum: map.target.code })]),
  );
  const lower = new Map<string, UnitRow | null>();
  for (const [text, row] of exact) {
    const before = lower.get(text.toLowerCase());
    lower.set(text.toLowerCase(), before === undefined || before?.ucum === row.ucum ? (before ?? row) : null);
  }
  return (text) => {
    const asked = normaliseUnit(text);
    return exact.get(asked) ?? lower.get(asked.toLowerCase()) ?? null;
  };
}
