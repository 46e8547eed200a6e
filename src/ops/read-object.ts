import { fail, fault, ok, type Result } from '../kernel/index.ts';

export interface Field {
  readonly isRequired?: true;
  readonly isGood: (value: unknown) => boolean;
}

export const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 2_000 && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** The object of a body: only these fields, each good; an empty body is an empty object. No fields named: any, for others to judge. */
export function readObject(text: string, fields: Readonly<Record<string, Field>>): Result<Readonly<Record<string, unknown>>> {
  const names = Object.keys(fields);
  const odd =
    names.length === 0
      ? 'The body must be one JSON object.'
      : `The body must be one JSON object with these fields and no other: ${names.join(', ')}.`;
  const wrong = (at: string) => fail(fault('admin.parameter', { at, ...(at === '' ? { detail: odd } : {}) }));
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return wrong('');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('');
  const given = value as Readonly<Record<string, unknown>>;
  if (names.length > 0 && Object.keys(given).some((name) => !names.includes(name))) return wrong('');
  const bad = Object.entries(fields).find(([name, { isRequired, isGood }]) =>
    given[name] === undefined ? isRequired === true : !isGood(given[name]),
  );
  return bad === undefined ? ok(given) : wrong(bad[0]);
}
