/**
 * How much the long tests play. `npm test` plays the short form, `npm run test:long` (TEST_LENGTH=long) the long one:
 * the same checks, more rounds.
 */
export const LENGTH: 'short' | 'long' = process.env['TEST_LENGTH'] === 'long' ? 'long' : 'short';

export const howMany = (short: number, long: number): number => (LENGTH === 'long' ? long : short);
