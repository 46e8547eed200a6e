/** Told by JSON itself. */
export const SYSTEM_TYPES: ReadonlySet<string> = new Set(['Boolean', 'String', 'Integer', 'Decimal']);

/** Operators between lists, under the names that they have at run time. */
export const OPERATORS: Readonly<Record<string, string>> = {
  '=': 'equals',
  '!=': 'differs',
  '<=': 'atMost',
  '>=': 'atLeast',
  '<': 'below',
  '>': 'above',
  '|': 'union',
  '&': 'join',
  '+': 'plus',
  '-': 'minus',
  '*': 'times',
  '/': 'dividedBy',
  div: 'wholeQuotient',
  mod: 'remainder',
  '~': 'isEquivalent',
  '!~': 'isNotEquivalent',
  in: 'isIn',
};

const RUN_TIME: Readonly<Record<string, string>> = { toString: 'asText', last: 'lastOf' };

/** Functions of lists alone: their names at run time, and how many arguments they take. */
export const FUNCTIONS: ReadonlyMap<string, { readonly name: string; readonly args: readonly [number, number] }> =
  new Map(
    Object.entries({
      0: 'isDistinct hasValue toInteger length children descendants distinct single toDecimal toBoolean upper lower trim allTrue anyTrue allFalse anyFalse convertsToInteger convertsToDecimal convertsToBoolean convertsToString toString last',
      1: 'combine subsetOf intersect startsWith contains matches item union exclude supersetOf skip take endsWith indexOf split matchesFull',
    }).flatMap(([count, names]) =>
      names
        .split(' ')
        .map((name) => [name, { name: RUN_TIME[name] ?? name, args: [Number(count), Number(count)] as const }]),
    ),
  );
