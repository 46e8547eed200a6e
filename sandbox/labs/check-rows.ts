import type { Row } from './find-rows.ts';

const PREFIX: Readonly<Record<string, number>> = { k: 3, '': 0, m: -3, u: -6, n: -9, p: -12 };
const VOLUME: Readonly<Record<string, number>> = { '': 0, d: -1, m: -3, u: -6 };

/** How much of the base unit one of these is, for amounts in a volume; units of one form differ by nothing else. */
function scaleOf(unit: string): number {
  const [, prefix, volume] = /^(k|m|u|n|p)?(?:g|mol|\[IU\])\/(d|m|u)?L/.exec(unit) ?? [];
  if (!/^(k|m|u|n|p)?(?:g|mol|\[IU\])\/(d|m|u)?L/.test(unit)) return 1;
  return 10 ** ((PREFIX[prefix ?? ''] ?? 0) - (VOLUME[volume ?? ''] ?? 0));
}

/** Whether a body can be so: within the limits of its form. */
export function isPlausible({ form, value, unit }: Row): boolean {
  if (form.kind === 'words' || value.kind === 'word') return form.kind === 'words' && value.kind === 'word';
  const factor = unit === null ? 1 : scaleOf(unit) / scaleOf(form.units[0] ?? unit);
  const numbers = value.kind === 'range' ? [value.low, value.high] : [value.digits];
  return numbers.every(
    (digits) => Number(digits) * factor >= form.low * 0.999 && Number(digits) * factor <= form.high * 1.001,
  );
}

/**
 * A result that is not there leaves its reference behind, which then looks like one: `Negative`, `<3.0`. Where a
 * document gives references, such a value needs one beside it.
 */
function isReference({ value, range }: Row, all: readonly Row[]): boolean {
  if (range !== null || (value.kind === 'number' && value.comparator === null)) return false;
  return all.filter((row) => row.range !== null).length > all.length / 2;
}

const sameAs = (a: Row, b: Row): boolean => JSON.stringify([a.value, a.unit]) === JSON.stringify([b.value, b.unit]);

export interface Checked {
  readonly rows: readonly Row[];
  /** Found and not believed. */
  readonly leftOut: number;
}

/** A result said twice is one; one that is said in two ways is none. */
export function checkRows(all: readonly Row[]): Checked {
  const plausible = all.filter((row) => isPlausible(row) && !isReference(row, all));
  const byCode = new Map<string, Row[]>();
  for (const row of plausible) byCode.set(row.form.loinc, [...(byCode.get(row.form.loinc) ?? []), row]);
  const rows = [...byCode.values()].flatMap((same) => {
    const [first] = same;
    return first !== undefined && same.every((row) => sameAs(row, first)) ? [first] : [];
  });
  const said = new Set(all.map((row) => row.form.loinc)).size;
  return { rows, leftOut: said - rows.length };
}
