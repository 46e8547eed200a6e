import type { Issue } from './issue.ts';
import type { JsonFault } from './json/json-fault.ts';
import { countKeys } from './json/keep-digits.ts';
import { JSON_LIMITS, type JsonLimits } from './json/limits.ts';
import { explain, readJson } from './json/parse-lossless.ts';
import { typeOf, type Engine } from './engine.ts';

/** What became of a text: a value that was read, perhaps with findings, or the reason why it could not be read. */
export type Checked =
  | {
      readonly kind: 'read';
      readonly value: unknown;
      readonly issues: readonly Issue[];
      /** The text began with a byte order mark. It was passed over. */
      readonly hasMark: boolean;
    }
  | { readonly kind: 'unreadable'; readonly fault: JsonFault; readonly issues: readonly Issue[] };

export function unreadable(fault: JsonFault): Checked {
  const code =
    fault.rule === 'json-size'
      ? 'too-long'
      : fault.rule === 'json-tokens' || fault.rule === 'json-keys' || fault.rule === 'json-depth'
        ? 'too-costly'
        : 'structure';
  return {
    kind: 'unreadable',
    fault,
    issues: [{ severity: 'error', code, expression: '', text: fault.text, rule: fault.rule }],
  };
}

export function report(engine: Engine, value: unknown): Issue[] {
  const issues: Issue[] = [];
  engine.compiled.rResource(value, engine.reportContext(issues), 0, typeOf(value));
  return issues;
}

/** Lossless parse and every check in one go: the walk of the validator counts the keys for the parser. */
export function checkText(engine: Engine, input: Uint8Array | string, limits: Partial<JsonLimits> = {}): Checked {
  const all = { ...JSON_LIMITS, ...limits };
  const read = readJson(input, all);
  if (!read.ok) return unreadable(read.fault);
  const { value, text, keys, counted, hasMark } = read.value;
  const c = engine.fastContext();
  const isValid = engine.compiled.fResource(value, c, 0);
  // After a refusal the walk is incomplete; then, and after keeping digits, the keys are counted apart.
  const found = counted ?? (isValid ? c.keys : countKeys(value));
  if (found !== keys) return unreadable(explain(text, all));
  return { kind: 'read', value, issues: isValid && !engine.wantsWarnings ? [] : report(engine, value), hasMark };
}
