import { parseLossless } from '../../src/r4/index.ts';

/** Generous: what a server takes is its own affair, and tests send large things on purpose. */
const LIMITS = { bytesMax: 64 * 1024 * 1024, tokensMax: 5_000_000 } as const;

/** Keeps the digits of a decimal that JavaScript would print otherwise: 70.10 stays 70.10. Throws what is no JSON. */
export function parseJson(text: string): unknown {
  const parsed = parseLossless(text, LIMITS);
  if (!parsed.ok) throw new SyntaxError(parsed.fault.text);
  return parsed.value;
}
