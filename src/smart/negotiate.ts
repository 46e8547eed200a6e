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
