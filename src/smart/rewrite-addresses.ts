import { isObject } from '../kernel/index.ts';
import type { Json } from './whose.ts';

export interface Addresses {
  /** The EHR's base, as we reach it. */
  readonly ehrBase: string;
  /** Ours, as others reach us. */
  readonly ownBase: string;
}

/**
 * Elements of R4 whose text is an address that somebody may follow. Elements that name something by a URI (`system`,
 * `profile`, `instantiatesUri`, an extension's `url`) are none, whatever they look like: an EHR's own code systems
 * begin with its host. Neither is free text, which is shown as it was written.
 */
const ADDRESS_ELEMENTS = new Set([
  'reference',
  'url',
  'uri',
  'source',
  'address',
  'endpoint',
  'implicitRules',
  'authorizationUrl',
  'onlineInformation',
  'valueUrl',
]);
const NARRATIVE = 'div';
const NARRATIVE_LINK = /(\s(?:href|src)\s*=\s*)("[^"]*"|'[^']*')/gi;

const ABSENT_REASON = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason';
/**
 * An address of the EHR's that is not below its FHIR base leads nowhere from here. That there was one is told, as R4
 * has it.
 */
const MASKED = { url: ABSENT_REASON, valueCode: 'masked' };

export type RewriteAddresses = <T>(value: T) => T;

/** The text of an element as others may see it; null: nobody may. `within`: the element that has the one of this name. */
export type RewriteText = (text: string, name: string, within: string) => string | null;

const EXTENSIONS = new Set(['extension', 'modifierExtension']);

/** All names that make a difference to `RewriteText`. */
export const NAMES_OF_ADDRESSES: readonly string[] = [...ADDRESS_ELEMENTS, NARRATIVE, ...EXTENSIONS];

/**
 * Makes a function that turns addresses below the EHR's base into ours: relative in references, absolute elsewhere.
 * Other addresses at the EHR's host are masked.
 */
export function makeRewriteText({ ehrBase, ownBase }: Addresses): RewriteText {
  const ehr = new URL(ehrBase);
  const basePath = ehr.pathname.replace(/\/$/, '');
  const host = ehr.host.toLowerCase();

  /** What is behind the base of an address below it; null where it is not. */
  function restOf({ origin, pathname, search, hash }: URL): string | null {
    const isBelow = origin === ehr.origin && (pathname === basePath || pathname.startsWith(`${basePath}/`));
    return isBelow ? `${pathname.slice(basePath.length)}${search}${hash}` : null;
  }

  /** The address as others may see it; null: nobody may. */
  function rewriteAddress(text: string, form: 'reference' | 'absolute'): string | null {
    if (!/^\s*([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(text)) return text;
    const url = URL.parse(text, ehrBase);
    // Without a port in the EHR's base, every port of that machine is the EHR's.
    if (url === null || ![url.host, url.hostname].some((one) => one.toLowerCase() === host)) return text;
    const rest = restOf(url);
    if (rest !== null) return form === 'reference' && rest.length > 1 ? rest.slice(1) : `${ownBase}${rest}`;
    return url.href === ownBase || url.href.startsWith(`${ownBase}/`) ? text : null;
  }

  const rewriteNarrative = (text: string): string =>
    text.replace(NARRATIVE_LINK, (all, head: string, quoted: string) => {
      const [quote = ''] = quoted;
      const given = quoted.slice(1, -1);
      const shown = rewriteAddress(given, 'absolute') ?? '#';
      return shown === given ? all : `${head}${quote}${shown}${quote}`;
    });

  return (text, name, within) => {
    if (name === NARRATIVE) return rewriteNarrative(text);
    if (!ADDRESS_ELEMENTS.has(name) || (name === 'url' && EXTENSIONS.has(within))) return text;
    return rewriteAddress(text, name === 'reference' ? 'reference' : 'absolute');
  };
}

/** The same for all texts of a value. The value given stays as it is; what did not change is shared with it. */
export function makeRewriteAddresses(rewriteText: RewriteText): RewriteAddresses {
  function rewriteObject(value: Json, within: string): Json {
    let copy: Record<string, unknown> | undefined;
    // A number that keeps its digits is an object too; its one property is no address.
    for (const name in value) {
      const given = value[name];
      const next = typeof given === 'string' ? rewriteText(given, name, within) : rewrite(given, name);
      if (next === given) continue;
      copy ??= { ...value };
      if (next === null) mask(copy, name);
      else Object.defineProperty(copy, name, { value: next, enumerable: true, writable: true, configurable: true });
    }
    return copy ?? value;
  }

  function rewrite(value: unknown, name: string): unknown {
    if (!Array.isArray(value)) return isObject(value) ? rewriteObject(value, name) : value;
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const next = rewrite(value[i], name);
      if (next !== value[i]) (copy ??= [...(value as unknown[])])[i] = next;
    }
    return copy ?? value;
  }

  return <T>(value: T): T => rewrite(value, '') as T;
}

function mask(element: Record<string, unknown>, name: string): void {
  const beside = element[`_${name}`];
  const given = isObject(beside) && Array.isArray(beside['extension']) ? (beside['extension'] as unknown[]) : [];
  Reflect.deleteProperty(element, name);
  element[`_${name}`] = { ...(isObject(beside) ? beside : {}), extension: [...given, MASKED] };
}
