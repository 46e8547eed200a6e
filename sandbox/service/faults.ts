import { isObject } from '../../src/kernel/index.ts';

/** A failure that was asked for, so that a client's care can be seen. */
export interface FaultRule {
  /** Begins the path of the requests that it is for. */
  readonly path: string;
  readonly status?: number;
  readonly delayMs?: number;
  /** `before`: nothing was done. `after`: it was done, and nobody hears of it. */
  readonly drop?: 'before' | 'after';
  readonly retryAfter?: string;
  /** How often; absent: always. */
  readonly times?: number;
}

const isRule = (value: unknown): value is FaultRule =>
  isObject(value) &&
  typeof value['path'] === 'string' &&
  Object.keys(value).every((key) => ['path', 'status', 'delayMs', 'drop', 'retryAfter', 'times'].includes(key));

export interface FaultBoard {
  set(rules: unknown): boolean;
  rules(): readonly FaultRule[];
  /** The rule for a request, which is used up by it. */
  take(path: string): FaultRule | null;
}

export function makeFaultBoard(): FaultBoard {
  let rules: FaultRule[] = [];
  return {
    set(given) {
      if (!Array.isArray(given) || !given.every(isRule)) return false;
      rules = [...given];
      return true;
    },
    rules: () => rules,
    take(path) {
      const i = rules.findIndex((one) => path.startsWith(one.path));
      const rule = rules[i];
      if (rule === undefined) return null;
      if (rule.times !== undefined) {
        if (rule.times <= 1) rules.splice(i, 1);
        else rules[i] = { ...rule, times: rule.times - 1 };
      }
      return rule;
    },
  };
}
