import { numberValue } from '../../src/r4/index.ts';
import type { SearchParam } from './search-params.ts';
import {
  fold,
  literalOf,
  spanOf,
  spanOfElement,
  splitEscaped,
  textsOf,
  tokensOf,
  unescape,
  wordsOf,
  type Span,
} from './values.ts';

export type Modifier = '' | 'exact' | 'contains' | 'not' | 'missing' | 'text' | 'identifier';

/** Whether an element is what one value of a search asks for; null for a value that cannot be read. */
export type Test = (element: unknown) => boolean;

const PREFIXED = /^(eq|ne|gt|ge|lt|le|sa|eb|ap)?([-+\d].*)$/;
const NUMBER = /^[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * R4, 3.1.1.4.8, by the letter, whatever the sizes of both: `ge` is above or inside, `le` below or inside. So a Period
 * that begins at an instant and goes on is not `le` that instant.
 */
function compareSpans(prefix: string, wanted: Span, found: Span): boolean {
  const isInside = found.from >= wanted.from && found.to <= wanted.to;
  switch (prefix) {
    case 'ne':
      return !isInside;
    case 'gt':
      return found.to > wanted.to;
    case 'ge':
      return found.to > wanted.to || isInside;
    case 'lt':
      return found.from < wanted.from;
    case 'le':
      return found.from < wanted.from || isInside;
    case 'sa':
      return found.from >= wanted.to;
    case 'eb':
      return found.to <= wanted.from;
    case 'ap':
      return found.from < wanted.to && found.to > wanted.from;
    default:
      return isInside;
  }
}

function testDate(value: string): Test | null {
  const [, prefix = 'eq', text = ''] = PREFIXED.exec(value) ?? [];
  const wanted = spanOf(text);
  if (wanted === null) return null;
  return (element) => {
    const found = spanOfElement(element);
    return found !== null && compareSpans(prefix, wanted, found);
  };
}

/** `|code` means no system at all, `code` any, `system|` any code of it. */
function testToken(value: string): Test {
  const [first = '', second] = splitEscaped(value, '|').map(unescape);
  if (second === undefined) return (element) => tokensOf(element).some(({ code }) => code === first);
  return (element) =>
    tokensOf(element).some(({ system, code }) => system === first && (second === '' || code === second));
}

function testWords(value: string): Test {
  const wanted = fold(unescape(value));
  return (element) => wordsOf(element).some((text) => fold(text).includes(wanted));
}

/** A bare id means that id at this server, of any type that the parameter may point at. */
function testReference(value: string): Test {
  if (!value.includes('/')) {
    const end = `/${value}`;
    return (element) => {
      const literal = literalOf(element);
      return literal !== null && (literal.includes(':') ? literal === value : literal.endsWith(end));
    };
  }
  return (element) => {
    const literal = literalOf(element);
    // A canonical of any version is meant by one of none.
    return literal === value || (literal?.startsWith(`${value}|`) ?? false);
  };
}

function testText(value: string, modifier: Modifier): Test {
  const exact = unescape(value);
  if (modifier === 'exact') return (element) => textsOf(element).includes(exact);
  const wanted = fold(exact);
  return modifier === 'contains'
    ? (element) => textsOf(element).some((text) => fold(text).includes(wanted))
    : (element) => textsOf(element).some((text) => fold(text).startsWith(wanted));
}

/** What a number could have been before it was rounded: half of its last digit to both sides. */
function reachOf(number: string): number {
  const [digits = '', exponent = '0'] = number.toLowerCase().split('e');
  return 0.5 * 10 ** (Number(exponent) - (digits.split('.')[1]?.length ?? 0));
}

const COMPARE: Readonly<Record<string, (low: number, high: number, wanted: number, reach: number) => boolean>> = {
  eq: (low, high, wanted, reach) => low >= wanted - reach && high < wanted + reach,
  ne: (low, high, wanted, reach) => low < wanted - reach || high >= wanted + reach,
  gt: (_low, high, wanted) => high > wanted,
  ge: (_low, high, wanted) => high >= wanted,
  lt: (low, _high, wanted) => low < wanted,
  le: (low, _high, wanted) => low <= wanted,
  sa: (low, _high, wanted) => low > wanted,
  eb: (_low, high, wanted) => high < wanted,
  ap: (low, high, wanted) => low <= wanted + Math.abs(wanted) / 10 && high >= wanted - Math.abs(wanted) / 10,
};

interface Quantityish {
  readonly value?: unknown;
  readonly system?: unknown;
  readonly code?: unknown;
  readonly unit?: unknown;
  readonly low?: Quantityish;
  readonly high?: Quantityish;
}

/** `5.4|http://unitsofmeasure.org|mg`, `5.4||mg` (code or unit) or `5.4`. Units are compared, not converted. */
function testQuantity(value: string): Test | null {
  const [amount = '', system = '', unit = ''] = splitEscaped(value, '|').map(unescape);
  const [, prefix = 'eq', number = ''] = PREFIXED.exec(amount) ?? [];
  const compare = COMPARE[prefix];
  if (!NUMBER.test(number) || compare === undefined) return null;
  const [wanted, reach] = [Number(number), reachOf(number)];
  const isUnit = (found: Quantityish): boolean =>
    unit === '' ||
    (system === '' ? found.code === unit || found.unit === unit : found.system === system && found.code === unit);
  return (element) => {
    if (typeof element !== 'object' || element === null) return false;
    const one = element as Quantityish;
    const [low, high] = [one.low ?? one, one.high ?? one];
    const [from, to] = [numberValue(low.value), numberValue(high.value)];
    if (from === undefined && to === undefined) return false;
    return isUnit(from === undefined ? high : low) && compare(from ?? -Infinity, to ?? Infinity, wanted, reach);
  };
}

const KM_PER: Readonly<Record<string, number>> = { km: 1, m: 0.001, '[mi_i]': 1.609344, mi: 1.609344 };
const EARTH_KM = 6371;
const DISTANCE_STANDARD_KM = 50;

/** `latitude|longitude|distance|unit`, of a Location's position. */
function testNear(value: string): Test | null {
  const [latitude = NaN, longitude = NaN] = value.split('|').slice(0, 2).map(Number);
  const [, , distance = String(DISTANCE_STANDARD_KM), unit = 'km'] = value.split('|');
  const mostKm = Number(distance) * (KM_PER[unit] ?? NaN);
  if ([latitude, longitude, mostKm].some(Number.isNaN)) return null;
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  return (element) => {
    const position = element as { readonly latitude?: unknown; readonly longitude?: unknown };
    const [lat, lon] = [numberValue(position.latitude), numberValue(position.longitude)];
    if (lat === undefined || lon === undefined) return false;
    const half =
      Math.sin(radians(lat - latitude) / 2) ** 2 +
      Math.cos(radians(lat)) * Math.cos(radians(latitude)) * Math.sin(radians(lon - longitude) / 2) ** 2;
    return 2 * EARTH_KM * Math.asin(Math.sqrt(half)) <= mostKm;
  };
}

function testComposite(value: string, parts: readonly SearchParam[]): Test | null {
  const values = splitEscaped(value, '$');
  if (values.length !== parts.length) return null;
  const tests = parts.map((part, i) => ({ part, test: testValue(part, '', values[i] ?? '') }));
  if (tests.some(({ test }) => test === null)) return null;
  return (element) => tests.every(({ part, test }) => part.read(element).some((one) => test?.(one) === true));
}

const MISSING: Test = () => true;

/** How one value of a parameter is compared with what the parameter reads. Null where the value cannot be read. */
export function testValue(param: SearchParam, modifier: Modifier, value: string): Test | null {
  if (modifier === 'missing') return value === 'true' || value === 'false' ? MISSING : null;
  switch (param.kind) {
    case 'token':
      return modifier === 'text' ? testWords(value) : testToken(value);
    case 'reference': {
      if (modifier !== 'identifier') return testReference(value);
      const test = testToken(value);
      return (element) => test((element as { readonly identifier?: unknown }).identifier);
    }
    case 'date':
      return testDate(value);
    case 'string':
      return testText(value, modifier);
    case 'uri':
      return (element) => element === unescape(value);
    case 'quantity':
      return testQuantity(value);
    case 'composite':
      return testComposite(value, param.parts ?? []);
    case 'special':
      return testNear(value);
  }
}
