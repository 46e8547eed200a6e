import type { Condition } from './facts.ts';
import { foldText } from './fold-text.ts';

/** The start of some word of some name, for each word that a person types. */
export function wordsAre(typed: string): Condition {
  const words = foldText(typed)
    .split(/[ ,-]+/)
    .filter((word) => word !== '');
  return ({ folded }) => {
    const all = ` ${folded.replace(/\u0001[fgpst]?|-/g, ' ')}`;
    return words.every((word) => all.includes(` ${word}`));
  };
}
