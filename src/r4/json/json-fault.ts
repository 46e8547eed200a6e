export const JSON_RULES = {
  'json-size': 'the text is not larger than the limit',
  'json-utf8': 'the text is valid UTF-8',
  'json-syntax': 'the text is JSON (RFC 8259)',
  'json-depth': 'the text is not nested deeper than the limit',
  'json-tokens': 'the text does not hold more values than the limit',
  'json-keys': 'no object names more properties than the limit',
  'json-duplicate-key': 'no object names a property twice',
} as const;

export type JsonRule = keyof typeof JSON_RULES;

/**
 * Why a text was refused, and where: `offset` counts bytes for json-utf8, characters otherwise; `line` and `column`
 * from 1.
 */
export interface JsonFault {
  readonly rule: JsonRule;
  readonly text: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

export function jsonFault(rule: JsonRule, what: string, text: string, offset: number): JsonFault {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let i = before.indexOf('\n'); i !== -1; i = before.indexOf('\n', i + 1)) line++;
  const column = offset - lineStart + 1;
  return { rule, text: `${what} (line ${line}, column ${column})`, offset, line, column };
}
