import { canonicalJson, flatText, quote } from '../kernel/index.ts';
import { digitsOf, numberValue } from '../r4/index.ts';
import { isSharedElement, meaningText } from '../translate/index.ts';
import { plainText } from './chart-content.ts';

/** All that is written of one element of a resource, with its name in front. */
export interface ElementTexts {
  readonly name: string;
  readonly canonical: string;
  readonly meaning: string;
  /** As a fingerprint has it among the other elements; empty where nothing of it counts. */
  readonly other: string;
  /** JSON, cut at references. Null where that cannot be done. */
  readonly pieces: readonly string[] | null;
}

const REFERENCE = '"reference":"';
/** In JSON as it is. */
const PLAIN = /^[\w:./#-]*$/;

/** JSON cut at all that looks like a reference. Null where one would have to be escaped. */
export function cutAtReferences(json: string): readonly string[] | null {
  let at = json.indexOf(REFERENCE);
  if (at < 0) return [json];
  const pieces: string[] = [];
  let from = 0;
  for (; at >= 0; at = json.indexOf(REFERENCE, from)) {
    const begin = at + REFERENCE.length;
    const end = json.indexOf('"', begin);
    const reference = json.slice(begin, end);
    if (!PLAIN.test(reference)) return null;
    pieces.push(json.slice(from, begin), reference);
    from = end;
  }
  pieces.push(json.slice(from));
  return pieces;
}

export const otherOf = (name: string, text: string): string => (text === '' ? '' : flatText(name, ':', text));

const noReference = (reference: string): string => reference;

const known = new WeakMap<object, ElementTexts>();

/** Of an element that the translation uses again and again; null for any other, and for one with references. */
export function sharedTextsOf(name: string, element: object): ElementTexts | null {
  const found = known.get(element);
  if (found !== undefined) return found.name === name ? found : null;
  if (!isSharedElement(element)) return null;
  const json = JSON.stringify(element);
  if (json.includes('"reference"')) return null;
  const head = `${quote(name)}:`;
  const made = {
    name,
    canonical: flatText(head, canonicalJson(element)),
    meaning: flatText(head, meaningText(element)),
    other: otherOf(name, plainText(element, noReference)),
    pieces: [flatText(head, json)],
  };
  known.set(element, made);
  return made;
}

/** The texts around the number of a Quantity, which are the same for all of one unit. */
interface UnitTexts {
  readonly unit: string;
  readonly system: string;
  readonly canonical: string;
  readonly meaning: string;
  readonly json: string;
}
const UNITS_MAX = 500;
const UNIT_LENGTH_MAX = 100;
const units = new Map<string, UnitTexts>();

function unitTextsOf(code: string, system: string, unit: string): UnitTexts {
  const found = units.get(code);
  if (found !== undefined && found.unit === unit && found.system === system) return found;
  const [codeText, systemText, unitText] = [quote(code), quote(system), quote(unit)];
  const made = {
    unit,
    system,
    canonical: flatText(
      ...['"valueQuantity":{"code":', codeText, ',"system":', systemText],
      ...[',"unit":', unitText, ',"value":'],
    ),
    // The word beside the code is no part of what it means.
    meaning: flatText('"valueQuantity":{"code":', codeText, ',"system":', systemText, ',"value":'),
    json: flatText(',"unit":', unitText, ',"system":', systemText, ',"code":', codeText, '}'),
  };
  const length = code.length + unit.length + system.length;
  if (found === undefined && units.size < UNITS_MAX && length <= UNIT_LENGTH_MAX) units.set(code, made);
  return made;
}

const QUANTITY = ['value', 'unit', 'system', 'code'] as const;

/** Of a `valueQuantity` in the form that the translation gives it; null for any other. */
export function quantityTextsOf(element: Readonly<Record<string, unknown>>): ElementTexts | null {
  const names = Object.keys(element);
  if (names.length !== QUANTITY.length) return null;
  for (let i = 0; i < QUANTITY.length; i += 1) if (names[i] !== QUANTITY[i]) return null;
  const { value, unit, system, code } = element;
  const digits = digitsOf(value);
  const number = numberValue(value);
  if (digits === undefined || number === undefined || !Number.isFinite(number)) return null;
  if (typeof unit !== 'string' || typeof system !== 'string' || typeof code !== 'string') return null;
  const texts = unitTextsOf(code, system, unit);
  const canonical = `${number}}`;
  return {
    name: 'valueQuantity',
    canonical: texts.canonical + canonical,
    meaning: texts.meaning + canonical,
    other: '',
    pieces: [`"valueQuantity":{"value":${digits}${texts.json}`],
  };
}

/** Of an `identifier` that is one system and value, as the name of every resource is; null for any other. */
export function identifierTextsOf(element: unknown): ElementTexts | null {
  if (!Array.isArray(element) || element.length !== 1) return null;
  const only = element[0] as Readonly<Record<string, unknown>> | null;
  if (typeof only !== 'object' || only === null) return null;
  const [first, second, ...more] = Object.keys(only);
  const { system, value } = only;
  if (first !== 'system' || second !== 'value' || more.length > 0) return null;
  if (typeof system !== 'string' || typeof value !== 'string') return null;
  // Its names are sorted as they stand, so that its JSON is canonical.
  const text = `"identifier":[{"system":${quote(system)},"value":${quote(value)}}]`;
  return { name: 'identifier', canonical: text, meaning: text, other: '', pieces: [text] };
}
