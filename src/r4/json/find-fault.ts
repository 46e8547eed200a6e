import { jsonFault, type JsonFault, type JsonRule } from './json-fault.ts';
import type { JsonLimits } from './limits.ts';

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const BLANK = /[ \t\n\r]*/y;

/**
 * Reads a refused text again, slowly, and says where its first fault is: the fast way only knows that there is one.
 * Iterative, so that no nesting can exhaust the stack. Null when the text is sound.
 */
export function findFault(text: string, limits: JsonLimits): JsonFault | null {
  const open: (Set<string> | null)[] = [];
  let at = 0;
  let tokens = 0;
  const fault = (rule: JsonRule, what: string, where = at): JsonFault => jsonFault(rule, what, text, where);
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isFound = pattern.test(text);
    if (isFound) at = pattern.lastIndex;
    return isFound;
  };
  /** By hand, because a regular expression's stack grows with the string. */
  const skipString = (): boolean => {
    if (text.charCodeAt(at) !== 34) return false;
    for (at++; ;) {
      const char = text.charCodeAt(at);
      if (char === 34) {
        at++;
        return true;
      }
      if (char === 92 ? !skip(ESCAPE) : !(char >= 32)) return false;
      if (char !== 92) at++;
    }
  };
  const unexpected = (): JsonFault =>
    at >= text.length
      ? fault('json-syntax', 'The text ends too early')
      : fault('json-syntax', `Unexpected character ${JSON.stringify(text.charAt(at))}`);

  function readKey(keys: Set<string>): JsonFault | null {
    skip(BLANK);
    const start = at;
    if (!skipString()) return unexpected();
    const key = JSON.parse(text.slice(start, at)) as string;
    if (keys.has(key))
      return fault('json-duplicate-key', `The property ${JSON.stringify(key.slice(0, 60))} appears twice`, start);
    keys.add(key);
    tokens++;
    if (keys.size > limits.keysMax)
      return fault('json-keys', `An object names more than ${limits.keysMax} properties`, start);
    skip(BLANK);
    if (text.charAt(at) !== ':') return unexpected();
    at++;
    return null;
  }

  /** After a value: closes what ends, and steps to the next value. True when the text is complete. */
  function goOn(): JsonFault | boolean {
    for (;;) {
      skip(BLANK);
      const inside = open.at(-1);
      if (inside === undefined) return at >= text.length ? true : unexpected();
      const char = text.charAt(at);
      if (char === ',') {
        at++;
        tokens++;
        return inside === null ? false : (readKey(inside) ?? false);
      }
      if (char !== (inside === null ? ']' : '}')) return unexpected();
      at++;
      open.pop();
    }
  }

  for (;;) {
    skip(BLANK);
    const char = text.charAt(at);
    if (tokens > limits.tokensMax) return fault('json-tokens', `The text holds more than ${limits.tokensMax} values`);
    if (char === '{' || char === '[') {
      const keys = char === '{' ? new Set<string>() : null;
      open.push(keys);
      tokens++;
      if (open.length > limits.depthMax)
        return fault('json-depth', `The text is nested deeper than ${limits.depthMax}`);
      at++;
      skip(BLANK);
      if (text.charAt(at) !== (keys === null ? ']' : '}')) {
        const wrong = keys === null ? null : readKey(keys);
        if (wrong !== null) return wrong;
        continue;
      }
      at++;
      open.pop();
    } else if (!(char === '"' ? skipString() : skip(NUMBER) || skip(WORD))) return unexpected();
    const next = goOn();
    if (next === true) return null;
    if (next !== false) return next;
  }
}
