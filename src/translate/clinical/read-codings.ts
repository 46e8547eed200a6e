import type { MappedCoding, Mappings } from '../../mappings/index.ts';
import { isLastingElement } from '../../r4/index.ts';
import { listOf, textOf, type Part } from '../parts.ts';
import { LOINC } from '../scene.ts';

/** What the codings of one entry say, whatever their order. */
export interface ReadCodings {
  /**
   * By which the measurement is named: the source's own code, or LOINC where the source gives nothing else that is
   * known.
   */
  readonly coding: MappedCoding;
  /** What the source itself says in LOINC; each code once, in order. */
  readonly loincs: readonly MappedCoding[];
  /** Further codes of the source on the same entry. */
  readonly others: readonly MappedCoding[];
}

const NONE: readonly MappedCoding[] = [];

function toCoding(given: Part, text: string | null): MappedCoding {
  const display = textOf(given['display']);
  const system = textOf(given['system']) ?? '';
  const code = textOf(given['code']) ?? text ?? '';
  return display === null ? { system, code } : { system, code, display };
}

const keyOf = ({ system, code }: MappedCoding): string => `${system}|${code}`;

/** Each code once, with the first of its displays. */
function inOrder(codings: readonly MappedCoding[]): MappedCoding[] {
  const byKey = new Map<string, MappedCoding>();
  const rank = (one: MappedCoding): string => `${keyOf(one)} ${one.display === undefined ? '1' : `0${one.display}`}`;
  for (const one of codings.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)))
    if (!byKey.has(keyOf(one))) byKey.set(keyOf(one), one);
  return [...byKey.values()];
}

interface Remembered {
  readonly mappings: Mappings;
  readonly read: ReadCodings;
}
/** Of codes that are the same object in many documents. */
const remembered = new WeakMap<Part, Remembered>();

export function readCodings(code: Part, mappings: Mappings): ReadCodings {
  if (!isLastingElement(code)) return read(code, mappings);
  const known = remembered.get(code);
  if (known?.mappings === mappings) return known.read;
  const made = { mappings, read: read(code, mappings) };
  remembered.set(code, made);
  return made.read;
}

function read(code: Part, mappings: Mappings): ReadCodings {
  const given = listOf(code['coding']);
  const text = textOf(code['text']);
  const [first] = given;
  if (first === undefined || given.length === 1) {
    const coding = toCoding(first ?? {}, text);
    return { coding, loincs: coding.system === LOINC ? [coding] : NONE, others: NONE };
  }
  const all = inOrder(given.map((one) => toCoding(one, text)));
  const loincs = all.filter(({ system }) => system === LOINC);
  const isKnown = ({ system, code: one }: MappedCoding): boolean => mappings.loincsOf(system, one) !== null;
  const own = all.filter(({ system }) => system === mappings.uris.code);
  const named = own.length > 0 ? own : all.filter((one) => one.system !== LOINC && isKnown(one));
  const coding = named.find(isKnown) ?? named[0] ?? loincs[0] ?? all[0] ?? toCoding({}, text);
  return { coding, loincs, others: named.filter((one) => one !== coding) };
}
