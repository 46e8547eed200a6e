import { setFlagsFromString } from 'node:v8';

/**
 * Whether a regular expression may take time beyond all bounds on some text: something is repeated without limit in
 * which something is repeated without limit, or which has alternatives.
 */
export function isRisky(pattern: string): boolean {
  if (/\\[1-9]|\\k</.test(pattern)) return true;
  const text = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[(?:\^?\])?[^\]]*\]/g, 'x');
  const open: { hasRepeat: boolean; hasChoice: boolean }[] = [{ hasRepeat: false, hasChoice: false }];
  for (let i = 0; i < text.length; i++) {
    const [letter, group] = [text[i], open.at(-1)];
    if (group === undefined) return true;
    if (letter === '(') open.push({ hasRepeat: false, hasChoice: false });
    else if (letter === '|') group.hasChoice = true;
    else if (isUnbounded(text, i)) group.hasRepeat = true;
    else if (letter === ')') {
      open.pop();
      const outer = open.at(-1);
      if (outer === undefined) return true;
      const isRepeated = isUnbounded(text, i + 1);
      if (isRepeated && (group.hasRepeat || group.hasChoice)) return true;
      outer.hasRepeat ||= isRepeated || group.hasRepeat;
      outer.hasChoice ||= group.hasChoice;
    }
  }
  return false;
}

const isUnbounded = (text: string, at: number): boolean => /^(?:[*+]|\{\d+,\})/.test(text.slice(at, at + 24));

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
