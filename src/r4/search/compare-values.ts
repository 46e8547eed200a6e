import { isElement } from '../runtime/is-element.ts';
import { numberValue } from '../runtime/raw-number.ts';
import type { Fit } from './compare-dates.ts';
import { localReference, matchesToken, splitSearchValue, tokensOf, unescapeSearchValue } from './match-search.ts';

/** Letters and digits alone: servers differ in case, accents, blanks and the signs in a number. */
const bareOf = (text: string): string => {
  const plain = text.normalize('NFKD').toLowerCase();
  const letters = plain.replace(/[^\p{L}\p{N}]/gu, '');
  return letters === '' ? plain : letters;
};

const isSameSystem = (a: string, b: string): boolean => bareOf(a) === bareOf(b);

export function compareToken(value: unknown, wanted: string): Fit {
  if (matchesToken(value, wanted)) return 'yes';
  const [first = '', code] = splitSearchValue(wanted, '|').map(unescapeSearchValue);
  const mayBe = tokensOf(value).some((token) => {
    const isCode = (text: string): boolean => token.code !== undefined && bareOf(token.code) === bareOf(text);
    if (code === undefined) return isCode(first);
    const isSystem = first === '' || token.system === undefined || isSameSystem(token.system, first);
    return isSystem && (code === '' || isCode(code));
  });
  return mayBe ? 'maybe' : 'no';
}

/** Whether every code of a value is one that was not wanted; one of several may be what a server looks at. */
export const isOnlyToken = (value: unknown, wanted: readonly string[]): boolean => {
  const tokens = tokensOf(value);
  return (
    tokens.length > 0 &&
    tokens.every((token) => wanted.some((one) => matchesToken(token.system === undefined ? token.code : token, one)))
  );
};

export function compareReference(value: unknown, wanted: string, type: string | null, base: string | undefined): Fit {
  const found = localReference(value, base);
  if (found !== null && (type === null || found.type === type)) {
    if (wanted === found.id || wanted === `${found.type}/${found.id}`) return 'yes';
  }
  const written = isElement(value) ? value['reference'] : value;
  // What is known by a number, or contained, may be the one that is meant.
  if (typeof written !== 'string' || written.startsWith('#')) return 'maybe';
  // Of an address the version is left out, which stands behind a bar in the name of a definition.
  const last = (text: string): string =>
    text
      .split(/\/_history\/|\|/)[0]
      ?.split('/')
      .at(-1)
      ?.toLowerCase() ?? '';
  return last(written) === last(wanted) ? 'maybe' : 'no';
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isElement(value) ? Object.values(value).flatMap(textsOf) : [];
}

export function compareString(value: unknown, wanted: string, modifier: string | undefined): Fit {
  const text = unescapeSearchValue(wanted);
  const texts = textsOf(value);
  const bare = bareOf(text);
  const isSure = (one: string): boolean => {
    if (modifier === 'exact') return one === text;
    return modifier === 'contains' ? bareOf(one).includes(bare) : bareOf(one).startsWith(bare);
  };
  if (texts.some(isSure)) return 'yes';
  return bareOf(texts.join(' ')).includes(bare) ? 'maybe' : 'no';
}

export function compareUri(value: unknown, wanted: string): Fit {
  const texts = textsOf(value);
  const text = unescapeSearchValue(wanted);
  if (texts.includes(text)) return 'yes';
  const bare = bareOf(text);
  return texts.some((one) => bareOf(one).startsWith(bare) || bare.startsWith(bareOf(one))) ? 'maybe' : 'no';
}

function compareNumber(prefix: string, it: number, asked: number, digit: number): Fit {
  switch (prefix) {
    case 'eq':
      return Math.abs(it - asked) < digit / 2 ? 'yes' : Math.abs(it - asked) > digit ? 'no' : 'maybe';
    case 'ne':
      return Math.abs(it - asked) > digit ? 'yes' : 'maybe';
    case 'gt':
    case 'sa':
      return it > asked ? 'yes' : it < asked - digit ? 'no' : 'maybe';
    case 'ge':
      return it >= asked ? 'yes' : it < asked - digit ? 'no' : 'maybe';
    case 'lt':
    case 'eb':
      return it < asked ? 'yes' : it > asked + digit ? 'no' : 'maybe';
    case 'le':
      return it <= asked ? 'yes' : it > asked + digit ? 'no' : 'maybe';
    default:
      return 'maybe';
  }
}

/** `5.4|http://unitsofmeasure.org|mg`, or a number alone. In another unit it may be the same. */
export function compareQuantity(value: unknown, wanted: string): Fit {
  const [number = '', system = '', code = ''] = splitSearchValue(wanted, '|').map(unescapeSearchValue);
  const [, prefix = 'eq', text = ''] = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?([+-]?\d.*)$/.exec(number) ?? [];
  const asked = Number(text);
  const given = isElement(value) ? value : {};
  const it = numberValue(value) ?? numberValue(given['value']);
  if (Number.isNaN(asked) || it === undefined || given['comparator'] !== undefined) return 'maybe';
  const [, decimals = '', exponent = '0'] = /^[+-]?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const fit = compareNumber(prefix, it, asked, 10 ** (Number(exponent) - decimals.length));
  const isSameUnit =
    code === '' ||
    ((system === '' || given['system'] === system) && (given['code'] === code || given['unit'] === code));
  if (isSameUnit) return code === '' && fit === 'yes' && given['code'] !== undefined ? 'maybe' : fit;
  return 'maybe';
}
