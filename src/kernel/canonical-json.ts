import { flatText } from './flat-text.ts';

/** Of Node 24, and not yet in the type library. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } };

/** What JSON must escape, and lone surrogates, which are escaped as well; most texts have none of them. */
const ODD = /["\\\u0000-\u001f\ud800-\udfff]/;
/** A text as JSON writes it. */
export const quote = (text: string): string => (ODD.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Whether an element of an object is left out of its text. */
type LeavesOut = (name: string, of: Readonly<Record<string, unknown>>) => boolean;

/** How a text is made. */
interface Way {
  /** Whether no string of the value needs an escape. */
  readonly isPlain: boolean;
  readonly leavesOut: LeavesOut | null;
  /** What stands for some parts. */
  readonly replaced: ReadonlyMap<unknown, string> | null;
  /** Whether a part is the same object in many values, and never changes. */
  readonly isLasting: ((part: object) => boolean) | null;
}
const WHOLE: Way = { isPlain: false, leavesOut: null, replaced: null, isLasting: null };

/** Of parts that last. */
const lastingTexts = new WeakMap<object, string>();

function ofList(list: readonly unknown[], way: Way): string {
  let out = '[';
  for (let i = 0; i < list.length; i += 1) out += (i === 0 ? '' : ',') + textOf(list[i] ?? null, way);
  return `${out}]`;
}

/** The names of an object as they were given, in their order, and each as it is written first and after others. */
export interface Shape {
  readonly given: readonly string[];
  readonly names: readonly string[];
  readonly heads: readonly string[];
  readonly nexts: readonly string[];
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

/** The shape of an object by its names. One that is remembered is always the same object. */
export function shapeOf(keys: readonly string[]): Shape {
  const first = keys[0] ?? '';
  const known = shapes.get(first);
  if (known !== undefined) for (const shape of known) if (isOf(shape, keys)) return shape;
  const names = [...keys].sort();
  const heads = names.map((name) => `${quote(name)}:`);
  const shape = { given: keys, names, heads, nexts: heads.map((head) => `,${head}`) };
  if (known === undefined && shapes.size < FIRST_NAMES_MAX) shapes.set(first, [shape]);
  else if (known !== undefined && known.length < SHAPES_MAX) known.push(shape);
  return shape;
}

function ofObject(value: Readonly<Record<string, unknown>>, way: Way): string {
  const { names, heads, nexts } = shapeOf(Object.keys(value));
  const { isPlain, leavesOut } = way;
  let out = '{';
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] ?? '';
    const part = value[name];
    if (part === undefined || leavesOut?.(name, value) === true) continue;
    out += (out.length === 1 ? heads[i] : nexts[i]) ?? '';
    if (isPlain && typeof part === 'string') out += `"${part}"`;
    else out += textOf(part, way);
  }
  return `${out}}`;
}

function textOf(value: unknown, way: Way): string {
  if (typeof value === 'string') return way.isPlain ? `"${value}"` : quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (way.isLasting?.(value) === true) return ofLasting(value, way);
  return ofNested(value, way);
}

function ofNested(value: object, way: Way): string {
  const replaced = way.replaced !== null && way.replaced.size > 0 ? way.replaced.get(value) : undefined;
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return ofList(value, way);
  if (isRawJSON(value)) return JSON.stringify(Number(value.rawJSON));
  return ofObject(value as Readonly<Record<string, unknown>>, way);
}

function ofLasting(value: object, way: Way): string {
  const known = lastingTexts.get(value);
  if (known !== undefined) return known;
  const text = flatText(ofNested(value, way));
  lastingTexts.set(value, text);
  return text;
}

/**
 * JSON in the one form that RFC 8785 allows: names sorted by UTF-16 code units, no blanks, numbers as ECMAScript prints
 * them, raw ones included. Equal content has equal text, so that a digest of it names the content and not how it was
 * written.
 */
export const canonicalJson = (value: unknown): string => textOf(value, WHOLE);

/** The same of what is left when some elements of its objects are left out. */
export const canonicalJsonWithout = (value: unknown, leavesOut: LeavesOut): string =>
  textOf(value, { ...WHOLE, leavesOut });

/** Canonical texts of one value and of parts of it. */
export interface CanonicalTexts {
  readonly of: (value: unknown) => string;
  /** Of an object without some elements of its own; those of objects inside it stay. */
  readonly without: (object: Readonly<Record<string, unknown>>, names: ReadonlySet<string>) => string;
  /** From now on this text stands for a part, wherever it stands. */
  readonly replace: (part: object, text: string) => void;
}

/**
 * `isPlain`: no string of the value, nor a name, needs an escape. So it is where its JSON holds no backslash. `isLasting`:
 * whether a part of it never changes and stands in many values as the same object, so that its text is remembered.
 */
export function openCanonicalTexts(isPlain: boolean, isLasting: Way['isLasting'] = null): CanonicalTexts {
  const replaced = new Map<unknown, string>();
  const way: Way = { isPlain, leavesOut: null, replaced, isLasting };

  function without(object: Readonly<Record<string, unknown>>, left: ReadonlySet<string>): string {
    const { names, heads } = shapeOf(Object.keys(object));
    let out = '';
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i] ?? '';
      const part = object[name];
      if (part === undefined || left.has(name)) continue;
      out += (out === '' ? '' : ',') + (heads[i] ?? '') + textOf(part, way);
    }
    return `{${out}}`;
  }
  return { of: (value) => textOf(value, way), without, replace: (part, text) => void replaced.set(part, text) };
}
