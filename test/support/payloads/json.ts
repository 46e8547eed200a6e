/** A JSON object as the source writes it. */
export type Json = Readonly<Record<string, unknown>>;

type Holder = Record<string, unknown> | unknown[];

function changeAt(
  holder: Holder,
  [name = '', ...rest]: readonly string[],
  change: (copy: Holder, name: string) => void,
): Holder {
  const copy: Holder = Array.isArray(holder) ? [...holder] : { ...holder };
  if (rest.length === 0) change(copy, name);
  else {
    const slot = copy as Record<string, unknown>;
    slot[name] = changeAt((slot[name] ?? {}) as Holder, rest, change);
  }
  return copy;
}

/** A copy with another value at `path` (`a.b.0.c`). What is beside the path is shared, so that raw numbers stay raw. */
export const withAt = (value: Json, path: string, part: unknown): Json =>
  changeAt(value, path.split('.'), (copy, name) => void ((copy as Record<string, unknown>)[name] = part)) as Json;

/** A copy without what stands at `path`. */
export const withoutAt = (value: Json, path: string): Json =>
  changeAt(value, path.split('.'), (copy, name) => {
    if (Array.isArray(copy)) copy.splice(Number(name), 1);
    else Reflect.deleteProperty(copy, name);
  }) as Json;

export const partAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);

/** A number that keeps its digits, as the lossless parser makes it of 70.10. */
export const rawNumber = (digits: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
