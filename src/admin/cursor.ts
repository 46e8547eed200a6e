import { fail, fault, ok, type Result } from '../kernel/index.ts';

export const iso = (ms: number): string => new Date(ms).toISOString();

/** Opaque to the caller: the place in the order of a list (named by a letter) from which the next page goes down. */
export const toCursor = (list: string, seq: number): string => Buffer.from(`${list}${seq}`).toString('base64url');
/** Null for whatever `toCursor` did not make. */
export function fromCursor(list: string, text: string): number | null {
  const [, digits] = /^[a-z](\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const seq = digits === undefined ? null : Number(digits);
  return seq !== null && toCursor(list, seq) === text ? seq : null;
}

/** From where a page of this list goes down; null for the first. */
export function beforeOf(list: string, cursor: string | undefined): Result<number | null> {
  if (cursor === undefined) return ok(null);
  const before = fromCursor(list, cursor);
  return before === null ? fail(fault('admin.parameter', { at: 'cursor' })) : ok(before);
}

/** One more than the page was read, to know whether there is a next. */
export function pageOf<T extends { readonly seq: number }>(list: string, found: readonly T[], limit: number) {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? toCursor(list, last.seq) : null };
}
