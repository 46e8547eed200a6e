import type { ConsistencyRow } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { digitsOf } from '../../r4/index.ts';
import { listOf, partOf, wordOf, type Part } from '../parts.ts';
import type { Scene } from '../scene.ts';
import { effectiveOf } from '../times.ts';
import type { Wanted } from '../translation.ts';

/** One value of the document, with the Observation that holds it. */
interface Value {
  readonly wanted: Wanted;
  readonly digits: string;
  readonly value: number;
  readonly start: string;
}
type ValuesOf = (code: string) => readonly Value[];
/** What does not fit together, and what is to be said of it. */
interface Misfit {
  readonly wanted: readonly Wanted[];
  readonly note: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WITHDRAWN = new Set<unknown>(['entered-in-error', 'cancelled']);

const codeIn = (part: Part): string => wordOf(listOf(partOf(part['code'])['coding'])[0]?.['code']);

const differsBy = (a: number, b: number): number => Math.abs(a - b) / Math.min(Math.abs(a), Math.abs(b));

/** `valuesOf` sees each value under the first code of its Observation or component. */
function readValues(content: readonly Wanted[], codes: ReadonlySet<string>): ValuesOf {
  const byCode = new Map<string, Value[]>();
  for (const wanted of content) {
    const { resource } = wanted;
    if (wanted.waits !== undefined || WITHDRAWN.has(resource['status'])) continue;
    const components = listOf(resource['component']);
    for (const part of components.length === 0 ? [resource] : components) {
      const code = codeIn(part);
      const digits = codes.has(code) ? digitsOf(partOf(part['valueQuantity'])['value']) : undefined;
      if (digits === undefined) continue;
      const known = byCode.get(code);
      const value = { wanted, digits, value: Number(digits), start: effectiveOf(resource)?.start ?? '' };
      if (known === undefined) byCode.set(code, [value]);
      else known.push(value);
    }
  }
  return (code) => byCode.get(code) ?? [];
}

/** Both sides of one Observation. */
function misfitsInOrder({ lower, upper }: Extract<ConsistencyRow, { kind: 'order' }>, valuesOf: ValuesOf): Misfit[] {
  return valuesOf(upper).flatMap(({ wanted, value }) => {
    const other = valuesOf(lower).find((one) => one.wanted === wanted);
    return other === undefined || value >= other.value
      ? []
      : [{ wanted: [wanted], note: 'The value that must be the higher of the two is the lower one.' }];
  });
}

/** Of several weights and heights of the day one pair that fits is enough. */
function misfitsOfIndex(row: Extract<ConsistencyRow, { kind: 'body-mass-index' }>, valuesOf: ValuesOf): Misfit[] {
  return valuesOf(row.index).flatMap((index) => {
    const ofDay = (code: string): readonly Value[] =>
      valuesOf(code).filter(({ wanted }) => wanted.chartDay === index.wanted.chartDay);
    const [weights, heights] = [ofDay(row.weight), ofDay(row.height)];
    if (weights.length === 0 || heights.length === 0) return [];
    const isFitting = weights.some(({ value: kg }) =>
      heights.some(({ value: cm }) => differsBy(index.value, kg / (cm / 100) ** 2) <= row.share),
    );
    const wanted = [index, ...weights, ...heights].map((one) => one.wanted);
    return isFitting ? [] : [{ wanted, note: 'Weight, height and body mass index of this day do not fit together.' }];
  });
}

/** Each two values of one code that are no further apart than so many hours. */
function misfitsByJump(
  { code, share, hours }: Extract<ConsistencyRow, { kind: 'jump' }>,
  valuesOf: ValuesOf,
): Misfit[] {
  const found = valuesOf(code);
  if (found.length < 2) return [];
  const values = found.map((one) => ({ ...one, startMs: Date.parse(one.start) }));
  type Timed = (typeof values)[number];
  const isJump = (a: Timed, b: Timed): boolean =>
    Math.abs(a.startMs - b.startMs) < hours * HOUR_MS && differsBy(a.value, b.value) > share;
  const wanted = values.filter((one) => values.some((other) => isJump(one, other))).map((one) => one.wanted);
  const note = `Differs by more than ${Math.round(share * 100)} % from another value within ${hours} hours.`;
  return wanted.length === 0 ? [] : [{ wanted, note }];
}

/** One value, to the last digit, on so many days in a row. */
function misfitsByRepeat({ code, days }: Extract<ConsistencyRow, { kind: 'repeat' }>, valuesOf: ValuesOf): Misfit[] {
  if (valuesOf(code).length < days) return [];
  const byDay = new Map<number, Value[]>();
  for (const one of valuesOf(code)) {
    const day = Date.parse(one.wanted.chartDay ?? '') / DAY_MS;
    if (!Number.isNaN(day)) byDay.set(day, [...(byDay.get(day) ?? []), one]);
  }
  const repeated = new Set<Wanted>();
  let run: Value[] = [];
  let before = { day: NaN, digits: '' };
  for (const [day, values] of [...byDay].sort(([a], [b]) => a - b)) {
    const [first] = values;
    const digits = first !== undefined && values.every((one) => one.digits === first.digits) ? first.digits : '';
    run = digits !== '' && day === before.day + 1 && digits === before.digits ? [...run, ...values] : values;
    before = { day, digits };
    if (new Set(run.map(({ wanted }) => wanted.chartDay)).size >= days)
      for (const { wanted } of run) repeated.add(wanted);
  }
  const note = `The same value on ${days} days in a row or more: the source may have repeated one reading.`;
  return repeated.size === 0 ? [] : [{ wanted: [...repeated], note }];
}

function misfitsOf(row: ConsistencyRow, valuesOf: ValuesOf): readonly Misfit[] {
  switch (row.kind) {
    case 'order':
      return misfitsInOrder(row, valuesOf);
    case 'body-mass-index':
      return misfitsOfIndex(row, valuesOf);
    case 'jump':
      return misfitsByJump(row, valuesOf);
    case 'repeat':
      return misfitsByRepeat(row, valuesOf);
  }
}

const AFTER_NOTE = new Set([
  'bodySite',
  'method',
  'specimen',
  'device',
  'referenceRange',
  'hasMember',
  'derivedFrom',
  'component',
]);

/** In its place, so that the order of elements stays that of the standard. */
function withNote(resource: AnyResource, text: string): AnyResource {
  const note = [...listOf(resource['note']).filter((one) => one['text'] !== text), { text }];
  const names = Object.entries(resource).filter(([name]) => name !== 'note');
  const isBefore = ([name]: readonly [string, unknown]): boolean => !AFTER_NOTE.has(name);
  return Object.fromEntries([
    ...names.filter(isBefore),
    ['note', note],
    ...names.filter((one) => !isBefore(one)),
  ]) as unknown as AnyResource;
}

const codesIn = new WeakMap<readonly ConsistencyRow[], ReadonlySet<string>>();
function codesOf(rows: readonly ConsistencyRow[]): ReadonlySet<string> {
  const known = codesIn.get(rows);
  if (known !== undefined) return known;
  const codes = new Set(
    rows.flatMap((row): string[] => {
      if (row.kind === 'order') return [row.lower, row.upper];
      return row.kind === 'body-mass-index' ? [row.weight, row.height, row.index] : [row.code];
    }),
  );
  codesIn.set(rows, codes);
  return codes;
}

/**
 * What the measurements of one document are to each other, by the rows of `plausibility.json`. A row says what becomes
 * of what does not fit: it waits, goes out as preliminary, or goes out with a note.
 */
export function checkConsistency(
  scene: Scene,
  content: readonly Wanted[],
  atOf: (wanted: Wanted) => string,
): readonly Wanted[] {
  const { mappings, notebook } = scene;
  const rows = mappings.consistency;
  if (rows.length === 0) return content;
  const valuesOf = readValues(content, codesOf(rows));
  const changed = new Map<Wanted, Wanted>();
  for (const row of rows)
    for (const { wanted, note } of misfitsOf(row, valuesOf))
      for (const one of new Set(wanted)) {
        const at = atOf(one);
        const mark = notebook.mark();
        notebook.find(row.action === 'park' ? 'values.contradict' : 'values.doubtful', at, row.kind);
        notebook.decide(at, 'value', row.kind, row.action === 'park' ? null : `sent with a note (${row.action})`, row);
        const why = notebook.heldSince(mark);
        const before = changed.get(one) ?? one;
        const resource = withNote(before.resource, note);
        const isPreliminary = row.action === 'preliminary' && resource['status'] === 'final';
        changed.set(one, {
          ...before,
          resource: isPreliminary ? { ...resource, status: 'preliminary' } : resource,
          ...(why === null ? {} : { waits: { at, why } }),
        });
      }
  return changed.size === 0 ? content : content.map((one) => changed.get(one) ?? one);
}
