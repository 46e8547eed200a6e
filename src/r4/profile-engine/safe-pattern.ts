import { setFlagsFromString } from 'node:v8';

/**
 * Whether a regular expression may take longer than its text is long: it repeats something without limit, repeats a
 * group, or refers back.
 */
export function isRisky(pattern: string): boolean {
  if (/\\[1-9]|\\k</.test(pattern)) return true;
  const text = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[\^?\]?[^\]]*\]/g, 'x');
  return /[*+]|\{\d+,\}|\)[?{]/.test(text);
}

let isLinearEngineOn = false;

/**
 * What is risky is run by V8's engine for linear time, which knows neither silent around nor referring back. Throws for
 * what cannot be compiled, or not without risk.
 */
export function compilePattern(pattern: string, flags = ''): RegExp {
  if (!isRisky(pattern)) return new RegExp(pattern, flags);
  if (!isLinearEngineOn) setFlagsFromString('--enable-experimental-regexp-engine');
  isLinearEngineOn = true;
  return new RegExp(pattern, `${flags}l`);
}
