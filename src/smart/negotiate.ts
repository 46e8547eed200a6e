import type { IncomingHttpHeaders } from 'node:http';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Pairs } from '../ehr/index.ts';
import type { Handling } from './parse-search.ts';

export const FHIR_JSON = 'application/fhir+json; charset=utf-8';

const FORMATS = new Set(['json', 'application/json', 'application/fhir+json', 'text/json', 'application/json+fhir']);
const ACCEPTED = new Set([...FORMATS, '*/*', 'application/*']);

/** What files of a bulk export are. */
const LINES = new Set(['application/fhir+ndjson', 'application/ndjson', 'application/x-ndjson', 'ndjson']);

const bare = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase();
/** `;q=0` refuses. */
const isWanted = (type: string): boolean => !/;\s*q=0(\.0*)?\s*(;|$)/.test(type);

/** There is one format. `_format` overrides Accept; in an address a plus sign may have become a blank. */
export function checkFormat(
  headers: IncomingHttpHeaders,
  query: Pairs,
  offers: 'json' | 'ndjson' = 'json',
): Result<null> {
  const asked = query.filter(([name]) => name === '_format').map(([, value]) => bare(value).replace(' ', '+'));
  if (asked.length > 0) return asked.every((one) => FORMATS.has(one)) ? ok(null) : fail(fault('read.format'));
  const { accept } = headers;
  if (accept === undefined || accept.trim() === '') return ok(null);
  const isTaken = (type: string): boolean => ACCEPTED.has(type) || (offers === 'ndjson' && LINES.has(type));
  const isOffered = accept.split(',').some((type) => isTaken(bare(type)) && isWanted(type));
  return isOffered ? ok(null) : fail(fault('read.format'));
}

export function handlingOf(headers: IncomingHttpHeaders): Handling {
  const prefer = [headers['prefer'] ?? []].flat().join(',');
  return /(^|[,;\s])handling=strict([,;\s]|$)/i.test(prefer) ? 'strict' : 'lenient';
}

/** RFC 9110 13.1.2: weakly compared. */
export function hasTag(headers: IncomingHttpHeaders, etag: string): boolean {
  const given = headers['if-none-match'];
  if (given === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return given.trim() === '*' || given.split(',').some((tag) => opaque(tag) === opaque(etag));
}

const FHIR_TYPES = new Set(['application/fhir+json', 'application/json+fhir', 'application/json', 'text/json']);
const qualityOf = (type: string): number => Number(/;\s*q=([01](?:\.\d{1,3})?)\s*(;|$)/.exec(type)?.[1] ?? '1');

/**
 * In which form a Binary is wanted: as a resource where that is asked for by name, else as what it is. FHIR R4 2.40: a
 * server gives the content itself unless a FHIR type is asked for. Null: neither, such as XML.
 */
export function binaryForm(headers: IncomingHttpHeaders, query: Pairs): 'resource' | 'content' | null {
  const asked = query.filter(([name]) => name === '_format').map(([, value]) => bare(value).replace(' ', '+'));
  if (asked.length > 0) return asked.every((one) => FORMATS.has(one)) ? 'resource' : null;
  const wanted = (headers.accept ?? '')
    .split(',')
    .map((type) => ({ type: bare(type), quality: qualityOf(type) }))
    .filter(({ type, quality }) => type !== '' && quality > 0);
  const best = (isOf: (type: string) => boolean): number =>
    Math.max(0, ...wanted.filter(({ type }) => isOf(type)).map(({ quality }) => quality));
  const asResource = best((type) => FHIR_TYPES.has(type));
  const isNamed = (type: string): boolean => !FHIR_TYPES.has(type) && !type.includes('*') && !/fhir\+/.test(type);
  if (asResource > 0) return asResource >= best(isNamed) ? 'resource' : 'content';
  return wanted.length > 0 && wanted.every(({ type }) => /fhir\+/.test(type)) ? null : 'content';
}
