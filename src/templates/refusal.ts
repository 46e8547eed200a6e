/** Errors of the gateway beside those of JSONata, which begin with S, T or D. */
export const REFUSALS = {
  C0001: 'a function that is not allowed was called',
  C0002: 'a text grew longer than a million characters',
  C0003: 'the payload has a property whose name JSONata keeps for itself',
  C0004: 'the payload is larger than the limit, or cannot be read',
} as const;

/** In the way that JSONata throws: it adds the position by itself. */
export const refusal = (code: keyof typeof REFUSALS): Error & { code: string } =>
  Object.assign(new Error(REFUSALS[code]), { code });
