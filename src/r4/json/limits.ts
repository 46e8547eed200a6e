/** What a text may cost. Defaults: a large but honest Bundle passes, an attack is refused before it is built. */
export interface JsonLimits {
  readonly bytesMax: number;
  readonly depthMax: number;
  /** Keys, commas and opening brackets together: what building the value costs, whatever its size in bytes. */
  readonly tokensMax: number;
  /** Properties of one object: beyond some thousands it is a table of another kind in memory, many times its size. */
  readonly keysMax: number;
}

export const JSON_LIMITS: JsonLimits = {
  bytesMax: 16 * 1024 * 1024,
  depthMax: 100,
  tokensMax: 2_000_000,
  keysMax: 100_000,
};
