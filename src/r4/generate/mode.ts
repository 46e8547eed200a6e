/**
 * Each structure becomes two functions of the same shape. *fast* answers true or false and builds nothing;
 * *report* files every finding with its path. One emitter writes both, so they cannot come to disagree.
 */
export interface Mode {
  readonly name: 'fast' | 'report';
  readonly prefix: 'f' | 'r';
  /** The statement for a broken rule; `path` and `text` are JavaScript expressions. */
  readonly fail: (rule: string, path: string, text: string) => string;
  /** The statement after a native rule or a nested function, which has filed its own findings. */
  readonly demand: (call: string) => string;
  /** The path argument of nested functions, with its comma. */
  readonly path: (expression: string) => string;
}

export const FAST: Mode = {
  name: 'fast',
  prefix: 'f',
  fail: () => 'return false;',
  demand: (call) => `if(!${call})return false;`,
  path: () => '',
};

export const REPORT: Mode = {
  name: 'report',
  prefix: 'r',
  fail: (rule, path, text) => `flag(c,${JSON.stringify(rule)},${path},${text});`,
  demand: (call) => `${call};`,
  path: (expression) => `,${expression}`,
};

const jsName = (structure: string): string => structure.replaceAll('.', '_');

export const functionName = (mode: Mode, structure: string): string => `${mode.prefix}_${jsName(structure)}`;
