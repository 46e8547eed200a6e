import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, readBody, type Result } from '../kernel/index.ts';

const BODY_BYTES_MAX = 64 * 1024;

/** What a field may be, and the words for it. */
export interface Field<T> {
  readonly isGood: (value: unknown) => value is T;
  /** Completes "NAME must be …". */
  readonly words: string;
  readonly isOptional?: true;
}
type Values<F> = {
  readonly [K in keyof F as F[K] extends { isOptional: true } ? never : K]: F[K] extends Field<infer T> ? T : never;
} & {
  readonly [K in keyof F as F[K] extends { isOptional: true } ? K : never]?: F[K] extends Field<infer T> ? T : never;
};

export const text = (most: number): Field<string> => ({
  isGood: (value): value is string =>
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= most &&
    value.isWellFormed() &&
    !value.includes('\0'),
  words: `text of 1 to ${most} characters`,
});
export const matching = (pattern: RegExp, words: string): Field<string> => ({
  isGood: (value): value is string => typeof value === 'string' && pattern.test(value),
  words,
});
/** Some of these, each once. */
export const someOf = <T extends string>(all: readonly T[], least: number): Field<readonly T[]> => ({
  isGood: (value): value is readonly T[] =>
    Array.isArray(value) &&
    value.length >= least &&
    new Set(value).size === value.length &&
    value.every((one) => all.some((known) => known === one)),
  words: `a list of ${least === 0 ? 'some' : 'at least one'} of these, each once: ${all.join(', ')}`,
});
export const wholeNumber = (least: number, most: number): Field<number> => ({
  isGood: (value): value is number => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  words: `a whole number from ${least} to ${most}`,
});
export const anObject: Field<Readonly<Record<string, unknown>>> = {
  isGood: (value): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
  words: 'an object',
};
export const optional = <T>(field: Field<T>): Field<T> & { readonly isOptional: true } => ({
  ...field,
  isOptional: true,
});

const wrong = (at: string, detail: string) => fail(fault('admin.parameter', { at, detail }));

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** The object of a body: these fields and no other, each as it must be. */
export async function readFields<F extends Readonly<Record<string, Field<unknown>>>>(
  request: IncomingMessage,
  fields: F,
): Promise<Result<Values<F>>> {
  const body = await readBody(request, BODY_BYTES_MAX);
  if (!body.ok) return body;
  const names = Object.keys(fields);
  const isEmpty = body.value.length === 0 && names.every((name) => fields[name]?.isOptional === true);
  const value = isEmpty ? {} : parse(body.value);
  if (!anObject.isGood(value) || Object.keys(value).some((name) => !Object.hasOwn(fields, name)))
    return wrong('', `The body must be one JSON object with these fields and no other: ${names.join(', ')}.`);
  for (const [name, { isGood, words, isOptional }] of Object.entries(fields)) {
    const isGiven = Object.hasOwn(value, name);
    if (isGiven ? !isGood(value[name]) : isOptional !== true) return wrong(name, `${name} must be ${words}.`);
  }
  return ok(value as Values<F>);
}

/** Routes here take no query: a parameter is a mistake that must not pass unseen. */
export const checkNoQuery = ({ url = '' }: IncomingMessage): Result<null> =>
  url.includes('?') ? wrong('', 'This route takes no parameters.') : ok(null);
