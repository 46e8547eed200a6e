import { setFlagsFromString } from 'node:v8';

/** How many ways a text may be divided between bounded repeats before it counts as a risk. */
const WAYS_MAX = 10_000;

/**
 * Whether a regular expression may take much longer than its text is long: it repeats something without limit, repeats a
 * group, refers back, or has many bounded repeats that compete.
 */
export function isRisky(pattern: string): boolean {
  if (/\\[1-9]|\\k</.test(pattern)) return true;
  const text = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  if (/[*+]|\{\d+,\}|\)[?{]/.test(text)) return true;
  const optional = [...text.matchAll(/[^(]\?/g)].length;
  const ranges = [...text.matchAll(/\{(\d+),(\d+)\}/g)].map(([, from, to]) => Number(to) - Number(from) + 1);
  return ranges.reduce((ways, range) => ways * range, 2 ** optional) > WAYS_MAX;
}

let isLinearEngineOn = false;

/**
 * What is risky is run by V8's engine for linear time, which knows neither looking around nor referring back. Throws for
 * what cannot be compiled, or not without risk.
 */
export function compilePattern(pattern: string, flags = ''): RegExp {
  if (!isRisky(pattern)) return new RegExp(pattern, flags);
  if (!isLinearEngineOn) setFlagsFromString('--enable-experimental-regexp-engine');
  isLinearEngineOn = true;
  return new RegExp(pattern, `${flags}l`);
}
