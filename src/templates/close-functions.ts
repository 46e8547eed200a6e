import jsonata from 'jsonata';
import { canonicalJson } from '../kernel/index.ts';
import { ALLOWED, FORBIDDEN } from './functions.ts';
import { isSequence, plain, plainDeep } from './kept-number.ts';
import { measure } from './measure.ts';
import { refusal } from './refusal.ts';
import { numbersIn, OPERANDS } from './rewrite-tree.ts';

type Implementation = (this: unknown, ...args: unknown[]) => unknown;
interface Definition {
  readonly implementation: Implementation;
  readonly signature?: { readonly validate: (args: unknown[], context: unknown) => unknown[] };
}

/**
 * Above it, one step of JSONata may ask for more memory at once than the thread can refuse: the whole process would
 * die.
 */
const TEXT_CHARACTERS_MAX = 1_000_000;

function checkText(value: unknown): void {
  if (typeof value === 'string' && value.length > TEXT_CHARACTERS_MAX) throw refusal('C0002');
}

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

/** A function given as an argument, whose answer is looked at by JSONata itself. */
function judging(func: unknown): unknown {
  if (typeof func !== 'function') return func;
  const { arity } = func as { arity?: unknown };
  const answer = async (...args: unknown[]): Promise<unknown> => plain(await (func as Implementation)(...args));
  return Object.assign(answer, { arity });
}

/** The functions that need more than plain numbers, around the implementation of the library. */
const AROUND: Readonly<Record<string, (library: Implementation) => Implementation>> = {
  filter: (library) =>
    function (this: unknown, items, func) {
      return library.call(this, items, judging(func));
    },
  single: (library) =>
    function (this: unknown, items, func) {
      return library.call(this, items, judging(func));
    },
  sift: (library) =>
    function (this: unknown, object, func) {
      return library.call(this, object, judging(func));
    },
  sort: (library) =>
    function (this: unknown, items, func) {
      if (func !== undefined) return library.call(this, items, judging(func));
      const given = Array.isArray(items) ? (plain(items) as unknown[]) : [];
      const kind = typeof given[0];
      const isSortable = (kind === 'number' || kind === 'string') && given.every((one) => typeof one === kind);
      // As the library would by itself, which then says what is wrong.
      if (!isSortable) return library.call(this, items);
      return library.call(this, items, (a: never, b: never) =>
        Promise.resolve((plain(a) as number) > (plain(b) as number)),
      );
    },
  distinct: () => (items) => {
    if (!Array.isArray(items)) return items;
    const seen = new Set<string>();
    const first = (items as unknown[]).filter((one) => {
      const text = canonicalJson(plainDeep(one));
      return seen.has(text) ? false : seen.add(text);
    });
    return isSequence(items) ? Object.assign(first, { sequence: true }) : first;
  },
  // Nothing can be changed in place, so nothing need be copied.
  clone: () => (value) => value,
  string: (library) =>
    function (this: unknown, value, isPretty) {
      if (measure(value, TEXT_CHARACTERS_MAX) === 'too-large') throw refusal('C0002');
      return library.call(this, value, isPretty);
    },
  pad: (library) =>
    function (this: unknown, text, width, char) {
      if (Math.abs(Number(width)) > TEXT_CHARACTERS_MAX) throw refusal('C0002');
      return library.call(this, text, width, char);
    },
  join: (library) =>
    function (this: unknown, texts, separator) {
      const sum = Array.isArray(texts)
        ? texts.reduce<number>((total, one) => total + lengthOf(one) + lengthOf(separator), 0)
        : 0;
      if (sum > TEXT_CHARACTERS_MAX) throw refusal('C0002');
      return library.call(this, texts, separator);
    },
  replace: (library) =>
    function (this: unknown, text, pattern, replacement, limit) {
      // At worst every character is replaced, or the whole text once for each `$0`.
      if (lengthOf(text) * lengthOf(replacement) > 16 * TEXT_CHARACTERS_MAX) throw refusal('C0002');
      let left = 16 * TEXT_CHARACTERS_MAX;
      const counted = async (...args: unknown[]): Promise<unknown> => {
        const answer = await (replacement as Implementation)(...args);
        left -= lengthOf(answer);
        if (left < 0) throw refusal('C0002');
        return answer;
      };
      return library.call(this, text, pattern, typeof replacement === 'function' ? counted : replacement, limit);
    },
  toMillis: (library) => (text, picture) => {
    // Without an offset it would be the time zone of the machine.
    if (picture === undefined && typeof text === 'string' && /T[\d:.]+$/.test(text))
      throw Object.assign(new Error('no offset'), { code: 'D3110' });
    // What a picture does not name is taken from today; a fixed today is the same for everyone.
    return library.call({ environment: { timestamp: new Date(0) } }, text, picture);
  },
};

/** The definition with the same face: JSONata reads the names and the number of the parameters off the function. */
function close(name: string, definition: Definition): Definition {
  const library = definition.implementation;
  const inner = AROUND[name]?.(library) ?? library;
  const prepare = ALLOWED[name] === 'numbers' ? plain : (value: unknown): unknown => value;
  const implementation: Implementation = function (this: unknown, ...args) {
    const given = args.map(prepare);
    given.forEach(checkText);
    return inner.apply(this, given);
  };
  Object.defineProperties(implementation, {
    length: { value: library.length },
    toString: { value: () => library.toString() },
  });
  return {
    ...definition,
    implementation,
    ...(definition.signature === undefined ? {} : { signature: numbersIn(definition.signature) }),
  };
}

async function readLibrary(): Promise<[string, Definition][]> {
  return Promise.all(
    Object.keys(ALLOWED).map(async (name): Promise<[string, Definition]> => [
      name,
      (await jsonata(`$${name}`).evaluate(undefined)) as Definition,
    ]),
  );
}

const LIBRARY = await readLibrary();

/**
 * Gives an expression functions of its own: JSONata notes places on them, and one run must leave nothing to the next.
 */
export function closeFunctions(expression: jsonata.Expression): void {
  for (const [name, definition] of LIBRARY) expression.assign(name, close(name, definition));
  for (const name of Object.keys(FORBIDDEN))
    expression.registerFunction(name, () => {
      throw refusal('C0001');
    });
  expression.registerFunction(OPERANDS.number, plain);
  expression.registerFunction(OPERANDS.value, plainDeep);
  expression.registerFunction(OPERANDS.text, (value: unknown) => {
    checkText(value);
    if (typeof value === 'object' && measure(value, TEXT_CHARACTERS_MAX) === 'too-large') throw refusal('C0002');
    return value;
  });
}
