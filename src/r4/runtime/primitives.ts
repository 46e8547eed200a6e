import { isDate, isDateTime, isInstant, isTime } from './dates.ts';
import { isRawNumber } from './raw-number.ts';

const STRING_MAX = 1_048_576;
const INT_MAX = 2_147_483_647;
/**
 * Up to here a loop beats the call of a regular expression (measured: 24 against 47 ns at 12 characters, 75 against 47
 * at 32).
 */
const SHORT = 14;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const NOT_URI = /[\u0000-\u0020\ud800-\udfff]/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const OID = /^[0-2](?:\.(?:0|[1-9]\d*))+$/;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;
const PADDING = /^={1,2}$/;

export const isBoolean = (v: unknown): boolean => v === true || v === false;

/** A kept text such as 1.0 or 1e3 is no integer in FHIR; -0 is the only kept text that is one. */
export const isInteger = (v: unknown): boolean =>
  typeof v === 'number' ? (v | 0) === v : v !== null && typeof v === 'object' && isRawNumber(v) && v.rawJSON === '-0';

export const isUnsignedInt = (v: unknown): boolean => typeof v === 'number' && v >= 0 && v <= INT_MAX && (v | 0) === v;

export const isPositiveInt = (v: unknown): boolean => isUnsignedInt(v) && v !== 0;

export const isDecimal = (v: unknown): boolean =>
  typeof v === 'number'
    ? v - v === 0
    : v !== null && typeof v === 'object' && isRawNumber(v) && Number.isFinite(Number(v.rawJSON));

/** Short strings are read here, because calling the regular expression costs more than reading them. */
export function isString(v: unknown): boolean {
  if (typeof v !== 'string') return false;
  const length = v.length;
  if (length === 0 || length > STRING_MAX) return false;
  if (length > SHORT) return !CONTROL.test(v) && v.isWellFormed();
  for (let i = 0; i < length; i++) {
    const char = v.charCodeAt(i);
    if (char < 32) {
      if (char !== 9 && char !== 10 && char !== 13) return false;
    } else if (char >= 0xd800 && char <= 0xdfff) return v.isWellFormed() && !CONTROL.test(v);
  }
  return true;
}

export function isCode(v: unknown): boolean {
  if (typeof v !== 'string' || v.length > STRING_MAX) return false;
  let wasSpace = true;
  for (let i = 0; i < v.length; i++) {
    const char = v.charCodeAt(i);
    if (char > 32) {
      if (char >= 0xd800 && char <= 0xdfff && !v.isWellFormed()) return false;
      wasSpace = false;
    } else if (wasSpace || (char !== 32 && char !== 9 && char !== 10 && char !== 13)) return false;
    else wasSpace = true;
  }
  return !wasSpace;
}

export function isId(v: unknown): boolean {
  if (typeof v !== 'string' || v.length === 0 || v.length > 64) return false;
  for (let i = 0; i < v.length; i++) {
    const c = v.charCodeAt(i);
    if (!((c >= 97 && c <= 122) || (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || c === 45 || c === 46)) return false;
  }
  return true;
}

function isUuidAt(v: string, from: number): boolean {
  for (let i = 0; i < 36; i++) {
    const char = v.charCodeAt(from + i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (char !== 45) return false;
    } else if (!((char >= 48 && char <= 57) || (char >= 97 && char <= 102) || (char >= 65 && char <= 70))) return false;
  }
  return true;
}

/** Up to where the URI itself goes: a canonical may name a version, and either a part of what it leads to. */
function endOfUri(v: string, from: number, mayHaveVersion: boolean): number {
  for (let i = from; i < v.length; i++) {
    const char = v.charCodeAt(i);
    if (char === 35 || (char === 124 && mayHaveVersion)) return i;
  }
  return v.length;
}

function isUriOf(v: unknown, mayHaveVersion: boolean): boolean {
  if (typeof v !== 'string' || v.length === 0 || v.length > STRING_MAX) return false;
  const first = v.charCodeAt(0);
  const isUrn = first === 117 && v.startsWith('urn:');
  // Upper case is tolerated in urn:uuid: official examples have it.
  if (isUrn && v.startsWith('uuid:', 4) && v.length === 45) return isUuidAt(v, 9);
  if (NOT_URI.test(v) && (/[\u0000-\u0020]/.test(v) || !v.isWellFormed())) return false;
  if (!isUrn) return first === 111 ? !v.startsWith('oid:') : first !== 117 || !v.startsWith('uuid:');
  if (v.startsWith('uuid:', 4)) return endOfUri(v, 9, mayHaveVersion) === 45 && isUuidAt(v, 9);
  return !v.startsWith('oid:', 4) || OID.test(v.slice(8, endOfUri(v, 8, mayHaveVersion)));
}

export const isUri = (v: unknown): boolean => isUriOf(v, false);

export const isCanonical = (v: unknown): boolean => isUriOf(v, true);

export const isOid = (v: unknown): boolean => typeof v === 'string' && v.startsWith('urn:oid:') && OID.test(v.slice(8));

export const isUuid = (v: unknown): boolean =>
  typeof v === 'string' && v.startsWith('urn:uuid:') && UUID.test(v.slice(9));

export function isBase64(v: unknown): boolean {
  if (typeof v !== 'string' || v.length === 0) return false;
  const text = /\s/.test(v) ? v.replace(/[ \t\r\n]+/g, '') : v;
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const at = text.search(NOT_BASE64);
  return at === -1 || PADDING.test(text.slice(at));
}

export const isXhtml = (v: unknown): boolean => typeof v === 'string';

/** How the generated code names the check of each primitive type. */
export const PRIMITIVES = {
  boolean: isBoolean,
  integer: isInteger,
  unsignedInt: isUnsignedInt,
  positiveInt: isPositiveInt,
  decimal: isDecimal,
  string: isString,
  markdown: isString,
  code: isCode,
  id: isId,
  uri: isUri,
  url: isUri,
  canonical: isCanonical,
  oid: isOid,
  uuid: isUuid,
  date: isDate,
  dateTime: isDateTime,
  instant: isInstant,
  time: isTime,
  base64Binary: isBase64,
  xhtml: isXhtml,
} as const satisfies Record<string, (v: unknown) => boolean>;

export type PrimitiveName = keyof typeof PRIMITIVES;

export const isPrimitiveName = (name: string): name is PrimitiveName => Object.hasOwn(PRIMITIVES, name);
