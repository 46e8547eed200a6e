import { fail, fault, ok, parseQuery, type Ask, type Result, type Route } from '../kernel/index.ts';
import { PAGE } from './page.ts';
import { sayParameter } from './say-parameter.ts';

export { PAGE };

/** A sentence of a person on why, with nothing of a patient in it. */
export const REASON = /^[\p{L}\p{N} .,;:()'_/-]{3,200}$/u;

export const iso = (ms: number): string => new Date(ms).toISOString();

/** Opaque to the caller: the place in the order of a list (named by a letter) from which the next page goes down. */
export const toCursor = (list: string, seq: number): string => Buffer.from(`${list}${seq}`).toString('base64url');
/** Null for whatever `toCursor` did not make. */
export function fromCursor(list: string, text: string): number | null {
  const [, digits] = /^[a-z](\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const seq = digits === undefined ? null : Number(digits);
  return seq !== null && toCursor(list, seq) === text ? seq : null;
}

type Query = ReadonlyMap<string, string>;

/**
 * The parameters of a query that the route knows; any other is a mistake that should not pass for a narrower answer.
 */
export function queryOf(ask: Ask, known: readonly string[]): Result<Query> {
  const { url = '/' } = ask.request;
  const mark = url.indexOf('?');
  const pairs = mark < 0 ? [] : parseQuery(url.slice(mark + 1));
  if (pairs === null) return fail(fault('admin.parameter', { at: '' }));
  const odd = pairs.find(
    ([name, value], i) =>
      !known.includes(name) || /\p{Cc}/u.test(value) || pairs.findIndex(([other]) => other === name) !== i,
  );
  if (odd === undefined) return ok(new Map(pairs));
  const detail =
    known.length === 0
      ? 'This route takes no parameters.'
      : `This route takes these parameters, each once and without control characters: ${known.join(', ')}.`;
  return fail(fault('admin.parameter', { at: known.includes(odd[0]) ? odd[0] : '', detail }));
}

/** A number as a person writes it: digits alone. */
export function limitOf(query: Query, standard: number, most: number): Result<number> {
  const text = query.get('limit') ?? String(standard);
  const limit = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= most ? ok(limit) : fail(fault('admin.parameter', { at: 'limit' }));
}

/** Which page of a list is wanted. */
export function pageOf(query: Query, list: string): Result<{ readonly before: number | null; readonly limit: number }> {
  const cursor = query.get('cursor');
  const before = cursor === undefined ? null : fromCursor(list, cursor);
  if (cursor !== undefined && before === null) return fail(fault('admin.parameter', { at: 'cursor' }));
  const limit = limitOf(query, PAGE.standard, PAGE.most);
  return limit.ok ? ok({ before, limit: limit.value }) : limit;
}

/** Whoever gave a parameter that is not taken is told what would be. */
const saying =
  (path: string, handle: Route['handle']): Route['handle'] =>
  async (ask) => {
    const result = await handle(ask);
    if (result.ok || result.fault.code !== 'admin.parameter' || result.fault.detail !== undefined) return result;
    return fail({ ...result.fault, detail: sayParameter(path, result.fault.at ?? '') });
  };

export const adminRoute = (method: Route['method'], path: string, handle: Route['handle']): Route => ({
  method,
  path,
  access: 'admin',
  handle: saying(path, handle),
});
