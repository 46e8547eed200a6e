import { tokenize, type Token } from './tokenize.ts';

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'empty' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'child'; readonly of: Expression | null; readonly name: string }
  | {
      readonly kind: 'call';
      readonly of: Expression | null;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly kind: 'type'; readonly operator: 'is' | 'as'; readonly of: Expression; readonly type: string }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression };

/** From the loosest to the tightest, https://hl7.org/fhirpath/#operator-precedence */
const LEVELS: readonly (readonly string[])[] = [
  ['implies'],
  ['or', 'xor'],
  ['and'],
  ['in', 'contains'],
  ['=', '!=', '~', '!~'],
  ['>', '<', '>=', '<='],
  ['|'],
  ['is', 'as'],
  ['+', '-', '&'],
  ['*', '/', 'div', 'mod'],
];

export function parseExpression(text: string): Expression {
  const tokens = tokenize(text);
  let at = 0;
  const peek = (): Token => tokens[at] ?? { kind: 'end' };
  const textOf = (token: Token): string => ('text' in token ? token.text : '');
  const isNext = (symbol: string): boolean => peek().kind === 'symbol' && textOf(peek()) === symbol;

  function expect(symbol: string): void {
    if (!isNext(symbol)) throw new Error(`FHIRPath: expected ${symbol} in ${text}`);
    at++;
  }

  function operatorAt(level: readonly string[]): string | null {
    const token = peek();
    return (token.kind === 'symbol' || token.kind === 'name') && level.includes(token.text) ? token.text : null;
  }

  /** `FHIR.Patient` and `Patient` name the same. */
  function parseType(): string {
    let type = textOf(peek());
    at++;
    while (isNext('.')) {
      at++;
      type = textOf(peek());
      at++;
    }
    return type;
  }

  function parseLevel(index: number): Expression {
    const level = LEVELS[index];
    if (level === undefined) return parsePath();
    let left = parseLevel(index + 1);
    for (let operator = operatorAt(level); operator !== null; operator = operatorAt(level)) {
      at++;
      if (operator === 'is' || operator === 'as') {
        left = { kind: 'type', operator, of: left, type: parseType() };
      } else left = { kind: 'binary', operator, left, right: parseLevel(index + 1) };
    }
    return left;
  }

  function parseArguments(): Expression[] {
    const args: Expression[] = [];
    while (!isNext(')')) {
      args.push(parseLevel(0));
      if (isNext(',')) at++;
    }
    at++;
    return args;
  }

  function parseStep(of: Expression | null): Expression {
    const token = peek();
    at++;
    if (token.kind === 'variable' && of === null) return { kind: 'variable', name: token.text };
    if (token.kind !== 'name') throw new Error(`FHIRPath: expected a name in ${text}`);
    if (!isNext('(')) return { kind: 'child', of, name: token.text };
    at++;
    return { kind: 'call', of, name: token.text, args: parseArguments() };
  }

  function parseTerm(): Expression {
    const token = peek();
    if (token.kind === 'string') {
      at++;
      return { kind: 'literal', value: token.text };
    }
    if (token.kind === 'number') {
      at++;
      return { kind: 'literal', value: token.value };
    }
    if (token.kind === 'name' && (token.text === 'true' || token.text === 'false')) {
      at++;
      return { kind: 'literal', value: token.text === 'true' };
    }
    if (isNext('{')) {
      at++;
      expect('}');
      return { kind: 'empty' };
    }
    if (isNext('-')) {
      at++;
      return { kind: 'binary', operator: '-', left: { kind: 'literal', value: 0 }, right: parsePath() };
    }
    if (!isNext('(')) return parseStep(null);
    at++;
    const inner = parseLevel(0);
    expect(')');
    return inner;
  }

  function parsePath(): Expression {
    let path = parseTerm();
    while (isNext('.') || isNext('[')) {
      const isIndex = isNext('[');
      at++;
      if (!isIndex) path = parseStep(path);
      else {
        path = { kind: 'call', of: path, name: 'item', args: [parseLevel(0)] };
        expect(']');
      }
    }
    return path;
  }

  const parsed = parseLevel(0);
  if (peek().kind !== 'end') throw new Error(`FHIRPath: something is left over in ${text}`);
  return parsed;
}
