/** Halves of a surrogate pair are no characters: no address and no table can hold them. */
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);

/**
 * Case and leading zeros are kept: 0012 and 12 are two patients. What nobody can see would make two that look alike,
 * and so would U+FFFD, which stands for a character that was lost. As a part of an address, dots alone lead elsewhere.
 */
export const isMrn = (text: string): boolean =>
  text.length >= 1 &&
  text.length <= 64 &&
  isPlain(text) &&
  !/[\p{Cf}\ufffd]/u.test(text) &&
  text.trim() === text &&
  text !== '.' &&
  text !== '..';

/** As the envelope of a delivery has them. */
export const isUserId = (text: string): boolean => text.length >= 1 && text.length <= 50 && isPlain(text);
export const isClientUuid = (text: string): boolean => text.length >= 1 && text.length <= 100 && isPlain(text);

/** A sentence for whoever asks later why this user is that patient. */
export const isEvidence = (text: string): boolean => text.length <= 500 && isPlain(text);
