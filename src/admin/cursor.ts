import { hash } from 'node:crypto';
import { canonicalJson, fail, fault, ok, type Result } from '../kernel/index.ts';

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

/** A place in a list that is ordered by time and by arrival. */
interface Place {
  readonly seq: number;
  readonly receivedAt: number;
}
/** What a list was asked for, apart from the page: a cursor of another list leads nowhere in this one. */
type Filters = Readonly<Record<string, string | undefined>>;
/** A filter may name a patient, and a cursor stands in addresses: so little of a digest fits thousands of them. */
const DIGEST_LENGTH = 2;
const digestOf = (filters: Filters): string =>
  hash('sha256', canonicalJson(filters), 'base64url').slice(0, DIGEST_LENGTH);

/** The same as `toCursor`, for one set of filters. */
export const toFilteredCursor = (list: string, { seq, receivedAt }: Place, filters: Filters): string =>
  Buffer.from(`${list}${seq}.${receivedAt}.${digestOf(filters)}`).toString('base64url');

/** From where a page goes on; null for the first. A cursor that was given for other filters is refused. */
export function beforeOfFiltered(list: string, cursor: string | undefined, filters: Filters): Result<Place | null> {
  if (cursor === undefined) return ok(null);
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, letter, seq, receivedAt, digest] = /^([a-z])(\d{1,15})\.(\d{1,15})\.([\w-]{2})$/.exec(text) ?? [];
  const isOurs = letter === list && Buffer.from(text).toString('base64url') === cursor;
  if (!isOurs) return fail(fault('admin.parameter', { at: 'cursor' }));
  if (digest !== digestOf(filters)) return fail(fault('admin.cursor', { at: 'cursor' }));
  return ok({ seq: Number(seq), receivedAt: Number(receivedAt) });
}
