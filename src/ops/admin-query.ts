import { fail, fault, ok, type Ask, type Result, type Route } from '../kernel/index.ts';
import { sayParameter } from './say-parameter.ts';

export { PAGE } from './page.ts';

/** A sentence of a person on why, with nothing of a patient in it. */
export const REASON = /^[\p{L}\p{N} .,;:()'_/-]{3,200}$/u;

export const iso = (ms: number): string => new Date(ms).toISOString();

/** Opaque to the caller: the place in the order of a list (named by a letter) from which the next page goes down. */
export const toCursor = (list: string, seq: number): string => Buffer.from(`${list}${seq}`).toString('base64url');
export function fromCursor(list: string, text: string): number | null {
  const [, of, digits] = /^([a-z])(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return digits === undefined || of !== list ? null : Number(digits);
}

/** The parameters of a query that the route knows; any other is a mistake that should not pass for a narrower answer. */
export function queryOf(ask: Ask, known: readonly string[]): Result<ReadonlyMap<string, string>> {
  const pairs = [...new URL(ask.request.url ?? '/', 'http://localhost').searchParams];
  const odd = pairs.find(
    ([name, value], i) => !known.includes(name) || /\p{Cc}/u.test(value) || pairs.findIndex(([other]) => other === name) !== i,
  );
  if (odd === undefined) return ok(new Map(pairs));
  const detail =
    known.length === 0
      ? 'This route takes no parameters.'
      : `This route takes these parameters, each once and without control characters: ${known.join(', ')}.`;
  return fail(fault('admin.parameter', { at: known.includes(odd[0]) ? odd[0] : '', detail }));
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
