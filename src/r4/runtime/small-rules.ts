import { createHash } from 'node:crypto';
import { isObject, isObjectOrArray } from '../../kernel/index.ts';
import { flag, type Context } from './context.ts';
import { isAfter } from './dates.ts';
import { show } from './say.ts';
import { isUcum } from './ucum.ts';

const UCUM = 'http://unitsofmeasure.org';
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]{0,60}:/;
/**
 * RFC 6838 names, with parameters (whose values hold blanks in HL7's examples); CapabilityStatement.format and
 * TestScript also say plain `xml` and `json`.
 */
const MIME =
  /^[A-Za-z0-9][\w!#$&^.+-]{0,126}(?:\/[A-Za-z0-9*][\w!#$&^.+-]{0,126})?(?:\s*;\s*[\w!#$&^.+-]+=(?:"[^"]*"|[^;"]+))*$/;

export const isMime = (v: unknown): boolean => typeof v === 'string' && v.length <= 1_000 && MIME.test(v);

export function checkPeriod(start: unknown, end: unknown, c: Context, path: string): boolean {
  if (typeof start !== 'string' || typeof end !== 'string' || !isAfter(start, end)) return true;
  return flag(c, 'per-1', path, `The period ends (${end}) before it starts (${start}).`);
}

/** Asked only where there is a system. */
export function checkUnit(system: unknown, code: unknown, c: Context, path: string): boolean {
  if (system !== UCUM) return checkAbsolute('coding-system', system, c, `${path}.system`);
  if (code === undefined || isUcum(code)) return true;
  return flag(c, 'ucum', `${path}.code`, `${JSON.stringify(code)} is not a valid UCUM code.`);
}

function checkAbsolute(
  rule: 'coding-system' | 'identifier-system',
  system: unknown,
  c: Context,
  path: string,
): boolean {
  if (typeof system !== 'string' || system.startsWith('http') || ABSOLUTE.test(system)) return true;
  return flag(c, rule, path, `${show(system)} is not an absolute URI.`);
}

const URI_ITSELF = 'urn:ietf:rfc:3986';

/** Asked only where there is a system. */
export function checkIdentifier(system: unknown, value: unknown, c: Context, path: string): boolean {
  if (system !== URI_ITSELF) return checkAbsolute('identifier-system', system, c, `${path}.system`);
  return checkAbsolute('identifier-system', value, c, `${path}.value`);
}

/** HL7's own value sets: http://hl7.org/fhir/ValueSet/… and http://terminology.hl7.org/ValueSet/… */
const VALUE_SET = /^http:\/\/(?:hl7\.org\/fhir|terminology\.hl7\.org)\/ValueSet\//;

export function checkCodingSystem(system: unknown, c: Context, path: string): boolean {
  if (typeof system !== 'string') return true;
  if (!system.startsWith('http')) return checkAbsolute('coding-system', system, c, path);
  // Both have their V here, and hardly any other system has one.
  if ((system.charCodeAt(20) !== 86 && system.charCodeAt(27) !== 86) || !VALUE_SET.test(system)) return true;
  return flag(c, 'coding-value-set', path, `Coding.system ${show(system)} is a value set; name its code system.`);
}

/** A code that its system does not have is an error, whatever the element is bound to. */
export function checkCoding(system: unknown, code: unknown, c: Context, path: string): boolean {
  if (typeof system !== 'string' || typeof code !== 'string' || c.hasCode(system, code) !== 'no') return true;
  return flag(c, 'coding-code', path, `The code system ${show(system)} has no code ${show(code)}.`);
}

export function checkElementId(id: unknown, c: Context, path: string): boolean {
  if (typeof id !== 'string') return true;
  c.ids ??= new Set();
  if (c.ids.has(id))
    return flag(
      c,
      'element-id',
      path,
      `Another element of this resource has the id ${JSON.stringify(id.slice(0, 80))}.`,
    );
  c.ids.add(id);
  return true;
}

/** A nested extension may be named relative to the one around it; any other must say whose it is. */
export function checkExtensionUrl(extension: unknown, c: Context, path: string): boolean {
  c.hasExtension = true;
  const url = isObject(extension) ? extension['url'] : undefined;
  if (typeof url !== 'string' || url.startsWith('http') || ABSOLUTE.test(url)) return true;
  return flag(
    c,
    'extension-url',
    `${path}.url`,
    `The extension url ${JSON.stringify(url.slice(0, 80))} is not absolute.`,
  );
}

/** `data` against the size and the hash that stand beside it. */
export function checkAttachment(data: unknown, size: unknown, hash: unknown, c: Context, path: string): boolean {
  if (typeof data !== 'string') return true;
  let isSound = true;
  if (typeof size === 'number') {
    const bytes = Buffer.byteLength(data.replace(/\s+/g, ''), 'base64');
    if (bytes !== size)
      isSound = flag(c, 'attachment-size', `${path}.size`, `size says ${size}, data holds ${bytes} bytes.`);
  }
  if (typeof hash !== 'string') return isSound;
  const found = createHash('sha1').update(data, 'base64').digest();
  if (found.equals(Buffer.from(hash, 'base64'))) return isSound;
  return flag(c, 'attachment-hash', `${path}.hash`, `hash is not the SHA-1 of data, ${found.toString('base64')}.`);
}

/** Sets of codes by system, for required bindings of Coding and CodeableConcept. */
type CodesBySystem = ReadonlyMap<unknown, ReadonlySet<unknown>>;

export const hasCoding = (v: unknown, set: CodesBySystem): boolean =>
  !isObjectOrArray(v) || set.get(v['system'])?.has(v['code']) === true;

/** At least one coding must be a member; further codings may translate it. */
export function hasCodeableConcept(v: unknown, set: CodesBySystem): boolean {
  const codings = isObject(v) ? v['coding'] : undefined;
  return Array.isArray(codings) && codings.some((coding) => isObject(coding) && hasCoding(coding, set));
}

export function isUcumConcept(v: unknown): boolean {
  const codings = isObject(v) ? v['coding'] : undefined;
  return (
    Array.isArray(codings) &&
    codings.some((coding: unknown) => isObject(coding) && coding['system'] === UCUM && isUcum(coding['code']))
  );
}
