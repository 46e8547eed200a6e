/** Of Node 24, and not yet in the type library. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

/** What JSON must escape, and lone surrogates, which are escaped as well; most texts have none of them. */
const ODD = /["\\\u0000-\u001f\ud800-\udfff]/;
const quote = (text: string): string => (ODD.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Whether an element of an object is left out of its text. */
type LeavesOut = (name: string, of: Readonly<Record<string, unknown>>) => boolean;

function ofList(list: readonly unknown[], leavesOut: LeavesOut | null): string {
  let out = '[';
  for (let i = 0; i < list.length; i += 1) out += (i === 0 ? '' : ',') + textOf(list[i] ?? null, leavesOut);
  return `${out}]`;
}

/** The names of an object as they were given, in their order, and each as it is written. */
interface Shape {
  readonly given: readonly string[];
  readonly names: readonly string[];
  readonly heads: readonly string[];
}

/** Documents have few shapes and many objects of each: a shape is sorted once. Bounded, since names may be anything. */
const FIRST_NAMES_MAX = 500;
const SHAPES_MAX = 12;
/** By the first name. */
const shapes = new Map<string, Shape[]>();

function isOf(shape: Shape, keys: readonly string[]): boolean {
  const { given } = shape;
  if (given.length !== keys.length) return false;
  for (let i = 0; i < given.length; i += 1) if (given[i] !== keys[i]) return false;
  return true;
}

function shapeOf(keys: readonly string[]): Shape {
  const [first = ''] = keys;
  const known = shapes.get(first);
  if (known !== undefined) for (const shape of known) if (isOf(shape, keys)) return shape;
  const names = [...keys].sort();
  const shape = { given: keys, names, heads: names.map((name) => `${quote(name)}:`) };
  if (known === undefined && shapes.size < FIRST_NAMES_MAX) shapes.set(first, [shape]);
  else if (known !== undefined && known.length < SHAPES_MAX) known.push(shape);
  return shape;
}

function ofObject(value: Readonly<Record<string, unknown>>, leavesOut: LeavesOut | null): string {
  const { names, heads } = shapeOf(Object.keys(value));
  let out = '{';
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] ?? '';
    const part = value[name];
    if (part === undefined || leavesOut?.(name, value) === true) continue;
    out += (out.length === 1 ? '' : ',') + (heads[i] ?? '') + textOf(part, leavesOut);
  }
  return `${out}}`;
}

function textOf(value: unknown, leavesOut: LeavesOut | null): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return ofList(value, leavesOut);
  if (isRawJSON(value)) return JSON.stringify(Number(value.rawJSON));
  return ofObject(value as Readonly<Record<string, unknown>>, leavesOut);
}

/**
 * JSON in the one form that RFC 8785 allows: names sorted by UTF-16 code units, no blanks, numbers as ECMAScript prints
 * them, raw ones included. Equal content has equal text, so that a digest of it names the content and not how it was
 * written.
 */
export const canonicalJson = (value: unknown): string => textOf(value, null);

/** The same of what is left when some elements of its objects are left out. */
export const canonicalJsonWithout = (value: unknown, leavesOut: LeavesOut): string => textOf(value, leavesOut);
