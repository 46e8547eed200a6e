export type Token =
  | { readonly kind: 'name' | 'symbol' | 'variable' | 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'end' };

const PATTERN =
  /\s*(?:(?<name>[A-Za-z_]\w*)|`(?<quoted>[^`]+)`|(?<number>\d+(?:\.\d+)?)|@(?<date>T?\d[\dT:.+Z-]*)|'(?<string>(?:[^'\\]|\\.)*)'|(?<variable>[%$]\w+)|(?<symbol><=|>=|!=|!~|[.,()[\]{}|&+\-*/=<>~]))/y;

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

const unescape = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, letter: string) =>
    code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** Splits one invariant. What it cannot read throws: of HL7's own that is a bug, of a guide's it is told by name. */
export function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  const text = expression.trim();
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < text.length) {
    const at = PATTERN.lastIndex;
    const groups = PATTERN.exec(text)?.groups;
    if (groups === undefined) throw new Error(`FHIRPath: cannot read at ${at}: ${text}`);
    if (groups['number'] !== undefined) tokens.push({ kind: 'number', value: Number(groups['number']) });
    else if (groups['date'] !== undefined) tokens.push({ kind: 'string', text: groups['date'].replace(/^T/, '') });
    else if (groups['string'] !== undefined) tokens.push({ kind: 'string', text: unescape(groups['string']) });
    else if (groups['variable'] !== undefined) tokens.push({ kind: 'variable', text: groups['variable'] });
    else if (groups['symbol'] !== undefined) tokens.push({ kind: 'symbol', text: groups['symbol'] });
    else tokens.push({ kind: 'name', text: groups['name'] ?? groups['quoted'] ?? '' });
  }
  tokens.push({ kind: 'end' });
  return tokens;
}
