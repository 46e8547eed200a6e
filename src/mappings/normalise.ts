/**
 * Names of laboratory tests and panels: what is no letter, digit, % or # is one blank. `NEUT%` and `neut %` are one
 * name.
 */
export const normaliseName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/([%#])/g, ' $1 ')
    .replace(/[^\p{L}\p{N}%#]+/gu, ' ')
    .trim();

/** Words of the source: `Pulse_Oximeter` and `pulse oximeter` are one word. */
export const normaliseWord = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();

/** Texts of units: both micro signs are u, blanks count once. Case stays: mg and Mg differ. */
export const normaliseUnit = (text: string): string => text.replace(/[µμ]/g, 'u').replace(/\s+/g, ' ').trim();
