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

/** Functions of lists alone, under the names that they have at run time. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'combine subsetOf intersect startsWith contains matches isDistinct hasValue toInteger length children descendants'
      .split(' ')
      .map((name) => [name, name]),
  ),
  ...Object.fromEntries(
    'item union exclude distinct supersetOf skip take single toDecimal toBoolean upper lower trim endsWith indexOf split allTrue anyTrue allFalse anyFalse matchesFull convertsToInteger convertsToDecimal convertsToBoolean convertsToString'
      .split(' ')
      .map((name) => [name, name]),
  ),
  toString: 'asText',
  last: 'lastOf',
  join: 'joinTexts',
};
