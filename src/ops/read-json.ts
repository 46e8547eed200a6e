import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, readBody, type Result } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';

export interface Field {
  readonly isRequired?: true;
  readonly isGood: (value: unknown) => boolean;
}
export type Fields = Readonly<Record<string, Field>>;

export const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= 2_000 &&
  URL.canParse(value) &&
  /^https?:$/.test(new URL(value).protocol);

const wrong = (at: string) => fail(fault('admin.parameter', { at }));
/** The body as a whole is not what is taken. */
const wrongBody = (names: readonly string[]) =>
  fail(
    fault('admin.parameter', {
      at: '',
      detail:
        names.length === 0
          ? 'The body must be one JSON object.'
          : `The body must be one JSON object with these fields and no other: ${names.join(', ')}.`,
    }),
  );

/** Half of a surrogate pair is no character: two texts that differ in it alone would be one once they are written. */
const isWhole = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, part]) => name.isWellFormed() && isWhole(part));
};

/**
 * The JSON of a body: UTF-8, no property twice, nothing nested deeper than a person would. Undefined for an empty body.
 */
export async function readJson(request: IncomingMessage, bytesMax: number): Promise<Result<unknown>> {
  const body = await readBody(request, bytesMax);
  if (!body.ok) return body;
  if (body.value.every((byte) => byte <= 0x20)) return ok(undefined);
  // For what it refuses: its numbers keep their digits, which nobody here counts with.
  if (!parseLossless(body.value).ok) return wrong('');
  const value: unknown = JSON.parse(body.value.toString('utf8'));
  return isWhole(value) ? ok(value) : wrong('');
}

/**
 * The object of a body: only these fields, each good; an empty body is an empty object. `any`: others judge its fields,
 * of which there must be some.
 */
export async function readObject(
  request: IncomingMessage,
  bytesMax: number,
  fields: Fields | 'any',
): Promise<Result<Readonly<Record<string, unknown>>>> {
  const read = await readJson(request, bytesMax);
  const names = fields === 'any' ? [] : Object.keys(fields);
  if (!read.ok) return read.fault.code === 'admin.parameter' ? wrongBody(names) : read;
  const { value = {} } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrongBody(names);
  const given = value as Readonly<Record<string, unknown>>;
  if (fields === 'any') return Object.keys(given).length > 0 ? ok(given) : wrongBody(names);
  if (Object.keys(given).some((name) => !Object.hasOwn(fields, name))) return wrongBody(names);
  const bad = Object.entries(fields).find(([name, { isRequired, isGood }]) =>
    Object.hasOwn(given, name) ? !isGood(given[name]) : isRequired === true,
  );
  return bad === undefined ? ok(given) : wrong(bad[0]);
}
