import { fail, fault, ok, parseQuery, type Result } from '../kernel/index.ts';
import type { Pairs } from '../ehr/index.ts';

/**
 * Ids, types, operations. No percent sign: an encoded slash or dot would mean something else to whoever decodes it once
 * more.
 */
const SEGMENT = /^[A-Za-z0-9$_.-]{1,128}$/;
/**
 * A cursor holds what was asked and where the EHR goes on, so a query may be as long as leaves room for both in a head
 * of 16 kB.
 */
const QUERY_MAX = 4_096;
const CURSOR_MAX = 13_000;

const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'];

export interface Target {
  /** Below the FHIR base. */
  readonly segments: readonly string[];
  readonly query: Pairs;
}

/** Reads the raw target of a request below `/fhir`, before anything has decoded it. */
export function parseTarget(url: string, headers: Readonly<Record<string, unknown>>): Result<Target> {
  if (OVERRIDES.some((name) => headers[name] !== undefined)) return fail(fault('read.parameter'));
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const search = mark < 0 ? '' : url.slice(mark + 1);
  const [empty, root, ...segments] = path.split('/');
  if (empty !== '' || root !== 'fhir' || segments.some((one) => !SEGMENT.test(one) || /^\.+$/.test(one)))
    return fail(fault('read.not-found'));
  const query = parseForm(search);
  return query.ok ? ok({ segments, query: query.value }) : query;
}

/** A query string or the body of a POST _search, which are written alike. */
export function parseForm(text: string): Result<Pairs> {
  if (text.length > (text.startsWith('_cursor=') ? CURSOR_MAX : QUERY_MAX)) return fail(fault('http.too-large'));
  const pairs = parseQuery(text);
  return pairs === null || pairs.some(([name]) => name === '_method') ? fail(fault('read.parameter')) : ok(pairs);
}
